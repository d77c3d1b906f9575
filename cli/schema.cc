// One overload per type of field, matching those of cli/json.h that print it.
#include "cli/schema.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "cli/documents.h"
#include "cli/notices.h"
#include "cli/replies.h"

namespace muster::cli {
namespace {

template <class T>
struct Type {};

Json Simple(const char* type) { return Json{{"type", type}}; }
Json Time() { return Json{{"type", {"string", "null"}}, {"format", "date-time"}}; }

Json Shape(Type<bool>) { return Simple("boolean"); }
Json Shape(Type<double>) { return Simple("number"); }
Json Shape(Type<std::string>) { return Simple("string"); }
Json Shape(Type<Span>) { return Simple("integer"); }
Json Shape(Type<BootSpan>) { return Simple("number"); }
Json Shape(Type<Instant>) { return Time(); }  // null means "never"
Json Shape(Type<Moment>) { return Time(); }
Json Shape(Type<ResourceSet>) {
  return Json{{"type", "object"}, {"additionalProperties", Simple("integer")}};
}
Json Shape(Type<std::map<std::string, std::string>>) {
  return Json{{"type", "object"}, {"additionalProperties", Simple("string")}};
}
Json Shape(Type<IntervalSet>) {
  Json item = Simple("object");
  item["properties"] = Json{{"from", Time()}, {"until", Time()}};
  item["required"] = {"from", "until"};
  return Json{{"type", "array"}, {"items", item}};
}
template <class T>
  requires std::is_integral_v<T>
Json Shape(Type<T>) {
  return Simple("integer");
}
template <class Tag>
Json Shape(Type<Id<Tag>>) {
  return Simple("integer");
}
template <class T>
  requires std::is_enum_v<T>
Json Shape(Type<T>) {
  Json words = Json::array();
  for (const std::string_view word : WordsOf(T{})) words.push_back(std::string(word));
  return Json{{"enum", std::move(words)}};
}
template <class T>
Json Shape(Type<std::optional<T>>);
template <class T>
Json Shape(Type<std::vector<T>>);
Json Shape(Type<schemas::JobView>);
Json Shape(Type<QueuedJob>);
template <schemas::HasFields T>
Json Shape(Type<T>);

Json OrNull(Json shape) {
  if (shape.contains("type") && shape["type"].is_string()) {
    shape["type"] = Json::array({shape["type"], "null"});
  } else if (shape.contains("enum")) {
    shape["enum"].push_back(nullptr);
  }
  return shape;
}

// Builds the schema of an object field by field.
class Properties {
 public:
  template <class T>
  void Add(const char* name, Type<T> type) {
    const std::string json_name = JsonName<T>(name);
    Json shape = Shape(type);
    if (std::is_same_v<T, std::string> && EmptyIsNull(name)) shape = OrNull(std::move(shape));
    properties_[json_name] = std::move(shape);
    required_.push_back(json_name);
  }
  void Put(const std::string& name, Json shape) {
    properties_[name] = std::move(shape);
    required_.push_back(name);
  }
  Json Done() && {
    Json shape = Simple("object");
    shape["properties"] = std::move(properties_);
    shape["required"] = std::move(required_);
    return shape;
  }

 private:
  Json properties_ = Json::object();
  Json required_ = Json::array();
};

template <class T>
void AddFields(Properties& properties) {
  schemas::WithFields(T::Fields(), [&](const auto&... field) {
    (properties.Add(field.name, Type<std::remove_cvref_t<decltype(T().*(field.member))>>{}), ...);
  });
}

template <class T>
Json Shape(Type<std::optional<T>>) {
  return OrNull(Shape(Type<T>{}));
}
template <class T>
Json Shape(Type<std::vector<T>>) {
  return Json{{"type", "array"}, {"items", Shape(Type<T>{})}};
}
template <schemas::HasFields T>
Json Shape(Type<T>) {
  Properties properties;
  AddFields<T>(properties);
  return std::move(properties).Done();
}
Json JobShape(bool whole) {
  Properties properties;
  ForEachJobField(schemas::JobView(), whole,
                  [&]<class T>(const char* name, const T&) { properties.Add(name, Type<T>{}); });
  return std::move(properties).Done();
}
Json Shape(Type<schemas::JobView>) { return JobShape(true); }
Json Shape(Type<QueuedJob>) { return JobShape(false); }

template <class T>
Json SchemaOf() {
  Properties properties;
  properties.Put("schema", Json{{"const", T::kSchema}});
  AddFields<T>(properties);
  Json schema = Json::object();
  schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  schema["title"] = T::kSchema;
  schema.update(std::move(properties).Done());
  return schema;
}

struct Entry {
  const char* name;
  Json (*make)();
};
template <class... T>
constexpr std::array<Entry, sizeof...(T)> EntriesOf() {
  return {Entry{T::kSchema, SchemaOf<T>}...};
}
constexpr auto kEntries =
    EntriesOf<AccountsDocument, ActDocument, AskDocument, AuditLine, CalibrationDocument,
              CancelDocument, CheckDocument, DigestDocument, DownDocument, ErrorDocument, EventLine,
              ExplainDocument, GanttDocument, JobDocument, KeyDocument, KeysDocument,
              LimitsDocument, NodesDocument, OrderDocument, OutputLine, PriorityDocument,
              QueueDocument, SchedulerDocument, SharesDocument, SitesDocument, SlotsDocument,
              StatementDocument, UpDocument, VerdictsDocument, WhatIfDocument>();

}  // namespace

std::vector<std::string> SchemaNames() {
  std::vector<std::string> names;
  for (const Entry& entry : kEntries) names.emplace_back(entry.name);
  return names;
}

std::optional<Json> SchemaNamed(std::string_view name) {
  std::string wanted(name);
  if (!wanted.starts_with("muster.")) wanted = "muster." + wanted;
  if (wanted.find('/') == std::string::npos) wanted += "/1";
  for (const Entry& entry : kEntries) {
    if (entry.name == wanted) return entry.make();
  }
  return std::nullopt;
}

}  // namespace muster::cli
