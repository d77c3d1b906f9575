// The turn of a site's core: what the driver says has happened, then what is past, then the other
// events in order, then what they and time have made due, then the link; last the batch that makes
// all of it durable before anything is said.
#include "site/core.h"

#include <algorithm>
#include <utility>

#include "site/planning/stranding.h"
#include "site/state.h"
#include "verifier/deadline.h"

namespace muster::site {

using schemas::HoldRecord;
using schemas::HoldState;

namespace {

// A record that the tables could not have written, or that belongs to another order, must not be
// worked on.
absl::Status Sound(const HoldRecord& hold) {
  const std::string name = "hold " + ToText(hold.order.fence);
  const bool tombstone = hold.parts.empty() && hold.state == HoldState::kClosed;
  if (hold.state == HoldState::kNone) return Internal(name + " has no state");
  if (!tombstone && hold.parts.size() != hold.order.parts.size()) {
    return Internal(name + " has other parts than its order");
  }
  for (size_t i = 0; i < hold.parts.size(); ++i) {
    if (hold.parts[i].index != hold.order.parts[i].index) {
      return Internal(name + " has other parts than its order");
    }
  }
  const bool bound = hold.state == HoldState::kPrepared || hold.state == HoldState::kCommitted;
  if ((hold.state == HoldState::kHeld && !hold.lease) || (bound && !hold.deadline) ||
      (hold.state == HoldState::kPermitted && !hold.permit)) {
    return Internal(name + " lacks its lease, deadline or permit");
  }
  return absl::OkStatus();
}

}  // namespace

Core::State::State(Options o, verifier::Ledger l, Now now)
    : options(WithLost(std::move(o), l.sizes())),
      ledger(std::move(l)),
      plan(options),
      clock(now),
      link(options.seed, now.boot),
      node_use(options.nodes, options.units.geometry != nullptr),
      ports(options.rendezvous_host, options.first_port, options.last_port),
      backfilling(options.rules != rules::RuleSet(), options.units.geometry != nullptr),
      turn(now) {
  Rebuild();
}

Core::State::State(const State& other) = default;

// Bookings in fence order, so that a rebuilt plan does not depend on how it came to be.
void Core::State::Rebuild() {
  for (const auto& [name, record] : ledger.drained()) {
    plan.SetUsable(name, false);
    if (record.for_good) plan.SetGone(name, true);
  }
  const auto restore = [this](bool inside) {
    for (const auto& [fence, hold] : ledger.holds()) {
      if (!IsLive(hold) || hold.order.inside.has_value() != inside) continue;
      live[fence];
      RestoreBooking(hold);
      if (Reserves(hold)) OpenSystem(fence);
    }
  };
  restore(false);
  restore(true);  // what is inside of a reservation is booked there
  for (const auto& [fence, hold] : ledger.holds()) {
    if (!IsLive(hold)) continue;
    for (const schemas::PartRecord& part : hold.parts) {
      ports.Keep(part.rendezvous);
      if (part.state == schemas::PartState::kReady && !OneMember(hold)) ++ready_of_several;
      if (!verifier::MayHaveProcesses(part.state) || Reserves(hold)) continue;
      node_use.Enter({fence, part.index}, part.place, DemandOf(hold, part.index).exclusive);
      tokens[part.token] = {fence, part.index};
      if (part.state != schemas::PartState::kRunning) {
        live[fence].changing_since[part.index] = now();
      }
    }
    IndexMovable(fence);
  }
  backfilling.Freed(plan.revision());  // a pass may have been under way
  RebuildLocals();
}

// The driver is asked for the tokens of before, also if there are none: from then on a token that
// left no trace proves something. A driver that cannot look has let them end with its daemon.
void Core::State::FindTokens() {
  for (const auto& [token, _] : tokens) finding.insert(token);
  if (options.finds_parts) {
    effects.driver.push_back(driver::FindParts{{finding.begin(), finding.end()}});
    return;
  }
  const std::set<std::string> lost = finding;
  for (const std::string& token : lost) On(driver::PartFound{.token = token});
}

// After a restart: the driver is asked before anything starts, deadlines of another boot are armed
// anew, what is past ends (H11, H18), and bookings on nodes that are gone move.
void Core::State::FirstTurn() {
  FindTokens();
  std::vector<Fence> fences;
  for (const auto& [fence, _] : live) fences.push_back(fence);
  const Strandings strandings(options);
  for (const Fence& fence : fences) {
    const HoldRecord& hold = *ledger.Find(fence);
    for (auto deadline : {&HoldRecord::lease, &HoldRecord::deadline}) {
      if (!(hold.*deadline) || (hold.*deadline)->boot_id == options.boot_id) continue;
      schemas::Deadline& stored = *(ledger.Edit(fence).*deadline);
      stored.boot = verifier::DeadlineInThisBoot(stored, turn, options.boot_id);
      stored.boot_id = options.boot_id;
    }
    if (IsLive(hold)) CloseIfPast(fence);
  }
  KeepSizes();
  LeaveWhatIsLost();
  for (const Fence& fence : fences) {
    const HoldRecord& hold = *ledger.Find(fence);
    Advance(fence);
    if (!IsLive(hold) || HasStarted(hold) || hold.state < HoldState::kPrepared) continue;
    const auto stranded = strandings.Of(hold);
    if (!stranded) continue;
    const schemas::CauseCode code =
        stranded->gone ? schemas::CauseCode::kNodeLost : schemas::CauseCode::kPolicyChanged;
    MoveForCause(fence, Own(code, stranded->gone ? "" : stranded->node), true);
  }
}

void Core::State::Begin(Now now) {
  turn = now;
  effects = {};
  switch (clock.Update(now)) {
    case verifier::PlanClock::Event::kJumped:
      effects.notes.push_back("clock: the wall clock jumped; plans stay on the old time for now");
      break;
    case verifier::PlanClock::Event::kTookNewOffset:
      effects.notes.push_back("clock: the new time was steady for a minute and is taken");
      for (const auto& [fence, _] : live) touched.insert(fence);
      break;
    case verifier::PlanClock::Event::kNone:
      break;
  }
  if (std::exchange(first_turn, false)) FirstTurn();
}

void Core::State::Take(const Event& event) {
  if (const auto* says = std::get_if<MetaSays>(&event)) {
    Hear(says->message);
  } else if (const auto* garbage = std::get_if<MetaGarbage>(&event)) {
    Nonsense(garbage->why);
  } else if (const auto* driver = std::get_if<DriverSays>(&event)) {
    std::visit([this](const auto& what) { On(what); }, driver->event);
  } else if (const auto* disk = std::get_if<DiskState>(&event)) {
    disk_low = disk->low;
  } else if (const auto* client = std::get_if<ClientSays>(&event)) {
    Hear(*client);
  }
}

void Core::State::Settle() {
  for (const Fence& fence : agenda.Due(turn.boot, now())) touched.insert(fence);
  while (!touched.empty()) {
    const Fence fence = *touched.begin();
    touched.erase(touched.begin());
    Advance(fence);
    if (touched.empty()) SettleLocals();
  }
}

void Core::State::Finish() {
  NodesBack();
  Backfill();
  MakeOffers();
  Settle();
  PlaceWaiting();
  Settle();
  ForgetLocals();
  TellFollowers();
  overlays.DropStale(plan.revision());
  SendFeed();  // before a heartbeat, which names the position that the reports lead to
  TickLink();
  for (const HoldRecord& hold : ledger.Collect(kCollectedPerTurn)) {
    for (const schemas::PartRecord& part : hold.parts) {
      for (uint32_t i = 1; i <= part.tries; ++i) {
        effects.driver.push_back(driver::ForgetPart{
            ToText(hold.order.fence) + "." + std::to_string(part.index) + "." + std::to_string(i)});
      }
    }
  }
  effects.writes = ledger.TakeWrites();
  effects.next = NextTurn();
}

BootInstant Core::State::NextTurn() const {
  const bool alone = !link.up() || HeartbeatPeriod() > BootSpan{0};
  // Over an ideal link nothing is said or expected by the clock.
  BootInstant next = alone ? link.Next(HeartbeatPeriod()) : turn.boot + ToBootSpan(options.horizon);
  if (const auto due = agenda.Next(clock)) next = std::min(next, *due);
  if (const auto local = NextLocal()) next = std::min(next, *local);
  if (offers_again) next = std::min(next, *offers_again);
  if (const auto earlier = backfilling.NextDue()) next = std::min(next, *earlier);
  if (const auto over = kept_room.NextEnd()) next = std::min(next, *over);
  const bool more = offers_from || (link.up() && listing_from) || locals.tried_up_to > 0;
  if (more) next = turn.boot;
  return std::max(next, turn.boot);
}

absl::StatusOr<Core> Core::Load(Options options,
                                std::vector<std::pair<std::string, schemas::SiteRecord>> records,
                                Now now) {
  auto ledger = verifier::Ledger::Load(options.federation, options.name, std::move(records));
  if (!ledger.ok()) return ledger.status();
  for (const auto& [fence, hold] : ledger->holds()) MUSTER_RETURN_IF_ERROR(Sound(hold));
  ledger->CountIncarnation();
  return Core(std::make_unique<State>(std::move(options), *std::move(ledger), now));
}

Core::Core(std::unique_ptr<State> state) : state_(std::move(state)) {}
Core::Core(const Core& other) : state_(std::make_unique<State>(*other.state_)) {}
Core::Core(Core&&) noexcept = default;
Core& Core::operator=(const Core& other) {
  if (this != &other) state_ = std::make_unique<State>(*other.state_);
  return *this;
}
Core& Core::operator=(Core&&) noexcept = default;
Core::~Core() = default;

Effects Core::Step(Now now, const std::vector<Event>& events) {
  state_->Begin(now);
  // Who is gone is gone before anything is due: a start in this turn must not find its predecessors
  // on its nodes.
  for (const Event& event : events) {
    if (std::holds_alternative<DriverSays>(event)) state_->Take(event);
  }
  state_->Settle();
  for (const Event& event : events) {
    if (std::holds_alternative<DriverSays>(event)) continue;
    state_->Take(event);
    state_->Settle();
  }
  state_->Finish();
  return std::exchange(state_->effects, {});
}

Options Core::Measured(Options options) const {
  return WithLost(std::move(options), state_->ledger.sizes());
}

Digest Core::StateDigest() const { return state_->ledger.StateDigest(); }

std::vector<HoldRecord> Core::Holds() const {
  std::vector<HoldRecord> holds;
  for (const auto& [fence, hold] : state_->ledger.holds()) holds.push_back(hold);
  return holds;
}
schemas::FeedPosition Core::Feed() const { return state_->ledger.feed().end(); }
bool Core::LinkIsUp() const { return state_->link.up(); }

}  // namespace muster::site
