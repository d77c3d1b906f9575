// Nodes are bits here: machines of campaigns have six nodes at most.
#include "sim/checkers/set_choices.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "base/check.h"
#include "base/text/node_set.h"

namespace muster::sim {
namespace {

constexpr size_t kBits = 32;

class Chooser {
 public:
  Chooser(const std::optional<NodeSet>& set, bool by_clock, const std::vector<WantedChunk>& wanted,
          const std::vector<NodeFacts>& nodes, const std::vector<ResourceSet>& has)
      : set_(set), by_clock_(by_clock), nodes_(nodes) {
    MUSTER_CHECK(nodes.size() <= kBits && has.size() == nodes.size());
    for (size_t n = 0; n < nodes.size(); ++n) {
      const bool hosts = std::any_of(wanted.begin(), wanted.end(), [&](const WantedChunk& chunk) {
        return chunk.resources.FitsIn(has[n]) && HasAll(nodes[n], chunk.properties);
      });
      if (hosts) hosts_ |= 1U << n;
    }
  }

  SetChoices Choose() const {
    const bool plain = !set_ || set_->IsOneSwitch();
    const std::vector<uint32_t> groups = plain ? std::vector<uint32_t>() : Groups();
    uint32_t allowed = plain ? hosts_ : 0;
    for (const uint32_t group : groups) allowed |= group;
    if (plain || set_->choice == NodeSet::Choice::kAnyOf) return {false, LevelsOf(allowed)};
    SetChoices out{.groups = true, .all = {}};
    for (const uint32_t group : groups) out.all.push_back({group, SlowestOf(group)});
    if (set_->best) AddMixtures(allowed, out.all);
    return out;
  }

 private:
  static bool HasAll(const NodeFacts& node, const std::map<std::string, std::string>& wanted) {
    return std::all_of(wanted.begin(), wanted.end(), [&](const auto& one) {
      const auto has = node.properties.find(one.first);
      return has != node.properties.end() && has->second == one.second;
    });
  }

  int64_t SpeedOf(size_t n) const { return by_clock_ ? kFullSpeed : nodes_[n].speed; }

  int64_t SlowestOf(uint32_t among) const {
    std::optional<int64_t> out;
    for (size_t n = 0; n < nodes_.size(); ++n) {
      if ((among & hosts_) >> n & 1) out = std::min(out.value_or(kMostSpeed), SpeedOf(n));
    }
    return out.value_or(kFullSpeed);
  }

  // The value of a node for the set's attribute; none: it has none.
  std::optional<std::string> ValueOf(size_t n) const {
    if (set_->attribute == kSpeedAttribute) return text::SpeedText(nodes_[n].speed);
    const auto it = nodes_[n].properties.find(set_->attribute);
    return it == nodes_[n].properties.end() ? std::nullopt : std::optional(it->second);
  }

  std::optional<int64_t> NumberOf(const std::string& value) const {
    return set_->attribute == kSpeedAttribute ? text::ParseSpeed(value) : text::NumberIn(value);
  }

  std::map<std::string, uint32_t> Values() const {
    std::map<std::string, uint32_t> out;
    for (size_t n = 0; n < nodes_.size(); ++n) {
      if (!(hosts_ >> n & 1)) continue;
      if (const auto value = ValueOf(n)) out[*value] |= 1U << n;
    }
    return out;
  }

  std::vector<uint32_t> Groups() const {
    if (set_->tolerance) return Ranges();
    std::vector<uint32_t> out;
    for (const auto& [value, nodes] : Values()) {
      const auto& named = set_->values;
      const bool is_named = std::find(named.begin(), named.end(), value) != named.end();
      if (named.empty() || is_named) out.push_back(nodes);
    }
    return out;
  }

  // Every greatest set of nodes whose values are within the tolerance of the least.
  std::vector<uint32_t> Ranges() const {
    std::map<int64_t, uint32_t> numbers;
    for (const auto& [value, nodes] : Values()) {
      const std::optional<int64_t> number = NumberOf(value);
      if (!number) return {};
      numbers[*number] |= nodes;
    }
    std::vector<uint32_t> out;
    uint32_t before = 0;
    for (const auto& [least, unused] : numbers) {
      uint32_t range = 0;
      bool named = set_->values.empty();
      for (const auto& [number, nodes] : numbers) {
        if (number < least || !Near(least, number)) continue;
        range |= nodes;
        for (const std::string& value : set_->values) named = named || NumberOf(value) == number;
      }
      const bool more = (range & ~before) != 0;
      before |= range;
      if (more && named) out.push_back(range);
    }
    return out;
  }

