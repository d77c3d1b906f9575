// What only few nodes of a federation have, so that plain work is kept off it where it starts as
// soon elsewhere. CCS Sect. 5 (the partitioner finds the right machines), scheduling.md section 1
// (R5, spoils).
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
  // What the nodes of a site have; replaces what it had.
  void Set(const std::string& site, const std::vector<schemas::NodeClass>& classes);

  // Of all resources and properties that the part does not ask for and that fewer than half of the
  // federation's nodes have: the share of the federation's total on the nodes that the part would
  // take there, in millionths, summed. Nodes with the least of it are taken first: 0 where there
  // are enough plain ones.
  int64_t SpoilsOf(const std::string& site, const schemas::PartSpec& part) const;

 private:
  using Things = std::map<std::string, int64_t>;  // resources; properties as "name=value", 1 each
  // What a node of each class has of all that is rare.
  using Shares = std::vector<Things>;

  static Things ThingsOf(const schemas::NodeClass& node);
  Things Totals() const;

  std::map<std::string, std::vector<schemas::NodeClass>> sites_;
  std::map<std::string, Shares> rare_;  // of sites that have something rare
};

}  // namespace muster::partitioner
