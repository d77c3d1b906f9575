// Amounts of one per set, so that any number of sets fits where nothing is reserved.
#include "site/plan/rules/standing.h"

#include <algorithm>

namespace muster::rules {

std::string DimensionOf(const Standing& standing) { return "nodes\n" + standing.name; }

bool MayUse(const Standing& standing, const plan::Consumer& who) {
  return std::any_of(standing.allow.begin(), standing.allow.end(), [&who](const std::string& name) {
    if (name == kEvery || name == who.user) return true;
    return std::any_of(who.groups.begin(), who.groups.end(),
                       [&name](const std::string& group) { return name == "@" + group; });
  });
}

ResourceSet WithUnreserved(const RuleSet& rules, const ResourceSet& has) {
  ResourceSet out = has;
  for (const Standing& standing : rules.standing) out.Set(DimensionOf(standing), kUnreserved);
  return out;
}

void TakeUnreserved(const RuleSet& rules, plan::Order& order) {
  for (const Standing& standing : rules.standing) {
    if (MayUse(standing, order.who)) continue;
    for (plan::Part& part : order.parts) {
      for (plan::Chunk& chunk : part.chunks) chunk.resources.Set(DimensionOf(standing), 1);
    }
  }
}

}  // namespace muster::rules
