// Words of the site itself, and those of its driver.
#include "site/planning/capabilities.h"

#include <algorithm>

#include "policy/balance.h"
#include "schemas/lent_words.h"
#include "schemas/site_link.h"

namespace muster::site {

std::vector<std::string> CapabilitiesOf(const Options& options) {
  std::vector<std::string> out;
  if (options.extend_percent > 0) out.emplace_back("extend");
  if (!options.rules.jobwide.empty()) out.emplace_back("jobwide");
  if (!options.lends_to.empty()) out.emplace_back(schemas::kLends);
  if (options.lends_beyond) out.push_back(policy::LendsBeyond(*options.lends_beyond));
  if (options.priority) out.emplace_back(schemas::kOrdersByPoints);
  if (options.units.geometry != nullptr) out.emplace_back("partitions");
  if (!options.lends_to.empty() && !RecallsForAll(options)) {
    out.emplace_back(schemas::kRecallsForSome);
  }
  const policy::Factor global = policy::Factor::kFsGlobal;
  if (options.priority && options.priority->WeightOf(global) != 0) {
    out.emplace_back(schemas::kWeighsShares);
  }
  if (!options.switches.empty()) out.emplace_back("switches");
  if (!options.users.empty()) out.emplace_back("users");
  out.insert(out.end(), options.facts.capabilities.begin(), options.facts.capabilities.end());
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

bool RecallsForAll(const Options& options) {
  return CoversOneOf(options.rules.recalled_for, {});  // nobody in particular: only "*" covers that
}

}  // namespace muster::site
