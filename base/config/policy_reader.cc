// What [priority] names must be listed in the same file, so that a misspelt name does not go
// unnoticed.
#include "base/config/policy_reader.h"

#include <vector>

#include "base/phrases.h"

namespace muster::config {
namespace {

constexpr int64_t kMostWeight = 1'000'000;
constexpr int64_t kMostPoints = 1000;
constexpr int64_t kMostExpansion = 1000;
constexpr const char* kFactors[] = {"cred", "queue", "xfactor", "procs", "mem", "area"};
constexpr std::string_view kQueueWord = "queue ";

void ReadWeights(Section section, PriorityConfig& config) {
  for (const char* factor : kFactors) {
    if (const auto weight = section.Get(factor).AsInteger(-kMostWeight, kMostWeight)) {
      config.weights[factor] = *weight;
    }
  }
  section.Finish();
}

// Reports a name that the file does not list.
bool IsListed(const Value& value, const std::string& name, const Lines& all,
              const std::string& kind) {
  if (Contains(all, name)) return true;
  value.Report("unknown " + kind + " '" + name + "'", DidYouMean(name, all),
               {all.empty() ? "no " + kind + " is listed" : kind + "s here: " + Joined(all)});
  return false;
}

bool IsKnown(const Value& value, const std::string& who, const Named& named) {
  if (who.starts_with('@')) return IsListed(value, who.substr(1), named.groups, "group");
  if (who.starts_with(kQueueWord)) {
    return IsListed(value, who.substr(kQueueWord.size()), named.queues, "queue");
  }
  return IsListed(value, who, named.users, "user");
}

void ReadPoints(Section section, const Named& named, PriorityConfig& config) {
  Lines names;
  const std::vector<Value> values = section.All(names);
  for (size_t i = 0; i < names.size(); ++i) {
    const auto points = values[i].AsInteger(-kMostPoints, kMostPoints);
    if (points && IsKnown(values[i], names[i], named)) config.points[names[i]] = *points;
  }
  section.Finish();
}

}  // namespace

std::optional<PriorityConfig> ReadPriority(Section section, const Named& named) {
  if (!section.present()) return std::nullopt;
  PriorityConfig config;
  Set(config.tick, section.Get("tick").AsSpan(Span{1}, kDay));
  Set(config.queue_full, section.Get("queue_full").AsSpan(Span{1}, kYear));
  Set(config.x_full, section.Get("x_full").AsInteger(1, kMostExpansion));
  ReadWeights(section.NeedSection("weight"), config);
  ReadPoints(section.GetSection("points"), named, config);
  section.Finish();
  return config;
}

}  // namespace muster::config
