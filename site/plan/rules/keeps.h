// "Expensive" resources (OpenCCS Sect. 5.4): items of a node that only those who ask for its
// expensive resource may take. Each is one more dimension of every node, what others may have of
// it: where something is kept less than there is, elsewhere all. Whoever asks for none of the
// expensive resources takes of both. So no search needs a rule for it, and sites that keep nothing
// pay nothing.
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
  std::string dimension;  // its name among resources, which no file can write
  bool operator==(const Keep&) const = default;
};

// The distinct ones, in the order of the rules.
std::vector<Keep> KeepsOf(const RuleSet& rules);

// What the node at this place has, with what others may have of it.
ResourceSet WithOthers(const RuleSet& rules, size_t node, const ResourceSet& has);
// What sets of these resources take, as part of one that asks for the expensive resource or not.
ResourceSet WithOthers(const std::vector<Keep>& keeps, const ResourceSet& resources,
                       const plan::Part& part);
// The same for all chunks of an order.
void TakeAsOthers(const std::vector<Keep>& keeps, plan::Order& order);

// Names as people know them: resources without those dimensions; the resource of a dimension.
bool IsOfOthers(std::string_view name);
ResourceSet Shown(const ResourceSet& resources);
std::string Shown(const std::string& resource);
// Of what may be asked for: of each resource no more than others may have of it.
ResourceSet ShownLeast(const ResourceSet& resources);
// A text in which such names may stand: "6 ncpus not kept for ngpus".
std::string ShownIn(const std::string& text);

bool AsksForOneOf(const plan::Part& part, const std::vector<std::string>& resources);

}  // namespace muster::rules
