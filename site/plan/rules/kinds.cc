// Groups nodes into kinds, and finds what exclusive parts can block.
#include "site/plan/rules/kinds.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "site/plan/shape.h"

namespace muster::rules {
namespace {

// Sets of the chunk that one empty node takes.
int64_t SetsOn(const machine::Node& node, const plan::Chunk& chunk) {
  int64_t sets = chunk.count;
  for (const ResourceSet::Entry& e : chunk.resources.entries()) {
    if (e.second > 0) sets = std::min(sets, node.resources.Get(e.first) / e.second);
  }
  return sets;
}

}  // namespace

Kinds::Kinds(std::shared_ptr<const machine::Machine> machine, const RuleSet& rules)
    : machine_(std::move(machine)) {
  using Key = std::tuple<ResourceSet, std::map<std::string, std::string>, uint32_t>;
  std::map<Key, uint32_t> known;
  std::vector<uint32_t> of_node;
  for (uint32_t n = 0; n < machine_->node_count(); ++n) {
    const uint32_t rule = n < rules.rule_of_node.size() ? rules.rule_of_node[n] : kNoRule;
    const machine::Node& node = machine_->node(n);
    const auto [it, is_new] = known.try_emplace({node.resources, node.properties, rule},
                                                static_cast<uint32_t>(kinds_.size()));
    if (is_new) kinds_.push_back({n, rule});
    of_node.push_back(it->second);
  }
  of_node_ = std::make_shared<const std::vector<uint32_t>>(std::move(of_node));
}

bool Kinds::IsEverywhere(std::string_view resource) const {
  return std::all_of(kinds_.begin(), kinds_.end(), [&](const Kind& kind) {
    return machine_->node(kind.first).resources.Get(resource) > 0;
  });
}

int64_t Kinds::MostBlocked(const plan::Part& part, std::string_view resource) const {
  int64_t all = 0;
  int64_t all_nodes = 0;
  int64_t most_of_all = 0;
  for (const plan::Chunk& chunk : part.chunks) {
    int64_t fewest = INT64_MAX;  // sets on one node
    int64_t most = 0;
    for (const Kind& kind : kinds_) {
      const machine::Node& node = machine_->node(kind.first);
      const int64_t sets = SetsOn(node, chunk);
      if (sets <= 0 || !machine_->HasProperties(kind.first, chunk.properties)) continue;
      fewest = std::min(fewest, sets);
      most = std::max(most, node.resources.Get(resource));
    }
    if (part.place == plan::Place::kScatter) fewest = 1;
    const int64_t nodes = fewest == INT64_MAX ? 0 : (chunk.count + fewest - 1) / fewest;
    all += std::min(plan::SaturatingProduct(nodes, most), INT64_MAX / 128);
    all_nodes += nodes;
    most_of_all = std::max(most_of_all, most);
  }
  if (part.place == plan::Place::kPack) all = most_of_all;
  if (machine_->geometry() != nullptr && all_nodes > 0) {
    const auto units = static_cast<int64_t>(machine_->geometry()->unit_count());
    const auto forms = machine_->geometry()->FormsFor(
        static_cast<uint32_t>(std::min(all_nodes, units)), machine_->waste_percent());
    if (!forms.empty()) all = plan::SaturatingProduct(forms.back().units, most_of_all);
  }
  const auto index = machine_->FindResource(resource);
  return index.has_value() ? std::min(all, machine_->Total(*index)) : 0;
}

}  // namespace muster::rules