  bool Near(int64_t least, int64_t number) const {
    if (set_->tolerance->relative) return number * 100 <= least * (100 + set_->tolerance->most);
    const int64_t point = set_->attribute == kSpeedAttribute ? kFullSpeed / 100 : 1;
    return number - least <= set_->tolerance->most * point;
  }

  std::vector<NodeChoice> LevelsOf(uint32_t allowed) const {
    std::set<int64_t, std::greater<>> speeds;
    for (size_t n = 0; n < nodes_.size(); ++n) {
      if (allowed >> n & 1) speeds.insert(SpeedOf(n));
    }
    std::vector<NodeChoice> out;
    for (const int64_t speed : speeds) {
      out.push_back({AtLeast(allowed, speed, [&](size_t n) { return SpeedOf(n); }), speed});
    }
    return out;
  }

  // Any nodes, the slowest of which has one of the values there are. If the values are words,
  // nodes without one mix too, by speed.
  void AddMixtures(uint32_t grouped, std::vector<NodeChoice>& out) const {
    bool numbers = set_->attribute != kSpeedAttribute;
    for (const auto& [value, nodes] : Values()) numbers = numbers && NumberOf(value).has_value();
    const auto at = [&](size_t n) {
      return numbers ? NumberOf(ValueOf(n).value_or("")).value_or(kFullSpeed) : nodes_[n].speed;
    };
    const uint32_t allowed = set_->values.empty() && !numbers ? hosts_ : grouped;
    std::set<int64_t> values;
    for (size_t n = 0; n < nodes_.size(); ++n) {
      if (allowed >> n & 1) values.insert(at(n));
    }
    for (const int64_t least : values) {
      const uint32_t nodes = AtLeast(allowed, least, at);
      out.push_back({nodes, SlowestOf(nodes)});
    }
  }

  uint32_t AtLeast(uint32_t among, int64_t least, const std::function<int64_t(size_t)>& at) const {
    uint32_t out = 0;
    for (size_t n = 0; n < nodes_.size(); ++n) {
      if ((among >> n & 1) && at(n) >= least) out |= 1U << n;
    }
    return out;
  }

  const std::optional<NodeSet>& set_;
  const bool by_clock_;
  const std::vector<NodeFacts>& nodes_;
  uint32_t hosts_ = 0;  // nodes that could host a chunk set of the part
};

// The level of a part at a speed that an order has chosen: the slowest that is not below it; if all
// are, its fastest.
NodeChoice AtLevel(const std::vector<NodeChoice>& levels, int64_t speed) {
  NodeChoice out = levels.empty() ? NodeChoice{.nodes = 0} : levels.front();
  for (const NodeChoice& level : levels) {
    if (level.speed >= speed) out = level;
  }
  return out;
}

}  // namespace

std::optional<NodeSet> SetAt(const site::Options& site, const std::string& asked, bool reserved) {
  const bool mandated = site.node_set && !reserved && (asked.empty() || site.node_set_forced);
  if (mandated) return site.node_set;
  if (asked.empty() || asked == text::kAnyNodes) return std::nullopt;
  Diagnosed<NodeSet> set = text::ParseNodeSet(asked);
  MUSTER_CHECK(set.ok());
  return *std::move(set);
}

SetChoices ChoicesOf(const std::optional<NodeSet>& set, bool by_clock,
                     const std::vector<WantedChunk>& wanted, const std::vector<NodeFacts>& nodes,
                     const std::vector<ResourceSet>& has) {
  return Chooser(set, by_clock, wanted, nodes, has).Choose();
}

std::vector<std::vector<NodeChoice>> TogetherOf(const std::vector<SetChoices>& parts) {
  std::set<int64_t> levels;
  for (const SetChoices& part : parts) {
    for (const NodeChoice& level : part.all) {
      if (!part.groups) levels.insert(level.speed);
    }
  }
  if (levels.empty()) levels.insert(kFullSpeed);
  std::vector<std::vector<NodeChoice>> out;
  for (const int64_t speed : levels) {
    std::vector<std::vector<NodeChoice>> at_level{{}};
    for (const SetChoices& part : parts) {
      std::vector<std::vector<NodeChoice>> longer;
      const std::vector<NodeChoice> one =
          part.groups ? part.all : std::vector<NodeChoice>{AtLevel(part.all, speed)};
      for (const std::vector<NodeChoice>& before : at_level) {
        for (const NodeChoice& choice : one) {
          longer.push_back(before);
          longer.back().push_back(choice);
        }
      }
      at_level = std::move(longer);
    }
    out.insert(out.end(), at_level.begin(), at_level.end());
  }
  return out;
}

Span WaitOf(const std::optional<NodeSet>& set) {
  const bool waits = set && (set->best || set->choice == NodeSet::Choice::kFirstOf);
  return waits ? set->wait : Span{0};
}

}  // namespace muster::sim
