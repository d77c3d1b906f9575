// "Expensive" resources (OpenCCS Sect. 5.4): items of a node that are kept for parts which ask for
// one of its expensive resources. Each such keep is one more dimension of every node: what other
// parts may have of the resource. On nodes that keep some of the resource it is less than the node
// has, on others all of it. Other parts take from the resource and from this dimension. So searches
// need no rule for it, and sites that keep nothing pay nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "site/plan/order.h"
#include "site/plan/rules/rule_set.h"

namespace muster::rules {

struct Keep {
  std::string resource;
  std::vector<std::string> keep_for;
  std::string dimension;  // its name among resources; no configuration file can contain it
  bool operator==(const Keep&) const = default;
};

// The distinct keeps, in the order of the rules.
std::vector<Keep> KeepsOf(const RuleSet& rules);

// Returns `has`, the resources of node number `node`, with the dimension of every keep: what other
// parts may have of it there.
ResourceSet WithOthers(const RuleSet& rules, size_t node, const ResourceSet& has);
// Returns `resources`, the needs of one set, with the dimension of every keep whose expensive
// resources `part` does not ask for.
ResourceSet WithOthers(const std::vector<Keep>& keeps, const ResourceSet& resources,
                       const plan::Part& part);
// Applies the latter to all chunks of an order.
void TakeAsOthers(const std::vector<Keep>& keeps, plan::Order& order);

// IsOfOthers: is it the name of such a dimension, or of one of standing.h? Shown: the resources
// without these dimensions; the resource to which a dimension belongs.
bool IsOfOthers(std::string_view name);
ResourceSet Shown(const ResourceSet& resources);
std::string Shown(const std::string& resource);
// Like Shown, with each resource lowered to what other parts may have of it.
ResourceSet ShownLeast(const ResourceSet& resources);
// A text with such names made readable: "6 ncpus not kept for ngpus".
std::string ShownIn(const std::string& text);

bool AsksForOneOf(const plan::Part& part, const std::vector<std::string>& resources);

}  // namespace muster::rules
