// What a configuration read again leaves without its place: bookings on nodes that are gone, or
// that their new conditions keep them from, or that no longer fit beside each other where a node
// has become smaller (OpenCCS Sect. 5.4). Bookings that only break a limit, a pool or a share that
// came later stay: they were promised.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schemas/hold.h"
#include "schemas/site_records.h"
#include "site/holds/policy.h"
#include "site/options.h"
#include "site/rusv/rusv.h"

namespace muster::site {

struct Displacement {
  std::string node;
  bool gone = false;  // else it is there and does not take such chunks
  std::string why;    // "g1 is gone", "g1 takes only ngpus >= 1", "n4 has lost 2gb of memory"
  std::string resource = {};  // that the node has too little of now
  bool operator==(const Displacement&) const = default;
};

// The options with what each node has less than it is known to have had. What it never had, or
// what was given up, is not lost.
Options WithLost(Options options, const std::map<std::string, schemas::SizeRecord>& sizes);

// REQUIRES that the options outlive it.
class DisplacedByReload {
 public:
  explicit DisplacedByReload(const Options& options);

  // The first place of the hold that cannot stay; none if all can.
  std::optional<Displacement> Of(const schemas::HoldRecord& hold) const;

  // The live holds that no longer fit where nodes have lost something: at each second from `now`
  // on, what has started, and then by rank, takes of what is left; whoever finds too little, and
  // would have had enough before, is named. In order of rank; what has started may be among them.
  std::vector<std::pair<Fence, Displacement>> Crowded(
      const std::map<Fence, schemas::HoldRecord>& holds, const SitePolicy& policy,
      Instant now) const;
  // The place of a part that its nodes are too small for, whoever else is there.
  // REQUIRES: there is one (NodeUse::Exists).
  Displacement TooLarge(const schemas::PartRecord& part) const;
  // "n4 has lost 2gb of memory", of every node that has.
  std::vector<std::string> Lost() const;

 private:
  std::map<std::pair<size_t, std::string>, std::vector<rusv::Slot>> TakenBy(
      const schemas::HoldRecord& hold, Instant now) const;
  static std::string LostText(const Node& node);

  const Options& options_;
  std::map<std::string_view, size_t> nodes_;  // places in Options::nodes
};

}  // namespace muster::site
