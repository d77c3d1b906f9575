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

// The values of the attribute that a node has: one, or the name of each switch above it.
std::vector<std::string> ValuesOf(const std::string& attribute, const Machine& machine,
                                  uint32_t node) {
  if (attribute == kSpeedAttribute) return {SpeedText(machine.Speed(node))};
  std::vector<std::string> out;
  if (attribute == kSwitchAttribute) {
    const machine::Switches& switches = machine.switches();
    for (auto up = switches.Of(node); up.has_value(); up = switches.Above(*up)) {
      out.push_back(switches.name(*up));
    }
    return out;
  }
  const auto& properties = machine.node(node).properties;
  const auto it = properties.find(attribute);
  if (it != properties.end()) out.push_back(it->second);
  return out;
}

std::optional<int64_t> NumberOf(const std::string& attribute, const std::string& value) {
  return attribute == kSpeedAttribute ? text::ParseSpeed(value) : NumberIn(value);
}

class Grouping {
 public:
  Grouping(const NodeSet& set, const Machine& machine, const Nodes& among)
      : set_(set), machine_(machine) {
    for (uint32_t node = 0; node < machine.node_count(); ++node) {
      if (!among[node]) continue;
      for (std::string& value : ValuesOf(set.attribute, machine, node)) {
        nodes_.try_emplace(std::move(value), machine.node_count(), false).first->second[node] =
            true;
      }
    }
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
  std::map<std::string, Nodes> nodes_;      // by value
  std::map<int64_t, std::string> numbers_;  // values that are numbers
  std::optional<std::string> word_;         // a value that is none
  NodeGroups out_;
};

}  // namespace

NodeGroups GroupsOn(const NodeSet& set, const Machine& machine, const std::vector<bool>& among) {
  return Grouping(set, machine, among).Groups();
}

}  // namespace muster::plan
