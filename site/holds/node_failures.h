// Nodes that are lost, and the time-outs that lose them (OpenCCS Sect. 5.4, Timeouts).
#pragma once

#include <optional>
#include <string>

#include "site/holds/displaced_by_reload.h"
#include "site/holds/drains.h"

namespace muster::site {

// No state of its own: which nodes are down is on record.
class NodeFailures : public Drains {
 public:
  using Drains::Drains;

  // Nodes on which no part is in doubt any more are back.
  void NodesBack();

 protected:
  // Parts of the hold that have been starting or ending for too long lose their node.
  void TimeOuts(const Fence& fence);
  std::optional<Moment> NextTimeOut(const schemas::HoldRecord& hold) const;
  schemas::Cause LostOf(const Displacement& displacement) const;
  // After a restart: the most that each node is known to have had, and what no longer fits there.
  void KeepSizes();
  void LeaveWhatIsLost();

 private:
  void NodeLost(const std::string& node, const std::string& why);
};

}  // namespace muster::site
