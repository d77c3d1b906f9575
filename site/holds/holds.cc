// See holds.h.
#include "site/holds/holds.h"

#include <algorithm>
#include <utility>

#include "site/holds/hold_facts.h"
#include "site/planning/environment.h"
#include "verifier/deadline.h"

namespace muster::site {

using schemas::HoldRecord;
using schemas::HoldState;
using schemas::PartRecord;
using schemas::Steered;

namespace {

constexpr size_t kCollectedPerTurn = 1000;  // closed holds deleted per turn: bounds a batch

constexpr char kOperator[] = "operator:";

Steered NotDone(std::string text) { return {.done = false, .text = std::move(text)}; }

}  // namespace

Holds::Holds(Options told, verifier::Ledger ledger, Now now)
    : Lending(std::move(told), std::move(ledger), now) {
  Rebuild();
}

// Books in fence order, so that a rebuilt plan does not depend on the order of past events.
void Holds::Rebuild() {
  for (const auto& [name, record] : ledger().drained()) {
    planner().SetUsable(name, false);
    if (record.for_good) planner().SetGone(name, true);
  }
  const auto restore = [this](bool inside) {
    for (const auto& [fence, hold] : ledger().holds()) {
      if (!IsLive(hold) || hold.order.inside.has_value() != inside) continue;
      Memory(fence);
      RestoreBooking(hold);
      if (Reserves(hold)) OpenSystem(fence);
    }
  };
  restore(false);
  restore(true);  // holds inside a reservation are booked in it
  RebuildParts();
  RebuildLoans();
}

// In this order: ask the driver about tokens; arm leases and deadlines of another boot anew; close
// holds whose time is over (H8, H11, H18); move holds that no longer fit on nodes that have lost
// resources; look at every hold, and move those whose nodes are gone or no longer take them.
void Holds::AfterRestart() {
  FindTokens();
  TellAllWalls();
  std::vector<Fence> fences;
  for (const auto& [fence, _] : live()) fences.push_back(fence);
  const DisplacedByReload displaced(options());
  for (const Fence& fence : fences) {
    const HoldRecord& hold = *ledger().Find(fence);
    for (auto deadline : {&HoldRecord::lease, &HoldRecord::deadline}) {
      if (!(hold.*deadline) || (hold.*deadline)->boot_id == options().boot_id) continue;
      schemas::Deadline& stored = *(records().Edit(fence).*deadline);
      stored.boot = verifier::DeadlineInThisBoot(stored, turn(), options().boot_id);
      stored.boot_id = options().boot_id;
    }
    if (IsLive(hold)) CloseIfPast(fence);
  }
  KeepSizes();
  LeaveWhatIsLost();
  for (const Fence& fence : fences) {
    const HoldRecord& hold = *ledger().Find(fence);
    Advance(fence);
    if (!IsLive(hold) || HasStarted(hold) || hold.state < HoldState::kPrepared) continue;
    const auto stranded = displaced.Of(hold);
    if (!stranded) continue;
    const schemas::CauseCode code =
        stranded->gone ? schemas::CauseCode::kNodeLost : schemas::CauseCode::kPolicyChanged;
    MoveForCause(fence, Own(code, stranded->gone ? "" : stranded->node), true);
  }
}

void Holds::CarryOutAsked() {
  for (const auto& [order, steer] : std::map(steers_asked_)) CarryOut(steer);
}

std::vector<schemas::Write<schemas::SiteRecord>> Holds::Settled() {
  KeepWalls();
  for (const HoldRecord& hold : records().Collect(kCollectedPerTurn)) {
    for (const PartRecord& part : hold.parts) {
      for (uint32_t i = 1; i <= part.tries; ++i) {
        Drive(driver::ForgetPart{ToText(hold.order.fence) + "." + std::to_string(part.index) + "." +
                                 std::to_string(i)});
      }
    }
  }
  return records().TakeWrites();
}

void Holds::BeginEpoch(Epoch epoch) {
  for (const Fence& fence : AskedFor()) {
    if (!verifier::IsLocal(fence)) Unask(fence);
  }
  records().SetEpoch(epoch);
  for (const Fence& fence : ledger().HeldHolds()) {
    const auto step = NextHold(HoldState::kHeld, verifier::HoldEvent::kHigherEpoch, {});
    Close(fence, step.closed_as, Own(schemas::CauseCode::kNone));
  }
}

void Holds::Welcome(const schemas::ProtocolValues& values) {
  records().SetValues(values);
  TouchAll();
  SomethingIsFree();  // a meta that has restarted knows no offers
}

// The change, the moves it causes and the order's result are one write.
void Holds::CarryOut(const schemas::Steer& steer) {
  if (const auto* known = ledger().FindSteer(steer.order)) {
    return records().ReportSteered(Steered(known->result));
  }
  const bool running =
      steer.verb == schemas::SteerVerb::kExtend || steer.verb == schemas::SteerVerb::kResize;
  Steered result;
  if (running) {
    auto done = CarryRunning(steer);
    if (!done) {
      steers_asked_[steer.order] = steer;
      return;
    }
    result = *std::move(done);
  } else {
    result = steer.verb == schemas::SteerVerb::kShare ? Share(steer) : Carry(steer);
  }
  steers_asked_.erase(steer.order);
  result.order = steer.order;
  Note(steer.who + ": " + result.text);
  records().KeepSteer(result);
  records().ReportSteered(result);
}

// Operators may exceed the site's limit on extensions. The meta has authenticated who gave the
// order.
std::optional<Steered> Holds::CarryRunning(const schemas::Steer& steer) {
  const HoldRecord* hold = verifier::IsLocal(steer.fence) ? nullptr : ledger().Find(steer.fence);
  const auto there = [&](const PartRecord& part) { return part.index == steer.part; };
  if (hold == nullptr || !IsLive(*hold) ||
      std::none_of(hold->parts.begin(), hold->parts.end(), there)) {
    return NotDone("no such part is at " + options().name + "; nothing was changed");
  }
  if (hold->order.inside && !plan().HolderOf(*hold->order.inside)) {
    return NotDone("its reservation is over; nothing was changed");
  }
  const PartKey part{steer.fence, steer.part};
  if (steer.verb == schemas::SteerVerb::kResize) return ResizePart(part, steer.counts);
  return ExtendPart(part, steer.span, !steer.who.starts_with(kOperator));
}

// kShare: the owner changed who else may use the reservation.
Steered Holds::Share(const schemas::Steer& steer) {
  const HoldRecord* hold = ledger().Find(steer.fence);
  if (hold == nullptr || !IsLive(*hold) || !Reserves(*hold)) {
    return NotDone("no such reservation is at " + options().name + "; nothing was changed");
  }
  records().Edit(steer.fence).order.reserves->allow = steer.allow;
  planner().ShareSystem(hold->order.request, steer.allow);
  std::string text;
  for (const std::string& name : steer.allow) text += (text.empty() ? "" : ", ") + name;
  return {.done = true,
          .text = JobName(hold->order) +
                  (text.empty() ? " is open to its owner only" : " is open to " + text)};
}

// The last start is at least start + deadline_after: even a part that starts on time needs a moment
// for the spawn.
void Holds::Permit(HoldRecord& hold, const OwnPermit& permit) const {
  ArmDeadline(hold);
  const Instant wanted = std::min(hold.start + schemas::kKeepMax, permit.latest);
  hold.permit =
      schemas::Permit{.last_start = std::max(wanted, hold.start + hold.order.deadline_after),
                      .secret = permit.secret};
}

std::optional<schemas::VerdictEntry> Holds::PlaceOwn(const schemas::HoldOrder& order,
                                                     const OwnPermit& permit) {
  if (const auto blind = WhyBlind()) {
    return schemas::VerdictEntry{.kind = schemas::VerdictKind::kBlocked, .reason = *blind};
  }
  const auto barred = permit.was_promised ? std::nullopt : WhyDated(order);
  if (auto refusal = BookNew(order, barred)) return refusal;
  Permit(records().Edit(order.fence), permit);
  records().SetState(order.fence, HoldState::kPermitted);
  Touch(order.fence);
  return std::nullopt;
}

void Holds::AlterOwn(const schemas::HoldOrder& order, std::optional<OwnPlace> place,
                     const schemas::Cause& later, const OwnPermit& permit) {
  StayWhereItIs(order.fence);
  HoldRecord& hold = records().Edit(order.fence);
  hold.order = order;
  if (place) {
    planner() = std::move(place->plan);
    if (place->booked.start > hold.start) hold.cause = later;
    hold.start = place->booked.start;
    for (size_t i = 0; i < hold.parts.size(); ++i) {
      hold.parts[i].place = place->booked.places[i];
      hold.parts[i].place.index = hold.parts[i].index;
    }
  }
  Permit(hold, permit);
  Touch(order.fence);
  SomethingIsFree();
}

void Holds::StopOwn(const Fence& fence, schemas::CauseCode why) {
  records().Edit(fence).closed_as = schemas::ClosedAs::kReleased;
  StopParts(fence, {.code = why, .who = Own({}).who});
}

}  // namespace muster::site
