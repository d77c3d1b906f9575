// A set that no job could get is refused here, since it would keep all jobs away.
#include "base/config/node_set_reader.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/phrases.h"
#include "base/text/node_set.h"

namespace muster::config {
namespace {

void CheckSet(const Value& value, const NodeSet& set, const NodeValues& known) {
  const auto its = known.find(set.attribute);
  if (its == known.end()) {
    Lines names;
    for (const auto& [name, values] : known) names.push_back(name);
    value.Report("no node has '" + set.attribute + "'", DidYouMean(set.attribute, names),
                 {"declared: " + Joined(names)});
    return;
  }
  const std::set<std::string>& values = its->second;
  for (const std::string& wanted : set.values) {
    if (set.tolerance || values.contains(wanted)) continue;
    value.Report("no node has " + set.attribute + "=" + wanted, "",
                 {"declared: " + Joined(values)});
    return;
  }
  const auto word = std::find_if(values.begin(), values.end(), [&](const std::string& one) {
    return set.attribute != kSpeedAttribute && !text::NumberIn(one);
  });
  if (set.tolerance && word != values.end()) {
    value.Report("a tolerance needs numbers, and '" + set.attribute + "' is also '" + *word + "'",
                 "", {"the set without its tolerance"});
  }
  const bool each = set.values.empty() && !set.tolerance && !set.IsOneSwitch();
  if (each && values.size() > kSetGroups) {
    value.Report("'" + set.attribute + "' makes " + std::to_string(values.size()) + " groups", "",
                 {"at most " + std::to_string(kSetGroups) + ": name some values"});
  }
}

}  // namespace

NodeSetConfig ReadNodeSet(Section section, const NodeValues& values) {
  NodeSetConfig out;
  const Value value = section.Get("default");
  if (const auto forced = section.Get("forced").AsBool()) out.forced = *forced;
  section.Finish();
  if (section.present() && !value) {
    section.Report("[nodeset] names no set", {"as in default = \"speed~10%:oneof\""});
    return out;
  }
  const std::optional<std::string> text = value.AsText();
  if (!text) return out;
  Diagnosed<NodeSet> set = text::ParseNodeSet(*text);
  if (!set.ok()) {
    value.ReportInside(set.diagnostic());
    return out;
  }
  CheckSet(value, *set, values);
  out.set = *std::move(set);
  return out;
}

}  // namespace muster::config
