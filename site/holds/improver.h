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
inline constexpr BootSpan kOfferApart = Seconds(10);       // between offers, protocol.md section 2
inline constexpr BootSpan kOfferAtOnceApart = Seconds(1);  // for starts within kOfferAtOnce
inline constexpr Span kOfferAtOnce{60};                    // after now + lead

// Invariant: between two turns the plan has no kept room booked.
class Improver : public Orders {
 public:
  using Orders::Orders;

  // Runs the passes of backfilling that are due, within the budget of a turn.
  void Backfill();
  // Earlier starts that co-allocated holds could have here. Such holds move only jointly with other
  // sites; a turn looks at a few of them.
  std::vector<schemas::Offer> MakeOffers();
  // When either has something to do next: in this turn if a round of offers is unfinished.
  std::optional<BootInstant> NextImprovement() const;

 private:
  Backfilling::Came TryEarlier(const Fence& fence, bool at_once);
  Interval OfferWindow(const schemas::HoldRecord& hold, bool at_once) const;
  void OffersAgain(BootInstant at);
  std::vector<Fence> MayKeepRoom() const;
  void KeepRoomBefore(const Fence& fence, std::vector<Fence>& offerable, std::vector<Fence>& kept);

  KeptRoom kept_room_;                // for co-allocated holds, withheld from less urgent ones
  std::optional<Fence> offers_from_;  // a round of offers continues behind this hold
  std::optional<BootInstant> offers_again_;  // next round, for a hold with a recent offer
};

}  // namespace muster::site
