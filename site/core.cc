// The turn of a site's core, in this order: driver events, what follows from them, the other
// events, everything due, the link, and last the batch, which is durable before any message is
// sent.
#include "site/core.h"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

#include "site/holds/displaced_by_reload.h"
#include "site/holds/hold_facts.h"
#include "site/local/clients.h"

namespace muster::site {

using schemas::HoldRecord;
using schemas::HoldState;

namespace {

// Checks that the state tables could have written the record and that it fits its order; a core
// must not work on any other.
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
  for (const schemas::PartRecord& part : hold.parts) {
    if (!part.loan) continue;
    const bool fits = hold.state == HoldState::kPermitted && hold.order.contract &&
                      hold.parts.size() == 1 && WaitsToStart(part.state);
    if (!fits) return Internal(name + " has a loan that it cannot have");
  }
  return absl::OkStatus();
}

}  // namespace

struct Core::State : Clients {
  State(Options told, verifier::Ledger ledger, Now now)
      : Clients(std::move(told), std::move(ledger), now) {}

  void Begin(Now now, const std::vector<Event>& events);
  void Take(const Event& event);
  void Settle();  // advances touched holds until none is left
  Effects Finish();

 private:
  void Answer(const schemas::ToSite& message, const schemas::Inspect& inspect);
  BootInstant NextTurn() const;
  std::optional<BootInstant> NextWork() const;
  bool PlansNow(const std::vector<Event>& events) const;

  bool first_turn_ = true;
};

void Core::State::Begin(Now now, const std::vector<Event>& events) {
  const bool jumped = BeginTurn(now);
  if (jumped) TouchAll();
  if (std::exchange(first_turn_, false)) {
    JudgeShares();
    AfterRestart();
    HearHolds();
    return;
  }
  if (jumped || PlansNow(events)) RollLoans();
  JudgeShares();
}

// Whether anything may be planned in this turn. A site and its meta that only show each other that
// they are there plan nothing.
bool Core::State::PlansNow(const std::vector<Event>& events) const {
  const auto shows_itself = [](const Event& event) {
    const auto* says = std::get_if<MetaSays>(&event);
    return says != nullptr && std::holds_alternative<schemas::Beat>(says->message.body);
  };
  if (!std::all_of(events.begin(), events.end(), shows_itself)) return true;
  const std::optional<BootInstant> work = NextWork();
  return touched() || (work && *work <= turn().boot);
}

void Core::State::Take(const Event& event) {
  if (const auto* says = std::get_if<MetaSays>(&event)) {
    const auto* inspect = MetaLink::Hear(says->message);
    if (inspect != nullptr) Answer(says->message, *inspect);
  } else if (const auto* garbage = std::get_if<MetaGarbage>(&event)) {
    Nonsense(garbage->why);
  } else if (const auto* driver = std::get_if<DriverSays>(&event)) {
    if (const auto* read = std::get_if<driver::OutputRead>(&driver->event)) {
      if (!TellReader(*read)) TellOutput(*read);
    } else {
      std::visit(
          [this](const auto& what) {
            if constexpr (!std::is_same_v<decltype(what), const driver::OutputRead&>) On(what);
          },
          driver->event);
    }
  } else if (const auto* disk = std::get_if<DiskState>(&event)) {
    SetDiskLow(disk->low);
  } else if (const auto* client = std::get_if<ClientSays>(&event)) {
    Clients::Hear(client->user, client->link, client->message);
  }
  HearHolds();
}

// Passes each question to the room that can answer it.
void Core::State::Answer(const schemas::ToSite& message, const schemas::Inspect& inspect) {
  using schemas::InspectKind;
  switch (inspect.kind) {
    case InspectKind::kOutput:
      return;  // the link has asked the driver
    case InspectKind::kBookings:
      return Inspected(message, BookingsShown());
    case InspectKind::kNodes:
      return Inspected(message, NodesShown());
    case InspectKind::kSlots:
      return Inspected(message, SlotsFor(*inspect.entry, inspect.until));
    case InspectKind::kExplain:
      return Inspected(message, Explain(*inspect.entry, inspect.until));
    case InspectKind::kLocal:
      return Inspected(message, JobsShown(inspect.locals));
    case InspectKind::kLimits:
      return Inspected(
          message, schemas::LimitsView{plan().Limits(inspect.user, inspect.groups, now_floor())});
    case InspectKind::kMoves:
      return Inspected(message, TryMoves(*inspect.steer));
    case InspectKind::kOrder:
      return Inspected(message, OrderShown(inspect.offset));
    case InspectKind::kRanks:
      return Inspected(message, RanksShown(inspect.fence));
    case InspectKind::kShares:
      return Inspected(message, SharesShown());
    case InspectKind::kSnapshot:
      return Inspected(message, SnapshotShown(inspect));
  }
}

void Core::State::Settle() {
  TouchDue();
  while (const std::optional<Fence> fence = TakeTouched()) {
    Advance(*fence);
    HearHolds();
    if (!touched()) SettleLocals();
  }
}

Effects Core::State::Finish() {
  GiveUpAsked();
  CarryOutAsked();
  HearHolds();
  TakeParked();
  NodesBack();
  RankAnew();
  Backfill();
  LookAtLoans();
  LendRoom();
  for (schemas::Offer& offer : MakeOffers()) Say(std::move(offer));
  HearHolds();
  Settle();
  PlaceWaiting();
  Settle();
  NoteWhenDue();
  ForgetLocals();
  TellFollowers();
  ForgetOldUse();
  EndTurn();
  auto writes = Settled();
  const BootInstant next = NextTurn();
  Effects effects = TakeEffects();
  effects.writes = std::move(writes);
  effects.next = next;
  return effects;
}

std::optional<BootInstant> Core::State::NextWork() const {
  std::optional<BootInstant> next;
  for (const std::optional<BootInstant>& other : {NextDue(), NextImprovement(), NextOfLoans(),
                                                  NextOfPolicy(), NextOfClients(), NextOfAsked()}) {
    if (other) next = std::min(next.value_or(*other), *other);
  }
  return next;
}

BootInstant Core::State::NextTurn() const {
  const BootInstant next = NextOfLink();
  return std::max(std::min(next, NextWork().value_or(next)), turn().boot);
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
  state_->Begin(now, events);
  // Driver events come first: a part that starts in this turn must not find processes of ended
  // parts on its nodes.
  for (const Event& event : events) {
    if (std::holds_alternative<DriverSays>(event)) state_->Take(event);
  }
  state_->Settle();
  for (const Event& event : events) {
    if (std::holds_alternative<DriverSays>(event)) continue;
    state_->Take(event);
    state_->Settle();
  }
  return state_->Finish();
}

Options Core::Measured(Options options) const {
  return WithLost(std::move(options), state_->ledger().sizes());
}

Digest Core::StateDigest() const { return state_->ledger().StateDigest(); }

std::vector<HoldRecord> Core::Holds() const {
  std::vector<HoldRecord> holds;
  for (const auto& [fence, hold] : state_->ledger().holds()) holds.push_back(hold);
  return holds;
}
schemas::FeedPosition Core::Feed() const { return state_->ledger().feed().end(); }
bool Core::LinkIsUp() const { return state_->LinkIsUp(); }

}  // namespace muster::site
