// Room that is lent: a part with a contract may run before its own start on nodes that are idle,
// and keeps its own booking meanwhile. A loan is a second booking, under a fence of its own, as far
// as its nodes cannot be taken back; so nobody is planned onto them sooner than they can be had.
// protocol.md section 3.3 (rows L1 to L10), scheduling.md section 18; Maui Sect. IV.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "site/driver/driver.h"
#include "site/holds/walls.h"
#include "verifier/loan_table.h"

namespace muster::site {

// Invariants: a part with a loan has no processes but those of the loan; its loan is booked in the
// plan under RoomOf of its hold, and nothing else is booked under these fences. While a loan is
// paused, and when it is ended from there, that booking and its use of the nodes are without its
// cores.
class Loans : public Walls {
 public:
  using Walls::Walls;

  // The fence under which the lent room of a hold is booked: the loan's, or its own if all its room
  // is lent. REQUIRES: CanBeRecalled(hold).
  Fence RoomOf(const Fence& fence) const;
  // The hold to which this booking lends room; null: it is no loan's.
  const schemas::HoldRecord* LentTo(const Fence& room) const;

 protected:
  // Whether a loan that is recalled now is not killed before it has had room for `min_run`.
  bool ProtectionIsOver(const schemas::HoldRecord& hold) const;

  const std::map<Fence, Fence>& rooms() const { return rooms_; }
  // Whether its loan is of room that is kept for others, who are to have it within its grace: then
  // it is not kept (L2).
  bool IsKeptForOthers(const Fence& fence) const { return kept_for_others_.contains(fence); }

  // L1, if the plan has room from now on. False: it has none, or nodes are not clean; nothing has
  // changed. REQUIRES: MayBeLent(hold), and the hold has no loan.
  bool Lend(const Fence& fence);
  // L2: it runs for good from when it began. REQUIRES: the plan has room for that; the loan runs.
  void Keep(const Fence& fence);
  // The end of the loan's part if it is kept.
  Instant EndIfKept(const schemas::HoldRecord& hold) const;
  // L3, L4: `job` is due there; empty: none is known. No effect on one that is protected, or told
  // to end. A hold with only lent room is told to end in the same way.
  void Recall(const Fence& fence, verifier::LoanEvent event, std::string job);
  // Whether it may be taken off its cores (L9): its contract is to suspend it, it runs past its
  // protection, and its site can lend these cores to others.
  bool MayBePaused(const schemas::HoldRecord& hold) const;
  // L9: `job` is due on its cores; empty: none is known. `without`: the plan in which its room is
  // booked without them (BookWithoutCores). REQUIRES: MayBePaused.
  void PauseLoan(const Fence& fence, std::string job, SitePlanner without);
  // L10: the plan has room for all of it to `end`. False: what runs there is not gone; nothing has
  // changed. REQUIRES: the loan is paused.
  bool ResumeLoan(const Fence& fence, Instant end);
  // Books its room from now to `end`, in place of what is booked for it: all of it, or without its
  // cores. An end that is not after now leaves a booking that is over.
  void BookWhole(SitePlanner& where, const Fence& fence, Instant end) const;
  void BookWithoutCores(SitePlanner& where, const Fence& fence, Instant end) const;
  // Repeats to the driver, after a restart, whether it is paused.
  void TellPauseAgain(const Fence& fence);
  // L7: its hold is released or dropped.
  void ReleaseLoan(const Fence& fence);
  // Books the loan's room for longer. REQUIRES: `end` is not before its present end.
  void Roll(const Fence& fence, Instant end);
  // The driver said that it runs: kStarted, kFoundRunning.
  void LoanBegan(const Fence& fence, verifier::LoanEvent event, Moment at);
  // Its processes are gone, or never were. True: the part has ended by itself and runs in its
  // record as if it had been kept, so the caller ends it as any other.
  bool LoanGone(const Fence& fence, verifier::LoanEvent event, const driver::PartEnded& end);
  // A part with only lent room has ended because it was recalled: what is lost of its life, and
  // what is saved.
  void EndRecalled(schemas::HoldRecord& hold, const driver::PartEnded& end);
  // After a restart: books what is lent. The end of each loan is as far as it cannot be taken back.
  void RebuildLoans();

 private:
  schemas::PartRecord& PartOfLoan(const Fence& fence);
  void SetLoan(const Fence& fence, schemas::LoanState state);
  void ReportLoan(const Fence& fence);
  bool LendsWhatItKeeps() const;
  void BookRoom(SitePlanner& where, const Fence& fence, Interval when, bool cores) const;
  Span LentRunTime(const schemas::HoldRecord& hold) const;
  // How long it may stay on its lent room from `begin` on.
  Span StaysFrom(const schemas::HoldRecord& hold, Instant begin) const;
  void RecallOnlyLent(const Fence& fence, std::string job);
  void ForgetLoan(const Fence& fence);

  std::map<Fence, Fence> rooms_;  // hold to the fence of its loan's booking
  uint64_t next_room_ = 0;
  std::set<Fence> kept_for_others_;
};

}  // namespace muster::site
