// Finds bookings that cannot keep their place after a configuration reload: their node is gone, its
// new conditions exclude them, or it has become too small for all of its bookings (OpenCCS Sect.
// 5.4). Bookings that only exceed a limit, a pool or a share that was added later stay: they were
// promised.
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
  bool gone = false;  // false: the node exists but cannot take the chunk
  std::string why;    // "g1 is gone", "g1 takes only ngpus >= 1", "n4 has lost 2gb of memory"
  std::string resource = {};  // the resource that the node lacks now
  bool operator==(const Displacement&) const = default;
};

// `options` with Node::lost filled in: what each node has less than it is known to have had. A
// resource that a node never had, or that was given up, is not lost.
Options WithLost(Options options, const std::map<std::string, schemas::SizeRecord>& sizes);

// REQUIRES: the options outlive the object.
class DisplacedByReload {
 public:
  explicit DisplacedByReload(const Options& options);

  // The first place of the hold that cannot stay; none if all can.
  std::optional<Displacement> Of(const schemas::HoldRecord& hold) const;

  // Live holds outside of reservations that no longer fit on nodes that have lost resources. The
  // remaining resources are allotted from `now` on, first to holds that have started, then by rank.
  // A hold is returned if it finds too little and would have had enough before the loss. Sorted by
  // allotment order; started holds may be among them.
  std::vector<std::pair<Fence, Displacement>> Crowded(
      const std::map<Fence, schemas::HoldRecord>& holds, const SitePolicy& policy,
      Instant now) const;
  // A node of the part that is gone, or too small for the part even without other parts. REQUIRES:
  // there is one (NodeUse::Exists is false).
  Displacement TooLarge(const schemas::PartRecord& part) const;
  // "n4 has lost 2gb of memory", one line for each node that has lost something.
  std::vector<std::string> Lost() const;

 private:
  std::map<std::pair<size_t, std::string>, std::vector<rusv::Slot>> TakenBy(
      const schemas::HoldRecord& hold, Instant now) const;
  static std::string LostText(const Node& node);

  const Options& options_;
  std::map<std::string_view, size_t> nodes_;  // places in Options::nodes
};

}  // namespace muster::site
