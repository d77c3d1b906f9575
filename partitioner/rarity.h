// Rates resources that only few nodes of a federation have, so that jobs that do not need them stay
// off such nodes when they can start as soon elsewhere. CCS Sect. 5 (the partitioner finds the
// right machines), scheduling.md section 1 (R5, spoils).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "schemas/request.h"
#include "schemas/site_link.h"

namespace muster::partitioner {

class Rarity {
 public:
  // Sets the node classes of a site, replacing earlier ones.
  void Set(const std::string& site, const std::vector<schemas::NodeClass>& classes);

  // How much rare capacity a part would occupy without asking for it. For each resource or property
  // that the part does not ask for and that fewer than half of the federation's nodes have: the
  // share of the federation's total on the nodes that the part would take there. The sum is in
  // millionths. Assumes that nodes with the least rare capacity are taken first, so the sum is 0 if
  // there are enough plain nodes.
  int64_t SpoilsOf(const std::string& site, const schemas::PartSpec& part) const;

 private:
  using Things = std::map<std::string, int64_t>;  // resources; properties as "name=value", 1 each
  // Per node class: the rare things that one node of it has.
  using Shares = std::vector<Things>;

  static Things ThingsOf(const schemas::NodeClass& node);
  Things Totals() const;

  std::map<std::string, std::vector<schemas::NodeClass>> sites_;
  std::map<std::string, Shares> rare_;  // only sites that have something rare
};

}  // namespace muster::partitioner
