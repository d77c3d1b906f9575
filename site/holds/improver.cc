// Passes of backfilling, offers, and kept room. protocol.md sections 2 and 5; scheduling.md section
// 5 (joint moves).
#include "site/holds/improver.h"

#include <algorithm>
#include <utility>

#include "site/holds/hold_facts.h"
#include "verifier/start_notice.h"

namespace muster::site {

using schemas::HoldRecord;
using schemas::HoldState;
using verifier::Booked;

namespace {

constexpr BootSpan kWallsTake = Seconds(3);
constexpr size_t kRoomsPerTurn = 16;  // most holds for which room is kept in one turn
// Epoch of the fences that stand for kept room in the plan during a pass. No meta has this epoch.
constexpr Epoch kKept{UINT64_MAX - 2};

}  // namespace

// How long a move may have to wait for its walls, before it is told.
BootSpan Improver::Asking() const {
  return options().facts.most_walls > 0 ? kWallsTake : BootSpan{0};
}

// What a ceiling has dated stays behind its date until the ceiling has come down.
Instant Improver::Admitted(const HoldRecord& hold, Instant from) const {
  if (hold.order.inside) return from;
  const auto barred = WhyBarred(CredentialsOf(hold.order), &hold);
  return barred ? std::max(from, *barred->until) : from;
}

// The earlier starts that an offer may contain: with `at_once` only those up to kOfferAtOnce after
// now + lead, else all. An element that waits for its array is offered them too: the meta knows
// when it may start.
Interval Improver::OfferWindow(const HoldRecord& hold, bool at_once) const {
  const Instant lead_end = Moment{now().milliseconds + values().lead.milliseconds}.Ceiling();
  const Instant from =
      Admitted(hold, std::max(verifier::EarliestMove(hold.order, now()), lead_end));
  return {from, at_once ? std::min(hold.start, lead_end + kOfferAtOnce) : hold.start};
}

void Improver::OffersAgain(BootInstant at) {
  offers_again_ = std::min(offers_again_.value_or(at), at);
}

// Offers that include late starts are made less often than offers of immediate ones.
std::vector<schemas::Offer> Improver::MakeOffers() {
  std::vector<schemas::Offer> offers;
  if (movable().TakeFreed()) offers_from_ = Fence{};
  if (offers_again_ && *offers_again_ <= turn().boot) {
    offers_again_.reset();
    offers_from_ = Fence{};
  }
  if (!offers_from_) return offers;
  if (!linked() || WhyBlind()) {
    offers_from_.reset();
    return offers;
  }
  for (size_t made = 0; made < kOffersPerTurn; ++made) {
    const auto it = movable().joint().upper_bound(*offers_from_);
    if (it == movable().joint().end()) {
      offers_from_.reset();
      return offers;
    }
    offers_from_ = *it;
    const HoldRecord& hold = *ledger().Find(*it);
    OfferTimes& last = Memory(*it).offered;
    if (last.frees == movable().frees()) continue;  // nothing is new since its last offer
    if (last.any && turn().boot < *last.any + kOfferAtOnceApart) {
      OffersAgain(*last.any + kOfferAtOnceApart);
      continue;
    }
    const bool at_once = last.late && turn().boot < *last.late + kOfferApart;
    if (at_once) OffersAgain(*last.late + kOfferApart);
    const IntervalSet earlier({OfferWindow(hold, at_once)});
    if (earlier.empty()) continue;
    if (!at_once) last.frees = movable().frees();
    const IntervalSet starts = planner().OtherStarts(*it, earlier, now_floor());
    if (starts.empty()) continue;
    last.any = turn().boot;
    if (!at_once) last.late = turn().boot;
    offers.push_back({.fence = *it, .starts = starts, .plan = plan().revision()});
  }
  return offers;
}

// Co-allocated holds that may keep room, the most urgent last. None without a link, since sites
// cannot agree then. None inside a reservation, where holds outside cannot take the room. No
// element that waits for its array: the site does not know when it may start.
std::vector<Fence> Improver::MayKeepRoom() const {
  std::vector<Fence> out;
  if (!linked()) return out;
  for (const Fence& fence : movable().joint()) {
    const HoldRecord& hold = *ledger().Find(fence);
    if (Reserves(hold) || hold.order.inside || hold.order.keeps_order) continue;
    if (!kept_room_.Longer(fence, turn().boot)) continue;
    if (!IntervalSet({OfferWindow(hold, true)}).empty()) out.push_back(fence);
  }
  std::sort(out.begin(), out.end(),
            [this](const Fence& a, const Fence& b) { return PlaceOf(a) < PlaceOf(b); });
  if (out.size() > kRoomsPerTurn) out.resize(kRoomsPerTurn);
  std::reverse(out.begin(), out.end());
  return out;
}

// Removes the holds from the end of `offerable` that are more urgent than `fence`. For each that
// could start at once, books its room and adds it to `kept`.
void Improver::KeepRoomBefore(const Fence& fence, std::vector<Fence>& offerable,
                              std::vector<Fence>& kept) {
  const auto place = PlaceOf(fence);
  while (!offerable.empty() && PlaceOf(offerable.back()) < place) {
    const Fence next = offerable.back();
    offerable.pop_back();
    const HoldRecord& hold = *ledger().Find(next);
    verifier::Demand demand = DemandOf(hold.order);
    demand.allowed =
        planner().OtherStarts(next, IntervalSet({OfferWindow(hold, true)}), now_floor());
    if (demand.allowed.empty()) continue;
    const Span longer = *kept_room_.Longer(next, turn().boot);
    for (schemas::PartDemand& part : demand.parts) part.tail = part.tail + longer;
    const Fence room{kKept, kept.size()};
    const auto answer = planner().Book(room, demand, now_floor(), next);
    if (!std::holds_alternative<verifier::Booked>(answer)) continue;
    kept.push_back(room);
    kept_room_.Keep(next, turn().boot);
  }
}

// H17, for the holds that backfilling wants tried in this turn. Before a hold is tried, room is
// kept for co-allocated holds that are more urgent. If a try fails while room is kept, the room may
// be the reason, so the try is undecided (kWaits).
void Improver::Backfill() {
  if (kept_room_.LetGo(turn().boot)) movable().singles().Freed(plan().revision());
  if (!movable().singles().IsDue(turn().boot)) return;
  movable().singles().Begin(turn().boot, plan().FreeNow(now_floor()));
  std::vector<Fence> offerable = MayKeepRoom();
  std::vector<Fence> kept;
  while (const auto next = movable().singles().Next()) {
    const uint64_t before = plan().looks();
    KeepRoomBefore(next->fence, offerable, kept);
    Backfilling::Came came = TryEarlier(next->fence, next->at_once);
    if (came == Backfilling::Came::kStays && !kept.empty()) came = Backfilling::Came::kWaits;
    movable().singles().Answer(came, plan().looks() - before);
  }
  for (const Fence& fence : kept) planner().Free(fence);
  movable().singles().End(plan().revision(), !linked() || values().heartbeat > BootSpan{0});
}

Backfilling::Came Improver::TryEarlier(const Fence& fence, bool at_once) {
  using Came = Backfilling::Came;
  const HoldRecord& hold = *ledger().Find(fence);
  if (Reserves(hold)) return Came::kPassed;  // users rely on its start
  // Without a link no permit can come: an earlier start would only bring D forward.
  if (hold.state == HoldState::kCommitted && !linked()) return Came::kWaits;
  if (WhyBlind()) return Came::kWaits;
  const Moment told{now().milliseconds + Asking().milliseconds};
  // A hold that is about to be handed over keeps the walls that it has.
  const Span near = options().facts.start_ahead + Span{2 * Asking().milliseconds / 1000};
  if (Asking() > BootSpan{0} && hold.start <= now_floor() + near) return Came::kPassed;
  const Instant from = Admitted(hold, verifier::EarliestMove(hold, told));
  // Nodes freed now are clean for a start at that time.
  const Instant soon = told.Floor() + options().facts.turnover + Span{1};
  const Instant until = at_once ? std::min(soon, hold.start) : hold.start;
  if (from >= until) return Came::kPassed;
  const std::optional<Booked> booked =
      planner().RebookEarlier(fence, IntervalSet({{from, until}}), now_floor());
  if (booked.has_value()) {
    MoveEarlier(fence, *booked);
    return Came::kMoved;
  }
  // kStays also refuses similar holds, so it is not used if the hold's own terms excluded part of
  // the window.
  return at_once && (from > now_floor() || until < soon) ? Came::kPassed : Came::kStays;
}

std::optional<BootInstant> Improver::NextImprovement() const {
  if (offers_from_ || movable().freed()) return turn().boot;
  std::optional<BootInstant> next = movable().singles().NextDue();
  for (const std::optional<BootInstant>& other : {offers_again_, kept_room_.NextEnd()}) {
    if (other) next = std::min(next.value_or(*other), *other);
  }
  return next;
}

}  // namespace muster::site
