// Structs are printed whole; what is written by hand is what the page has and no struct holds.
#include "cli/documents.h"

#include <utility>

namespace muster::cli {
namespace {

Json Document(const char* schema, Moment as_of) {
  Json document = Json::object();
  document["schema"] = schema;
  document["as_of"] = ToJson(as_of);
  return document;
}

// The struct's fields, and those of the page that no part of this version can set: null is "none",
// and programs that read them go on working when they come.
Json JobJson(const schemas::JobView& job, bool whole) {
  constexpr size_t kOfThePage = 4;  // after, array, reservation, firm
  Json object = Json::object();
  object.get_ref<Json::object_t&>().reserve(
      std::tuple_size_v<decltype(schemas::JobView::Fields())> + kOfThePage);
  schemas::ForEachField(job, [&](const char* name, const auto& field) {
    const std::string_view field_name(name);
    if (!whole && (field_name == "history" || field_name == "events")) return;
    AddField(object, name, field);
    if (field_name == "deadline") {
      object["after"] = Json::array();
      object["array"] = nullptr;
      object["reservation"] = nullptr;
    }
    if (field_name == "queue") object["firm"] = false;
  });
  return object;
}

std::string Lines(const std::vector<std::string>& lines, const char* joint) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : joint) + line;
  return text;
}

Json TextOrNull(const std::string& text) { return text.empty() ? Json() : Json(text); }

}  // namespace

Json JobDocument(const schemas::JobView& job, Moment as_of) {
  Json document = Document("muster.job/1", as_of);
  document["job"] = JobJson(job, true);
  return document;
}

Json QueueDocument(const std::vector<schemas::JobView>& jobs,
                   const std::vector<schemas::Basis>& basis, std::optional<size_t> yours,
                   Moment as_of) {
  Json document = Document("muster.queue/1", as_of);
  Json rows = Json::array();
  for (const schemas::JobView& job : jobs) {
    rows.push_back(JobJson(job, false));
  }
  document["jobs"] = std::move(rows);
  document["basis"] = ToJson(basis);
  document["yours"] = yours ? Json(*yours) : Json();
  return document;
}

Json AskDocument(const std::vector<schemas::OfferView>& offers, Moment as_of) {
  Json document = Document("muster.ask/1", as_of);
  document["offers"] = ToJson(offers);
  return document;
}

Json SitesDocument(const std::vector<schemas::SiteView>& sites, Moment as_of) {
  Json document = Document("muster.sites/1", as_of);
  document["sites"] = ToJson(sites);
  return document;
}

Json GanttDocument(const std::vector<schemas::GanttSite>& sites, Instant from, Instant until,
                   Moment as_of) {
  Json document = Document("muster.gantt/1", as_of);
  document["from"] = ToJson(from);
  document["until"] = ToJson(until);
  document["sites"] = ToJson(sites);
  return document;
}

Json CancelDocument(const schemas::Accepted& accepted, Moment as_of) {
  Json document = Document("muster.cancel/1", as_of);
  Json jobs = Json::array();
  for (size_t i = 0; i < accepted.requests.size(); ++i) {
    Json job = Json::object();
    job["id"] = std::to_string(accepted.requests[i].value);
    job["state"] = i < accepted.states.size() ? ToJson(accepted.states[i]) : Json();
    job["text"] = i < accepted.notes.size() ? TextOrNull(accepted.notes[i]) : Json();
    jobs.push_back(std::move(job));
  }
  document["jobs"] = std::move(jobs);
  return document;
}

Json OutputDocument(const schemas::OutputRow& row, bool error_stream, uint64_t offset) {
  Json document = Json::object();
  document["schema"] = "muster.output/1";
  document["part"] = row.part;
  document["stream"] = error_stream ? "stderr" : "stdout";
  document["offset"] = offset;
  document["data"] = row.data;
  document["next"] = row.next;
  document["ended"] = row.ended;
  return document;
}

Json ErrorDocument(const Diagnostic& diagnostic, const std::string& changed, int exit_code) {
  Json document = Json::object();
  document["schema"] = "muster.error/1";
  document["code"] = diagnostic.code;
  document["message"] = diagnostic.message;
  document["exit"] = exit_code;
  document["where"] = nullptr;
  if (diagnostic.where && !diagnostic.where->file.empty()) {
    Json where = Json::object();
    where["file"] = diagnostic.where->file;
    where["line"] = diagnostic.where->line == 0 ? Json() : Json(diagnostic.where->line);
    where["column"] = diagnostic.where->column == 0 ? Json() : Json(diagnostic.where->column);
    document["where"] = std::move(where);
  }
  document["notes"] = ToJson(diagnostic.notes);
  document["help"] = TextOrNull(Lines(diagnostic.help, " "));
  document["changed"] = TextOrNull(changed);
  return document;
}

}  // namespace muster::cli
