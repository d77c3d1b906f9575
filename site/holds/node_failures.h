// Lost nodes, and the time-outs by which the site declares them lost (OpenCCS Sect. 5.4, Timeouts).
#pragma once

#include <optional>
#include <string>

#include "site/holds/displaced_by_reload.h"
#include "site/holds/drains.h"

namespace muster::site {

// Stateless: the ledger records which nodes are down.
class NodeFailures : public Drains {
 public:
  using Drains::Drains;

  // Puts a lost node back into use if no part with this first node is STARTING or ENDING any more.
  void NodesBack();

 protected:
  // Declares the first node of each part lost that has been STARTING or ENDING for too long.
  void TimeOuts(const Fence& fence);
  std::optional<Moment> NextTimeOut(const schemas::HoldRecord& hold) const;
  schemas::Cause LostOf(const Displacement& displacement) const;
  // After a restart: KeepSizes records the most that each node is known to have had;
  // LeaveWhatIsLost moves holds that no longer fit.
  void KeepSizes();
  void LeaveWhatIsLost();

 private:
  void NodeLost(const std::string& node, const std::string& why);
};

}  // namespace muster::site
