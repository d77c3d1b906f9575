// The meta's orders on holds, through the table of protocol.md section 3.1: creating orders,
// prepare, commit, permit, release.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "site/holds/driver_events.h"

namespace muster::site {

// Invariant: what is asked for is in the plan under its fence, and its walls are wanted; it is not
// on record.
class Orders : public DriverEvents {
 public:
  using DriverEvents::DriverEvents;
  using DriverEvents::On;

  // A2, A3, A6, A7: what the driver says of walls.
  void On(const driver::WallStands& event);
  void On(const driver::WallRefused& event);
  void On(const driver::WallLost& event);
  // A5: gives up what was asked for too long ago.
  void GiveUpAsked();
  std::optional<BootInstant> NextOfAsked() const;
  // Answers to orders of earlier turns, which were asked.
  std::vector<schemas::Answer> TakeAnswers() { return std::exchange(answers_, {}); }

  // Carries an order out. Returns an answer only if the feed reports no change. Orders name a
  // target: if the hold is already there or further, the answer is its present state (H20).
  std::optional<schemas::Answer> Take(const schemas::HoldOrder& order);
  std::optional<schemas::Answer> Take(const schemas::PrepareOrder& order);
  std::optional<schemas::Answer> Take(const schemas::CommitOrder& order);
  std::optional<schemas::Answer> Take(const schemas::PermitOrder& order);
  std::optional<schemas::Answer> Take(const schemas::ReleaseOrder& order);

 protected:
  // Books and records a hold, with no state yet; a refusal leaves nothing behind. A place that
  // needs walls is asked for instead (A1): nothing is recorded, IsAsked is true, and the refusal
  // says so. The next call for this order takes what was asked for, once it stands, or is refused
  // as it was. `barred`: why it may not start yet, and until when, by a ceiling.
  std::optional<schemas::VerdictEntry> BookNew(const schemas::HoldOrder& order,
                                               const std::optional<schemas::Reason>& barred);
  // The fence under which a request of the site's own users has asked; its number is of no other.
  std::optional<Fence> AskedAs(RequestId request) const;
  // Whether the answer is still out.
  bool IsAsked(const Fence& fence) const;
  // Forgets what is asked for, or was answered and not taken.
  void Unask(const Fence& fence);
  std::vector<Fence> AskedFor() const;
  std::optional<schemas::Reason> WhyDated(const schemas::HoldOrder& order) const;

 private:
  struct Planned {
    verifier::Booked booked;
    std::optional<Fence> beside;  // the hold that it would replace
    std::vector<schemas::PartRecord> parts;
    std::optional<Instant> dated;
  };
  struct Asked {
    schemas::HoldOrder order;
    Planned planned;
    BootInstant since;
    int tries = 1;
    std::optional<schemas::VerdictEntry> refusal;
    bool out = true;  // the answer is still out
  };
  static verifier::HoldEvent EventOf(schemas::HoldState stage);
  std::variant<Planned, schemas::VerdictEntry> PlanNew(
      const schemas::HoldOrder& order, const std::optional<schemas::Reason>& barred);
  void Record(const schemas::HoldOrder& order, Planned planned);
  // A1; a refusal if there are too many walls. None: nothing is to be asked.
  std::optional<schemas::VerdictEntry> Ask(const schemas::HoldOrder& order, Planned& planned);
  std::optional<schemas::VerdictEntry> TakeAsked(const schemas::HoldOrder& order);
  void GrantAsked(const Fence& fence);
  // What a hold does whose wall was refused.
  void LeaveRefused(const Fence& fence, const driver::WallRefused& event);
  void RefuseAsked(const Fence& fence, const std::string& why, bool again);
  void AnswerAsked(const schemas::HoldOrder& order, schemas::VerdictEntry refusal);
  void FreePlanned(const Fence& fence, const Planned& planned);
  // The last of a creating order: its state and what belongs to it.
  void Enter(const schemas::HoldOrder& order, const verifier::HoldStep& step);
  std::optional<schemas::VerdictEntry> OverCap(const schemas::HoldOrder& order, bool there) const;
  std::optional<schemas::VerdictEntry> KeepHeld(const schemas::HoldOrder& order);
  void GiveBackTail(const Fence& fence);
  std::optional<schemas::Answer> Tombstone(const schemas::ReleaseOrder& order);
  const schemas::HoldRecord* Replaced(const schemas::HoldOrder& order) const;
  bool ReplacedHasStarted(const schemas::HoldRecord& hold) const;
  void CloseReplaced(const Fence& fence);
  schemas::Answer Present(const Fence& fence, const verifier::HoldStep& step);

  std::map<Fence, Asked> asked_;
  std::vector<schemas::Answer> answers_;
};

}  // namespace muster::site
