// Nodes that no rule tells apart: alike in resources, properties and their own rule. Judging a
// chunk on kinds costs the same whatever the number of nodes.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "site/machine/machine.h"
#include "site/plan/order.h"
#include "site/plan/rules/rule_set.h"

namespace muster::rules {

inline constexpr uint32_t kNoRule = UINT32_MAX;

struct Kind {
  uint32_t first = 0;  // its first node
  uint32_t rule = kNoRule;
};

class Kinds {
 public:
  Kinds(std::shared_ptr<const machine::Machine> machine, const RuleSet& rules);

  const std::vector<Kind>& all() const { return kinds_; }
  const std::shared_ptr<const std::vector<uint32_t>>& of_node() const { return of_node_; }
  // Every node has some of it.
  bool IsEverywhere(std::string_view resource) const;

  // The most of a resource that an exclusive part can block: of every node that it may be on all
  // there is. Exact where all hosts are alike and there is one kind of chunk; with a geometry, of
  // the largest partition that it may get.
  int64_t MostBlocked(const plan::Part& part, std::string_view resource) const;

 private:
  std::shared_ptr<const machine::Machine> machine_;
  std::vector<Kind> kinds_;
  std::shared_ptr<const std::vector<uint32_t>> of_node_;
};

}  // namespace muster::rules
