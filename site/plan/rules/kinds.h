// Groups nodes that no rule tells apart: equal in resources, properties and node rule. Judging a
// chunk by kinds costs the same whatever the number of nodes.
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
  // Does every node have some of the resource?
  bool IsEverywhere(std::string_view resource) const;

  // The most of a resource that an exclusive part can block: all that its nodes have of it. It is
  // exact if all hosts are alike and there is one kind of chunk. With a geometry it is what the
  // largest partition has that the part may get.
  int64_t MostBlocked(const plan::Part& part, std::string_view resource) const;

 private:
  std::shared_ptr<const machine::Machine> machine_;
  std::vector<Kind> kinds_;
  std::shared_ptr<const std::vector<uint32_t>> of_node_;
};

}  // namespace muster::rules
