// Lends idle room to jobs with a contract, keeps loans that have room to their end, and takes
// others back when somebody is due on their nodes. Lent room is found by need: the *now* pass of
// backfilling.h over those who may be lent, after that of those who may move for good.
// protocol.md section 3.3, scheduling.md section 18; Maui Sect. IV.
#pragma once

#include <optional>
#include <string>

#include "site/holds/improver.h"

namespace muster::site {

class Lending : public Improver {
 public:
  using Improver::Improver;

  // Looks at the loans: keeps those that have room (L2), books others for longer, recalls those
  // whose own start is near (L3) or whose nodes others need (L4). Every kLoanLook, and whenever
  // something was freed.
  void LookAtLoans();
  // Lends room (L1), within the budget of a turn.
  void LendRoom();
  // When one of these has something to do next.
  std::optional<BootInstant> NextOfLoans() const;

 private:
  void LookAt(const Fence& fence);
  bool HasRoomToEnd(const Fence& fence) const;
  bool OnUsableNodes(const schemas::Loan& loan) const;
  std::string DueAfter(const Fence& fence, Instant at) const;
  Backfilling::Came TryLend(const Fence& fence);
  Instant LooksAgain(const Fence& fence) const;

  // The last look at all loans: when, and what Movable::frees was then.
  struct Look {
    uint64_t frees = 0;
    Moment at;
  };
  Look looked_;
  uint64_t lent_frees_ = 0;            // Movable::frees when room was last looked for
  std::optional<Moment> lends_again_;  // nodes freed since the last pass are clean by then
};

}  // namespace muster::site
