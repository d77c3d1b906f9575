// The meta does not know what sites have, so any resource may be named.
#include "base/config/spanning_limits.h"

#include <map>
#include <utility>

#include "base/config/site_values.h"
#include "base/text/validity.h"

namespace muster::config {
namespace {

constexpr int64_t kMostItems = int64_t{1} << 60;
constexpr char kJobs[] = "jobs";

bool ReadEachUser(const Value& each, const std::string& who) {
  const auto word = each.AsChoice({"user"});
  if (!word) return false;
  const CredentialName name = CredentialOf(who);
  if (name.kind != CredentialName::Kind::kUser && name.kind != CredentialName::Kind::kEverybody) {
    return true;
  }
  each.Report(
      who == kEverybody ? "a limit of '*' is for each user already" : "'" + who + "' is one user",
      "", {"a group, as in who = \"@students\"; or no 'each'"});
  return false;
}

}  // namespace

std::vector<SpanningLimitConfig> ReadSpanningLimits(Section& root, const Named& named) {
  std::vector<SpanningLimitConfig> out;
  std::map<std::string, uint32_t> seen;
  for (Section& section : root.GetSections("limit")) {
    SpanningLimitConfig limit;
    const Value who = section.Need("who");
    Set(limit.who, who.AsText());
    if (!limit.who.empty() && !IsKnown(who, limit.who, named)) limit.who.clear();
    Set(limit.on, section.Get("on").AsChoice({"running", "promised", "open"}));
    const Value resource = section.Get("resource");
    limit.resource = kJobs;
    if (resource) Set(limit.resource, resource.AsName());
    if (limit.on != "running" && limit.resource != kJobs) {
      resource.Report("what is " + limit.on + " is counted in jobs", "", {"resource = \"jobs\""});
    }
    Set(limit.items, section.Need("items").AsInteger(0, kMostItems));
    limit.each = ReadEachUser(section.Get("each"), limit.who);
    const Value valid = section.Get("valid");
    Set(limit.valid, ReadValidity(valid));
    if (valid && limit.on != "running") {
      valid.Report("only what runs is limited at some times", "", {"on = \"running\""});
    }
    section.Finish();
    if (limit.who.empty()) continue;
    const std::string what = (limit.each ? "each user of " : "") + limit.who + ", " +
                             limit.resource + " " + limit.on + ", valid " +
                             text::ValidityText(limit.valid);
    const auto [first, added] = seen.insert({what, section.line()});
    if (!added) {
      section.Report("two limits are for " + what,
                     {"one of them; the first stands in line " + std::to_string(first->second)});
    }
    out.push_back(std::move(limit));
  }
  return out;
}

}  // namespace muster::config
