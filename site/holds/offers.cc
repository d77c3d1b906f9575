// Earlier starts that the meta is told of (offers for several members), and the room that is kept
// for them. protocol.md sections 2 and 5; scheduling.md section 5 (joint moves).
#include <algorithm>
#include <utility>

#include "site/state.h"
#include "verifier/start_notice.h"

namespace muster::site {

using schemas::HoldRecord;

namespace {

constexpr size_t kRoomsPerTurn = 16;  // kept at most
// Fences of what is kept, in the plan for the time of a pass: no meta has this epoch.
constexpr Epoch kKept{UINT64_MAX - 2};

auto RankOf(const schemas::HoldOrder& order) { return std::pair(-order.priority, order.fence); }

}  // namespace

// Starts that come at once, or all that are earlier.
Interval Core::State::OfferWindow(const HoldRecord& hold, bool at_once) const {
  const Instant lead_end = Moment{now().milliseconds + values().lead.milliseconds}.Ceiling();
  const Instant from = std::max(verifier::EarliestMove(hold, now()), lead_end);
  return {from, at_once ? std::min(hold.start, lead_end + kOfferAtOnce) : hold.start};
}

void Core::State::OffersAgain(BootInstant at) {
  offers_again = std::min(offers_again.value_or(at), at);
}

// Parts of a co-allocation move only jointly: the meta is told what would be possible here. Of late
// starts it is told less often than of those that come at once.
void Core::State::MakeOffers() {
  if (offers_again && *offers_again <= turn.boot) {
    offers_again.reset();
    offers_from = Fence{};
  }
  if (!offers_from) return;
  if (!link.up()) {
    offers_from.reset();
    return;
  }
  for (size_t made = 0; made < kOffersPerTurn; ++made) {
    const auto it = joint.upper_bound(*offers_from);
    if (it == joint.end()) {
      offers_from.reset();
      return;
    }
    offers_from = *it;
    const HoldRecord& hold = *ledger.Find(*it);
    OfferTimes& last = live[*it].offered;
    if (last.any && turn.boot < *last.any + kOfferAtOnceApart) {
      OffersAgain(*last.any + kOfferAtOnceApart);
      continue;
    }
    const bool at_once = last.late && turn.boot < *last.late + kOfferApart;
    if (at_once) OffersAgain(*last.late + kOfferApart);
    const IntervalSet earlier({OfferWindow(hold, at_once)});
    if (earlier.empty()) continue;
    const IntervalSet starts = plan.OtherStarts(*it, earlier, now_floor());
    if (starts.empty()) continue;
    last.any = turn.boot;
    if (!at_once) last.late = turn.boot;
    Say(schemas::Offer{.fence = *it, .starts = starts, .plan = plan.revision()});
  }
}

// By rank. Nothing is agreed without a link, and inside of a reservation nobody else is.
std::vector<Fence> Core::State::MayKeepRoom() const {
  std::vector<Fence> out;
  if (!link.up()) return out;
  for (const Fence& fence : joint) {
    const HoldRecord& hold = *ledger.Find(fence);
    if (Reserves(hold) || hold.order.inside || !kept_room.Longer(fence, turn.boot)) continue;
    if (!IntervalSet({OfferWindow(hold, true)}).empty()) out.push_back(fence);
  }
  std::sort(out.begin(), out.end(), [this](const Fence& a, const Fence& b) {
    return RankOf(ledger.Find(a)->order) < RankOf(ledger.Find(b)->order);
  });
  if (out.size() > kRoomsPerTurn) out.resize(kRoomsPerTurn);
  std::reverse(out.begin(), out.end());
  return out;
}

// Takes those off the end of `offerable` that are more urgent than `fence`; for whom there is room
// at once, it is booked and listed in `kept`.
void Core::State::KeepRoomBefore(const Fence& fence, std::vector<Fence>& offerable,
                                 std::vector<Fence>& kept) {
  const auto rank = RankOf(ledger.Find(fence)->order);
  while (!offerable.empty() && RankOf(ledger.Find(offerable.back())->order) < rank) {
    const Fence next = offerable.back();
    offerable.pop_back();
    const HoldRecord& hold = *ledger.Find(next);
    verifier::Demand demand = DemandOf(hold.order);
    demand.allowed = plan.OtherStarts(next, IntervalSet({OfferWindow(hold, true)}), now_floor());
    if (demand.allowed.empty()) continue;
    const Span longer = *kept_room.Longer(next, turn.boot);
    for (schemas::PartDemand& part : demand.parts) part.tail = part.tail + longer;
    const Fence room{kKept, kept.size()};
    const auto answer = plan.Book(room, demand, now_floor(), next);
    if (!std::holds_alternative<verifier::Booked>(answer)) continue;
    kept.push_back(room);
    kept_room.Keep(next, turn.boot);
  }
}

}  // namespace muster::site
