// Lends idle room to jobs with a contract, keeps loans that have room to their end, and takes
// others back when somebody is due on their nodes. Lent room is found by need: the *now* pass of
// backfilling.h over those who may be lent, after that of those who may move for good. Whoever is
// to be suspended is paused where that is enough (L9), and goes on when it has room again (L10).
// protocol.md section 3.3, scheduling.md section 18; Maui Sect. IV.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "site/holds/improver.h"

namespace muster::site {

class Lending : public Improver {
 public:
  using Improver::Improver;

  // Before anything is planned in a turn: books what is lent as far as it cannot be taken back now,
  // and recalls nobody. In a turn that plans nothing it may be booked for less, since nobody looks.
  void RollLoans();
  // Looks at the loans: keeps those that have room (L2), books others for longer, recalls those
  // whose own start is near (L3) or whose nodes others need (L4). When one of these is due, and
  // kLoanLook after something was freed. Holds with only lent room are booked for longer and
  // recalled like loans.
  void LookAtLoans();
  // Once nothing is planned any more in a turn: when each must be looked at.
  void NoteWhenDue();
  // Lends room (L1), within the budget of a turn.
  void LendRoom();
  // When one of these has something to do next.
  std::optional<BootInstant> NextOfLoans() const;

 private:
  std::vector<Fence> OnLentRoom() const;
  void RollOn(const Fence& fence);
  Instant NeededUntil(const Fence& fence) const;
  void LookAt(const Fence& fence);
  void BookUntilGone(const Fence& fence);
  void LookAtPaused(const Fence& fence);
  void LetGoOn();
  bool GoesOn(const Fence& fence);
  std::optional<Instant> OthersMakeRoom(const Fence& fence, Instant until);
  bool TryPause(const Fence& fence, Instant until, const std::string& job);
  bool OwnStartIsHere(const schemas::HoldRecord& hold) const;
  bool HasRoomToEnd(const Fence& fence) const;
  bool OnUsableNodes(const schemas::PartPlace& place) const;
  std::string DueAfter(const Fence& fence, Instant at) const;
  Backfilling::Came TryLend(const Fence& fence);
  Instant LooksAgain(const Fence& fence) const;
  Instant DueAt(const Fence& fence) const;
  bool IsDue() const;

  // The last look at all loans: when, and what Movable::frees was then.
  struct Look {
    uint64_t frees = 0;
    Moment at;
  };
  Look looked_;
  // When each life on lent room must be looked at, by the plan of this revision: somebody is due on
  // its nodes, or its own start is near.
  std::map<Fence, Instant> due_;
  PlanRevision due_by_;
  uint64_t due_of_ = 0;         // lives_changed() then
  uint64_t gone_on_frees_ = 0;  // Movable::frees when those who are paused were last looked at
  uint64_t lent_frees_ = 0;     // Movable::frees when room was last looked for
  // When room is looked for again without anything freed; set while a pass goes on.
  std::optional<Moment> lends_again_;
};

}  // namespace muster::site
