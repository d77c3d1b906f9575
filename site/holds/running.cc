// A part that runs may go on longer (OpenCCS Sect. 5.4, Estimation of job runtime), as far as that
// delays nobody's promise: what is in the way makes room only where it keeps its start on other
// nodes (H14), or starts earlier (H17). The record is written before the driver is told, and the
// driver is told again after a restart.
#include <algorithm>
#include <utility>

#include "base/units.h"
#include "site/planning/environment.h"
#include "site/state.h"
#include "verifier/start_notice.h"

namespace muster::site {

using schemas::HoldRecord;
using schemas::HoldState;
using schemas::PartRecord;
using schemas::PartState;
using schemas::Steered;
using verifier::Booked;

namespace {

constexpr size_t kMovesForOne = 16;  // bookings that make room for one extension
constexpr int kEndsTried = 16;       // until when it could go on, when not as long as asked

constexpr char kOperator[] = "operator:";

Steered NotExtended(std::string text) { return {.done = false, .text = std::move(text)}; }

}  // namespace

// An operator goes beyond the site's bound on extensions; the meta vouches for who it is.
Steered Core::State::CarryRunning(const schemas::Steer& steer) {
  const HoldRecord* hold = verifier::IsLocal(steer.fence) ? nullptr : ledger.Find(steer.fence);
  const auto there = [&](const PartRecord& part) { return part.index == steer.part; };
  if (hold == nullptr || !IsLive(*hold) ||
      std::none_of(hold->parts.begin(), hold->parts.end(), there)) {
    return NotExtended("no such part is at " + options.name + "; nothing was changed");
  }
  if (hold->order.inside && !plan.HolderOf(*hold->order.inside)) {
    return NotExtended("its reservation is over; nothing was changed");
  }
  const PartKey part{steer.fence, steer.part};
  if (steer.verb == schemas::SteerVerb::kResize) return ResizePart(part, steer.counts);
  return ExtendPart(part, steer.span, !steer.who.starts_with(kOperator));
}

// REQUIRES: the part is one of a live hold.
Steered Core::State::ExtendPart(const PartKey& part, Span span, bool bounded) {
  const auto& [fence, index] = part;
  const HoldRecord& hold = *ledger.Find(fence);
  const PartRecord& record = PartOf(hold, index);
  const Span duration = DemandOf(hold, index).duration;
  const std::string name = PartName(hold.order, index);
  if (record.state != PartState::kRunning || IsStopping(hold)) {
    return NotExtended(name + " does not run; nothing was changed");
  }
  if (span <= Span{0} || span > kLongestDuration) {
    return NotExtended("an extension of " + std::to_string(span.seconds) +
                       " s; nothing was changed");
  }
  const Span most{duration.seconds / 100 * options.extend_percent +
                  duration.seconds % 100 * options.extend_percent / 100};
  if (bounded && record.extended + span > most) {
    const Span left = std::max(Span{0}, most - record.extended);
    return NotExtended(name + " may go on for " + DurationText(most) + " in all (" +
                       std::to_string(options.extend_percent) + "% of its " +
                       DurationText(duration) + "), and has " + DurationText(left) +
                       " of that left; nothing was changed");
  }
  const Span runs = duration + record.extended + span;
  const Instant end = plan.EndOf(fence, index);
  const Instant planned = hold.start + DemandOf(hold, index).offset + runs - span;
  // A start that came late, or an end that does: what others have there by now is theirs.
  const bool outrun = end > planned && !plan.Beside(fence, index, planned, end).empty();
  if (outrun || now().Floor() >= record.started_at->Floor() + (runs - span)) {
    return NotExtended(name + " has outrun its plan; nothing was changed");
  }
  const Instant until = std::max(end + span, record.started_at->Floor() + runs - options.turnover);
  SitePlanner trial = plan;
  auto room = MakeRoom(trial, part, until);
  if (auto* blocked = std::get_if<InTheWay>(&room)) {
    const std::string who = blocked->job.empty() ? "a limit" : "job " + blocked->job;
    const Instant latest = LatestEnd(part, std::move(*blocked));
    const Span could = latest - (until - span);
    return NotExtended(
        name + " cannot go on for " + DurationText(span) + ": " + who + " is in the way; " +
        (could > Span{0} ? "it could for " + DurationText(could) + ", until " + Rfc3339(latest)
                         : std::string("not even for a second")) +
        "; nothing was changed");
  }
  plan = std::move(trial);
  PartRecord& edited = PartOf(ledger.Edit(fence), index);
  edited.extended = edited.extended + span;
  const auto& moves = std::get<Moves>(room);
  for (const auto& [other, booked] : moves) Follow(other, booked);
  ReportRunning(part);
  if (Reserves(hold)) {
    OpenSystem(fence);  // it lasts longer
  } else {
    effects.driver.push_back(driver::LimitPart{.token = record.token, .walltime = runs});
  }
  std::string text = name + " may go on until " + Rfc3339(until);
  if (!moves.empty()) {
    text += "; " + std::to_string(moves.size()) +
            (moves.size() == 1 ? " booking made room" : " bookings made room");
  }
  return {.done = true, .text = std::move(text)};
}

// Least urgent first: of those in the way, what starts last among the lowest priority.
std::variant<Core::State::Moves, Core::State::InTheWay> Core::State::MakeRoom(SitePlanner& trial,
                                                                              const PartKey& part,
                                                                              Instant until) const {
  const auto& [fence, index] = part;
  struct Freed {
    int64_t rank;
    Fence fence;
    Instant at;
  };
  std::vector<Freed> freed;
  const auto less_urgent = [this](const Fence& a, const Fence& b) {
    const HoldRecord& x = *ledger.Find(a);
    const HoldRecord& y = *ledger.Find(b);
    if (x.order.priority != y.order.priority) return x.order.priority < y.order.priority;
    return x.start != y.start ? x.start > y.start : a > b;
  };
  for (;;) {
    const Instant room = trial.RoomUntil(fence, index, until);
    if (room >= until) break;
    const std::vector<Fence> others = trial.Beside(fence, index, room, room + Span{1});
    std::optional<Fence> least;
    for (const Fence& other : others) {
      if (MayMove(other) && (!least || less_urgent(other, *least))) least = other;
    }
    if (!least || freed.size() == kMovesForOne) {
      const HoldRecord* first = others.empty() ? nullptr : ledger.Find(others.front());
      return InTheWay{room, first == nullptr ? "" : LabelOf(first->order)};
    }
    trial.Free(*least);
    freed.push_back({-int64_t{ledger.Find(*least)->order.priority}, *least, room});
  }
  trial.Lengthen(fence, index, until);
  std::sort(freed.begin(), freed.end(), [](const Freed& a, const Freed& b) {
    return std::tie(a.rank, a.fence) < std::tie(b.rank, b.fence);
  });
  Moves moves;
  for (const Freed& other : freed) {
    auto booked = KeepPromise(trial, other.fence);
    if (!booked) return InTheWay{other.at, LabelOf(ledger.Find(other.fence)->order)};
    moves.emplace_back(other.fence, *std::move(booked));
  }
  return moves;
}

// Bound, not started, and alone: of two of which at most one runs neither moves for another's sake.
bool Core::State::MayMove(const Fence& fence) const {
  const HoldRecord* hold = ledger.Find(fence);
  if (hold == nullptr || hold->state < HoldState::kPrepared || HasStarted(*hold)) return false;
  if (hold->order.replaces || hold->order.reserves || hold->order.inside) return false;
  return std::none_of(live.begin(), live.end(), [&](const auto& other) {
    return ledger.Find(other.first)->order.replaces == fence;
  });
}

std::optional<Booked> Core::State::KeepPromise(SitePlanner& trial, const Fence& fence) const {
  const HoldRecord& hold = *ledger.Find(fence);
  verifier::Demand demand = DemandNow(hold);
  demand.allowed = IntervalSet::Only(hold.start);
  auto answer = trial.Book(fence, demand, now_floor(), std::nullopt);
  if (auto* booked = std::get_if<Booked>(&answer)) return std::move(*booked);
  const bool bound = hold.state >= HoldState::kCommitted && OneMember(hold);
  if (!bound || (hold.state == HoldState::kCommitted && !link.up())) return std::nullopt;
  const Instant from = verifier::EarliestMove(hold, now());
  if (from >= hold.start) return std::nullopt;
  demand.allowed = IntervalSet({{from, hold.start}});
  answer = trial.Book(fence, demand, now_floor(), std::nullopt);
  if (auto* booked = std::get_if<Booked>(&answer)) return std::move(*booked);
  return std::nullopt;
}

// Each try ends where the one before it was blocked.
Instant Core::State::LatestEnd(const PartKey& part, InTheWay blocked) const {
  const Instant end = plan.EndOf(part.first, part.second);
  for (int tries = 0; tries < kEndsTried && blocked.at > end; ++tries) {
    SitePlanner trial = plan;
    const Instant until = blocked.at;
    auto room = MakeRoom(trial, part, until);
    if (std::holds_alternative<Moves>(room)) return until;
    blocked = std::get<InTheWay>(std::move(room));
  }
  return std::max(end, plan.RoomUntil(part.first, part.second, blocked.at));
}

// The record follows a booking that made room.
void Core::State::Follow(const Fence& fence, const Booked& booked) {
  const HoldRecord& hold = *ledger.Find(fence);
  if (booked.start < hold.start) return MoveEarlier(fence, booked);
  for (size_t i = 0; i < hold.parts.size(); ++i) {
    schemas::PartPlace place = booked.places[i];
    place.index = hold.parts[i].index;
    if (place == hold.parts[i].place) continue;
    Remap(fence, booked);
    touched.insert(fence);
    return;
  }
}

void Core::State::ReportRunning(const PartKey& part) {
  const PartRecord& record = PartOf(*ledger.Find(part.first), part.second);
  Report(part.first, schemas::PartChanged{.index = part.second,
                                          .state = record.state,
                                          .at = *record.started_at,
                                          .booking = BookingOf(record),
                                          .end = record.end});
  touched.insert(part.first);
}

// What was written before a restart may not have reached the driver: to say it again does no harm.
void Core::State::TellDriverAgain(const PartKey& part) {
  const HoldRecord& hold = *ledger.Find(part.first);
  const PartRecord& record = PartOf(hold, part.second);
  if (record.state != PartState::kRunning) return;
  if (record.extended > Span{0}) {
    effects.driver.push_back(
        driver::LimitPart{.token = record.token, .walltime = RunTime(hold, part.second)});
  }
  if (!record.counts.empty()) {
    effects.driver.push_back(driver::ResizePart{.token = record.token, .place = record.place});
  }
}

}  // namespace muster::site
