// What starts earlier than it was told: by the site alone where the plan has room (H17), jointly by
// offers to the meta, for which room is kept a moment. protocol.md sections 2 and 5; scheduling.md
// section 5.
#pragma once

#include <optional>
#include <vector>

#include "site/holds/kept_room.h"
#include "site/holds/orders.h"

namespace muster::site {

inline constexpr size_t kOffersPerTurn = 16;
inline constexpr BootSpan kOfferApart = Seconds(10);       // per hold, protocol.md section 2
inline constexpr BootSpan kOfferAtOnceApart = Seconds(1);  // of starts within kOfferAtOnce
inline constexpr Span kOfferAtOnce{60};                    // behind the lead

// Invariant: between two turns no kept room is in the plan.
class Improver : public Orders {
 public:
  using Orders::Orders;

  // A pass of backfilling, if one is due, as far as this turn goes.
  void Backfill();
  // Parts of a co-allocation move only jointly: what would be possible here, a few holds a turn.
  std::vector<schemas::Offer> MakeOffers();
  // When either has something to do; `at_once` if an unfinished round of offers goes on.
  std::optional<BootInstant> NextImprovement() const;

 private:
  Backfilling::Came TryEarlier(const Fence& fence, bool at_once);
  Interval OfferWindow(const schemas::HoldRecord& hold, bool at_once) const;
  void OffersAgain(BootInstant at);
  std::vector<Fence> MayKeepRoom() const;
  void KeepRoomBefore(const Fence& fence, std::vector<Fence>& offerable, std::vector<Fence>& kept);

  KeptRoom kept_room_;                       // of holds of several members, from the less urgent
  std::optional<Fence> offers_from_;         // a round of offers goes on behind it
  std::optional<BootInstant> offers_again_;  // one was passed over, as it had an offer just before
};

}  // namespace muster::site
