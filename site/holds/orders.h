// The meta's orders on holds, through the table of protocol.md section 3.1: creating orders,
// prepare, commit, permit, release.
#pragma once

#include <optional>

#include "site/holds/driver_events.h"

namespace muster::site {

// No state of its own.
class Orders : public DriverEvents {
 public:
  using DriverEvents::DriverEvents;

  // Carries an order out; what has to be answered, if anything: a change is told by the feed.
  // Orders name a target: whatever is already there is answered with the present state (H20).
  std::optional<schemas::Answer> Take(const schemas::HoldOrder& order);
  std::optional<schemas::Answer> Take(const schemas::PrepareOrder& order);
  std::optional<schemas::Answer> Take(const schemas::CommitOrder& order);
  std::optional<schemas::Answer> Take(const schemas::PermitOrder& order);
  std::optional<schemas::Answer> Take(const schemas::ReleaseOrder& order);

 protected:
  // Books and records, in no state yet; a refusal leaves nothing behind.
  std::optional<schemas::VerdictEntry> BookNew(const schemas::HoldOrder& order);

 private:
  std::optional<schemas::VerdictEntry> OverCap(const schemas::HoldOrder& order, bool there) const;
  std::optional<schemas::VerdictEntry> KeepHeld(const schemas::HoldOrder& order);
  void GiveBackTail(const Fence& fence);
  std::optional<schemas::Answer> Tombstone(const schemas::ReleaseOrder& order);
  const schemas::HoldRecord* Replaced(const schemas::HoldOrder& order) const;
  bool ReplacedHasStarted(const schemas::HoldRecord& hold) const;
  void CloseReplaced(const Fence& fence);
  schemas::Answer Present(const Fence& fence, const verifier::HoldStep& step);
};

}  // namespace muster::site
