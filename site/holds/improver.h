// Moves holds to earlier starts. The site moves single-site holds alone where the plan has room
// (H17). For co-allocated holds it sends offers to the meta and keeps room for a moment.
// protocol.md sections 2 and 5; scheduling.md section 5.
#pragma once

#include <optional>
#include <vector>

#include "site/holds/kept_room.h"
#include "site/holds/orders.h"

namespace muster::site {

inline constexpr size_t kOffersPerTurn = 16;
// The least time between two offers for one hold (protocol.md section 2): kOfferApart if both
// include late starts, kOfferAtOnceApart in any case.
inline constexpr BootSpan kOfferApart = Seconds(10);
inline constexpr BootSpan kOfferAtOnceApart = Seconds(1);
// A start up to this long after now + lead is not late.
inline constexpr Span kOfferAtOnce{60};

// Invariant: between two turns the plan has no kept room booked.
class Improver : public Orders {
 public:
  using Orders::Orders;

  // Runs the passes of backfilling that are due, within the budget of a turn.
  void Backfill();
  // Earlier starts that co-allocated holds could have here. Such holds move only jointly with other
  // sites; a turn looks at a few of them.
  std::vector<schemas::Offer> MakeOffers();
  // When Backfill or MakeOffers has something to do next: at once if a round of offers is
  // unfinished.
  std::optional<BootInstant> NextImprovement() const;

 protected:
  // `from`, or the date that a ceiling has given the hold.
  BootSpan Asking() const;
  Instant Admitted(const schemas::HoldRecord& hold, Instant from) const;

 private:
  Backfilling::Came TryEarlier(const Fence& fence, bool at_once);
  Interval OfferWindow(const schemas::HoldRecord& hold, bool at_once) const;
  void OffersAgain(BootInstant at);
  std::vector<Fence> MayKeepRoom() const;
  void KeepRoomBefore(const Fence& fence, std::vector<Fence>& offerable, std::vector<Fence>& kept);

  KeptRoom kept_room_;                // for co-allocated holds, withheld from less urgent ones
  std::optional<Fence> offers_from_;  // a round of offers continues behind this hold
  std::optional<BootInstant> offers_again_;  // the next round, if a hold had an offer too recently
};

}  // namespace muster::site
