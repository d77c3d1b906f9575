// Those who use the machine without muster, and the holds that they get in the way of. protocol.md
// section 5 (local).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "site/driver/driver.h"
#include "site/holds/hold_progress.h"

namespace muster::site {

// Stateless.
class OutsideEvents : public HoldProgress {
 public:
  using HoldProgress::HoldProgress;

  // Books what was told. A hold that has not started leaves a node on which it lacks room now, the
  // least urgent first (H14 to H16, cause `local`), and every node that is not usable any more
  // (`node_lost` or `operator`, as was told).
  void On(const driver::Outside& outside);
  void On(const driver::Sight& sight);

 private:
  std::vector<Fence> InTheWayOf(const std::vector<uint64_t>& came) const;
  void MakeWay(const std::vector<uint64_t>& came);
  std::string NameOn(const std::string& node, const std::vector<uint64_t>& came) const;
};

}  // namespace muster::site
