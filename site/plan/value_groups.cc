// Values are read from the nodes first; what the set names is then chosen among them.
#include "site/plan/value_groups.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/text/node_set.h"
#include "site/plan/set_groups.h"

namespace muster::plan {
namespace {

using machine::Machine;
using text::NumberIn;
using text::SpeedText;
using Nodes = std::vector<bool>;

// A percentage point in thousandths, the unit of speeds.
constexpr int64_t kPoint = kFullSpeed / 100;

Why NoNode(std::string text) {
  return {Why::Code::kProperty, "", "", "", std::nullopt, std::move(text)};
}

using ByValue = std::map<std::string, Nodes>;

// Nodes by speed. Speeds are compared as numbers: this runs for each booking of each pass of
// backfilling.
ByValue BySpeed(const Machine& machine, const Nodes& among) {
  std::map<int64_t, Nodes> speeds;
  for (uint32_t node = 0; node < machine.node_count(); ++node) {
    if (!among[node]) continue;
    speeds.try_emplace(machine.Speed(node), machine.node_count(), false).first->second[node] = true;
  }
  ByValue out;
  for (auto& [speed, nodes] : speeds) out[SpeedText(speed)] = std::move(nodes);
  return out;
}

// Nodes by each switch above them.
ByValue BySwitch(const Machine& machine, const Nodes& among) {
  const machine::Switches& switches = machine.switches();
  ByValue out;
  for (uint32_t node = 0; node < machine.node_count(); ++node) {
    if (!among[node]) continue;
    for (auto up = switches.Of(node); up.has_value(); up = switches.Above(*up)) {
      out.try_emplace(switches.name(*up), machine.node_count(), false).first->second[node] = true;
    }
  }
  return out;
}

// Nodes by a property. Neighbours mostly share a value, so it is sought only where it changes.
ByValue ByProperty(const std::string& name, const Machine& machine, const Nodes& among) {
  ByValue out;
  auto last = out.end();
  for (uint32_t node = 0; node < machine.node_count(); ++node) {
    if (!among[node]) continue;
    const auto& properties = machine.node(node).properties;
    const auto it = properties.find(name);
    if (it == properties.end()) continue;
    if (last == out.end() || last->first != it->second) {
      last = out.try_emplace(it->second, machine.node_count(), false).first;
    }
    last->second[node] = true;
  }
  return out;
}

ByValue NodesByValue(const std::string& attribute, const Machine& machine, const Nodes& among) {
  if (attribute == kSpeedAttribute) return BySpeed(machine, among);
  if (attribute == kSwitchAttribute) return BySwitch(machine, among);
  return ByProperty(attribute, machine, among);
}

std::optional<int64_t> NumberOf(const std::string& attribute, const std::string& value) {
  return attribute == kSpeedAttribute ? text::ParseSpeed(value) : NumberIn(value);
}

class Grouping {
 public:
  Grouping(const NodeSet& set, const Machine& machine, const Nodes& among)
      : set_(set), machine_(machine), nodes_(NodesByValue(set.attribute, machine, among)) {
    for (const auto& [value, nodes] : nodes_) {
      const std::optional<int64_t> number = NumberOf(set.attribute, value);
      if (number && *number > 0) {
        numbers_[*number] = value;
      } else {
        word_ = value;
      }
    }
  }

  NodeGroups Groups() && {
    if (nodes_.empty()) {
      out_.none = NoNode("no node that could take it has '" + set_.attribute + "'");
    } else if (set_.tolerance && word_) {
      out_.none = NoNode("'" + set_.attribute + "' has words here, as '" + *word_ +
                         "', and a tolerance needs numbers");
    } else {
      AddAll();
      Check();
    }
    if (!word_ && set_.attribute != kSpeedAttribute) CountByNumbers();
    return std::move(out_);
  }

 private:
  void AddAll() {
    if (set_.tolerance) return AddRanges();
    const bool order = set_.choice == NodeSet::Choice::kFirstOf;
    for (size_t i = 0; i < set_.values.size(); ++i) {
      if (nodes_.contains(set_.values[i])) Add(set_.values[i], order ? i : 0);
    }
    if (!set_.values.empty()) return;
    for (const auto& [value, nodes] : nodes_) Add(value, 0);
  }

  void Add(const std::string& value, size_t wish) {
    const std::optional<int64_t> number = NumberOf(set_.attribute, value);
    out_.all.push_back({std::make_shared<const Nodes>(nodes_.at(value)),
                        set_.attribute + "=" + value, static_cast<uint32_t>(wish),
                        word_ ? 0 : number.value_or(0)});
  }

  void AddRanges() {
    std::vector<int64_t> values;
    for (const auto& [number, value] : numbers_) values.push_back(number);
    Tolerance tolerance = *set_.tolerance;
    if (set_.attribute == kSpeedAttribute && !tolerance.relative) tolerance.most *= kPoint;
    for (const ValueRange& range : GroupsOf(values, tolerance)) {
      const std::optional<size_t> place = PlaceOf(values[range.first], values[range.last]);
      if (!place) continue;
      const bool order = set_.choice == NodeSet::Choice::kFirstOf;
      Nodes nodes(machine_.node_count(), false);
      for (size_t v = range.first; v <= range.last; ++v) {
        const Nodes& of_value = nodes_.at(numbers_.at(values[v]));
        for (size_t n = 0; n < nodes.size(); ++n) nodes[n] = nodes[n] || of_value[n];
      }
      std::string name = set_.attribute + "=" + numbers_.at(values[range.first]);
      if (range.last > range.first) name += "-" + numbers_.at(values[range.last]);
      out_.all.push_back({std::make_shared<const Nodes>(std::move(nodes)), std::move(name),
                          static_cast<uint32_t>(order ? *place : 0), values[range.first]});
    }
  }

  // The place of the first named value that lies between these; 0 if the set names none.
  std::optional<size_t> PlaceOf(int64_t least, int64_t most) const {
    for (size_t i = 0; i < set_.values.size(); ++i) {
      const int64_t number = NumberOf(set_.attribute, set_.values[i]).value_or(0);
      if (least <= number && number <= most) return i;
    }
    return set_.values.empty() ? std::optional<size_t>(0) : std::nullopt;
  }

  void Check() {
    if (out_.all.empty()) {
      out_.none =
          NoNode("no node that could take it has " + set_.attribute + "=" + set_.values.front());
    } else if (out_.all.size() > kSetGroups) {
      out_.none = NoNode("'" + set_.attribute + "' makes " + std::to_string(out_.all.size()) +
                         " groups here, and a set has at most " + std::to_string(kSetGroups) +
                         ": name some values");
      out_.all.clear();
    }
  }

  void CountByNumbers() {
    std::vector<int64_t> by_node(machine_.node_count(), kFullSpeed);
    for (const auto& [number, value] : numbers_) {
      const Nodes& nodes = nodes_.at(value);
      for (size_t n = 0; n < nodes.size(); ++n) {
        if (nodes[n]) by_node[n] = number;
      }
    }
    out_.numbers = std::make_shared<const std::vector<int64_t>>(std::move(by_node));
  }

  const NodeSet& set_;
  const Machine& machine_;
  ByValue nodes_;
  std::map<int64_t, std::string> numbers_;  // values that are numbers
  std::optional<std::string> word_;         // a value that is none
  NodeGroups out_;
};

}  // namespace

NodeGroups GroupsOn(const NodeSet& set, const Machine& machine, const std::vector<bool>& among) {
  return Grouping(set, machine, among).Groups();
}

}  // namespace muster::plan
