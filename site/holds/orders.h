// The meta's orders on holds, through the table of protocol.md section 3.1: creating orders,
// prepare, commit, permit, release.
#pragma once

#include <optional>

#include "site/holds/driver_events.h"

namespace muster::site {

// Stateless.
class Orders : public DriverEvents {
 public:
  using DriverEvents::DriverEvents;

  // Carries an order out. Returns an answer only if the feed reports no change. Orders name a
  // target: if the hold is already there or further, the answer is its present state (H20).
  std::optional<schemas::Answer> Take(const schemas::HoldOrder& order);
  std::optional<schemas::Answer> Take(const schemas::PrepareOrder& order);
  std::optional<schemas::Answer> Take(const schemas::CommitOrder& order);
  std::optional<schemas::Answer> Take(const schemas::PermitOrder& order);
  std::optional<schemas::Answer> Take(const schemas::ReleaseOrder& order);

 protected:
  // Books and records a hold, with no state yet; a refusal leaves nothing behind.
  // `barred`: why it may not start yet, and until when, by a ceiling.
  std::optional<schemas::VerdictEntry> BookNew(const schemas::HoldOrder& order,
                                               const std::optional<schemas::Reason>& barred);
  std::optional<schemas::Reason> WhyDated(const schemas::HoldOrder& order) const;

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
