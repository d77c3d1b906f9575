// Extends running parts (OpenCCS Sect. 5.4, Estimation of job runtime) as far as that delays no
// promise: a booking in the way makes room only if it keeps its start on other nodes (H14), or
// starts earlier (H17). The record is written before the driver gets its command, which is repeated
// after a restart.
#include "site/holds/extension.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/units.h"
#include "site/holds/hold_facts.h"
#include "site/planning/environment.h"
#include "verifier/start_notice.h"

namespace muster::site {

using schemas::HoldRecord;
using schemas::HoldState;
using schemas::PartRecord;
using schemas::PartState;
using schemas::Steered;
using verifier::Booked;

namespace {

constexpr size_t kMovesForOne = 16;  // most bookings that make room for one extension
constexpr int kEndsTried = 16;       // tries to find the latest possible end after a refusal

// When the last part of a hold begins. What is no hold may begin at any time.
Instant LastBegin(const HoldRecord* hold) {
  if (hold == nullptr) return kFarFuture;
  Span last{0};
  for (const schemas::PartDemand& part : hold->order.parts) last = std::max(last, part.offset);
  return hold->start + last;
}

Steered NotExtended(std::string text) { return {.done = false, .text = std::move(text)}; }

}  // namespace

std::optional<Steered> Extension::ExtendPart(const PartKey& part, Span span, bool bounded) {
  const auto& [fence, index] = part;
  const HoldRecord& hold = *ledger().Find(fence);
  const PartRecord& record = PartOf(hold, index);
  const Span duration = DemandOf(hold, index).duration;
  const std::string name = PartName(hold.order, index);
  if (record.state != PartState::kRunning || IsStopping(hold)) {
    return NotExtended(name + " does not run; nothing was changed");
  }
  if (record.only_lent) {
    return NotExtended(name +
                       " has lent room alone, to which nothing is added; nothing was changed");
  }
  if (span <= Span{0} || span > kLongestDuration) {
    return NotExtended("an extension of " + std::to_string(span.seconds) +
                       " s; nothing was changed");
  }
  const Span most{duration.seconds / 100 * options().extend_percent +
                  duration.seconds % 100 * options().extend_percent / 100};
  if (bounded && record.extended + span > most) {
    const Span left = std::max(Span{0}, most - record.extended);
    return NotExtended(name + " may go on for " + DurationText(most) + " in all (" +
                       std::to_string(options().extend_percent) + "% of its " +
                       DurationText(duration) + "), and has " + DurationText(left) +
                       " of that left; nothing was changed");
  }
  if (const auto asked = longer_.find(part); asked != longer_.end()) {
    if (!asked->second.answered) return std::nullopt;
    if (const std::string why = asked->second.refused; !why.empty()) {
      longer_.erase(asked);
      return NotExtended(name + " cannot go on for longer: " + why + "; nothing was changed");
    }
  }
  const Span runs = RunTime(hold, index) + span;
  const Instant end = plan().EndOf(fence, index);
  const Instant planned = hold.start + DemandOf(hold, index).offset +
                          schemas::BookedFor(options().facts.booked_in, runs - span);
  // After a late start or an overrun, bookings of others may already be in the time beyond the
  // planned end. Who begins before that end has room beside the part.
  const std::vector<Fence> beside =
      end > planned ? plan().Beside(fence, index, planned, end) : std::vector<Fence>{};
  const bool outrun = std::any_of(beside.begin(), beside.end(), [&](const Fence& other) {
    return !SitePlanner::OutsideOf(other) && LastBegin(ledger().Find(other)) >= planned;
  });
  if (outrun || now().Floor() >= record.started_at->Floor() + (runs - span)) {
    return NotExtended(name + " has outrun its plan; nothing was changed");
  }
  const Span booked_in = options().facts.booked_in;
  const Span longer =
      schemas::BookedFor(booked_in, runs) - schemas::BookedFor(booked_in, runs - span);
  const Instant until =
      std::max(end + longer, record.started_at->Floor() + runs - options().facts.turnover);
  SitePlanner trial = plan();
  auto room = MakeRoom(trial, part, until);
  if (auto* blocked = std::get_if<InTheWay>(&room)) {
    const std::string who = blocked->job.empty() ? "a limit" : "job " + blocked->job;
    const Instant latest = LatestEnd(part, std::move(*blocked));
    const Span could = latest - (until - longer);
    return NotExtended(
        name + " cannot go on for " + DurationText(span) + ": " + who + " is in the way; " +
        (could > Span{0} ? "it could for " + DurationText(could) + ", until " + Rfc3339(latest)
                         : std::string("not even for a second")) +
        "; nothing was changed");
  }
  if (until > end && AskLonger(part, trial, until)) return std::nullopt;
  planner() = std::move(trial);
  PartRecord& edited = PartOf(records().Edit(fence), index);
  edited.extended = edited.extended + span;
  const auto& moves = std::get<Moves>(room);
  for (const auto& [other, booked] : moves) Follow(other, booked);
  ReportRunning(part);
  if (Reserves(hold)) {
    OpenSystem(fence);  // the system lasts longer now
  } else {
    Drive(driver::LimitPart{.token = record.token, .walltime = runs});
  }
  const Instant ends = std::min(until, record.started_at->Ceiling() + runs);
  std::string text = name + " may go on until " + Rfc3339(booked_in > Span{0} ? ends : until);
  if (!moves.empty()) {
    text += "; " + std::to_string(moves.size()) +
            (moves.size() == 1 ? " booking made room" : " bookings made room");
  }
  return Steered{.done = true, .text = std::move(text)};
}

// True if it asks. Until the answer the plan has the part to its new end, for nobody else. What is
// asked for is asked once: an answer that was good is taken here.
bool Extension::AskLonger(const PartKey& part, const SitePlanner& trial, Instant until) {
  const Fence& fence = part.first;
  const auto asked = longer_.find(part);
  const bool granted = asked != longer_.end() && asked->second.until >= until;
  if (asked != longer_.end()) ForgetLonger(fence);
  const HoldRecord& hold = *ledger().Find(fence);
  if (granted || WallsOf(hold).empty()) return false;
  planner() = trial;
  TakeOverWalls(fence);
  Want(fence, WallsOf(hold));
  if (WallsStand(fence)) {  // they need not change
    LeaveWalls(fence);
    return false;
  }
  longer_[part] = {.since = turn().boot, .until = until};
  return true;
}

void Extension::ForgetLonger(const Fence& fence) {
  std::erase_if(longer_, [&](const auto& one) { return one.first.first == fence; });
  LeaveWalls(fence);
}

bool Extension::AnswerLonger(const Fence& fence, const std::string& refused) {
  bool any = false;
  for (auto& [part, longer] : longer_) {
    if (part.first != fence || longer.answered) continue;
    any = longer.answered = true;
    longer.refused = refused;
  }
  if (!any) return false;
  const HoldRecord* hold = ledger().Find(fence);
  if (hold == nullptr || !IsLive(*hold)) {
    ForgetLonger(fence);
    KeepWallsOf(fence);
    return true;
  }
  planner().Free(fence);
  RestoreBooking(*hold);
  if (refused.empty()) return true;  // they stand for longer until that is taken
  LeaveWalls(fence);
  KeepWallsOf(fence);
  return true;
}

// Also of parts that have ended meanwhile.
void Extension::GiveUpLonger() {
  std::set<Fence> over, late;
  for (const auto& [part, longer] : longer_) {
    const HoldRecord* hold = ledger().Find(part.first);
    const bool runs =
        hold != nullptr && IsLive(*hold) && PartOf(*hold, part.second).state == PartState::kRunning;
    const bool waited = turn().boot >= longer.since + values().answer_wait;
    const bool taken = turn().boot >= longer.since + values().answer_wait * 2;
    if (!runs || taken || (waited && longer.answered && longer.refused.empty())) {
      over.insert(part.first);
    } else if (waited && !longer.answered) {
      late.insert(part.first);
    }
  }
  for (const Fence& fence : late) AnswerLonger(fence, "its machine does not answer");
  for (const Fence& fence : over) {
    AnswerLonger(fence, "it has ended, or its machine does not answer");
    ForgetLonger(fence);
    KeepWallsOf(fence);
  }
}

std::optional<BootInstant> Extension::NextOfLonger() const {
  std::optional<BootInstant> next;
  for (const auto& [part, longer] : longer_) {
    const bool refused = longer.answered && !longer.refused.empty();
    const BootSpan wait = values().answer_wait * (refused ? 2 : 1);
    next = std::min(next.value_or(longer.since + wait), longer.since + wait);
  }
  return next;
}

// Frees bookings in the way, the least urgent first (the greatest rank, then the latest start),
// lengthens the part, and books the freed ones again by KeepPromise.
std::variant<Extension::Moves, Extension::InTheWay> Extension::MakeRoom(SitePlanner& trial,
                                                                        const PartKey& part,
                                                                        Instant until) const {
  const auto& [fence, index] = part;
  struct Freed {
    SitePolicy::Rank rank;
    Fence fence;
    Instant at;
  };
  std::vector<Freed> freed;
  const auto less_urgent = [this](const Fence& a, const Fence& b) {
    const HoldRecord& x = *ledger().Find(a);
    const HoldRecord& y = *ledger().Find(b);
    const SitePolicy::Rank rank = policy().RankOf(x.order);
    const SitePolicy::Rank its = policy().RankOf(y.order);
    if (rank != its) return rank > its;
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
      const HoldRecord* first = others.empty() ? nullptr : ledger().Find(others.front());
      if (first == nullptr && !others.empty()) first = LentTo(others.front());
      return InTheWay{room, first == nullptr ? "" : LabelOf(first->order)};
    }
    trial.Free(*least);
    freed.push_back({policy().RankOf(ledger().Find(*least)->order), *least, room});
  }
  trial.Lengthen(fence, index, until);
  std::sort(freed.begin(), freed.end(), [](const Freed& a, const Freed& b) {
    return std::tie(a.rank, a.fence) < std::tie(b.rank, b.fence);
  });
  Moves moves;
  for (const Freed& other : freed) {
    auto booked = KeepPromise(trial, other.fence);
    if (!booked) return InTheWay{other.at, LabelOf(ledger().Find(other.fence)->order)};
    moves.emplace_back(other.fence, *std::move(booked));
  }
  return moves;
}

std::optional<Booked> Extension::KeepPromise(SitePlanner& trial, const Fence& fence) const {
  const HoldRecord& hold = *ledger().Find(fence);
  verifier::Demand demand = DemandNow(hold);
  demand.allowed = IntervalSet::Only(hold.start);
  auto answer = trial.Book(fence, demand, now_floor(), std::nullopt);
  if (auto* booked = std::get_if<Booked>(&answer)) return std::move(*booked);
  const bool bound = hold.state >= HoldState::kCommitted && OneMember(hold);
  if (!bound || (hold.state == HoldState::kCommitted && !linked())) return std::nullopt;
  const Instant from = verifier::EarliestMove(hold, now());
  if (from >= hold.start) return std::nullopt;
  demand.allowed = IntervalSet({{from, hold.start}});
  answer = trial.Book(fence, demand, now_floor(), std::nullopt);
  if (auto* booked = std::get_if<Booked>(&answer)) return std::move(*booked);
  return std::nullopt;
}

// The latest end found that the part could have. Each try ends at the instant where the one before
// it was blocked.
Instant Extension::LatestEnd(const PartKey& part, InTheWay blocked) const {
  const Instant end = plan().EndOf(part.first, part.second);
  for (int tries = 0; tries < kEndsTried && blocked.at > end; ++tries) {
    SitePlanner trial = plan();
    const Instant until = blocked.at;
    auto room = MakeRoom(trial, part, until);
    if (std::holds_alternative<Moves>(room)) return until;
    blocked = std::get<InTheWay>(std::move(room));
  }
  return std::max(end, plan().RoomUntil(part.first, part.second, blocked.at));
}

void Extension::ReportRunning(const PartKey& part) {
  const PartRecord& record = PartOf(*ledger().Find(part.first), part.second);
  Report(part.first, ChangeOf(record, *record.started_at));
  Touch(part.first);
}

void Extension::TellDriverAgain(const PartKey& part) {
  const HoldRecord& hold = *ledger().Find(part.first);
  const PartRecord& record = PartOf(hold, part.second);
  if (record.state != PartState::kRunning) return;
  if (record.extended > Span{0} || record.paused > BootSpan{0}) {
    Drive(driver::LimitPart{.token = record.token, .walltime = RunTime(hold, part.second)});
  }
  if (record.paused > BootSpan{0}) Drive(driver::ResumePart{record.token});
  if (!record.counts.empty()) {
    Drive(driver::ResizePart{.token = record.token, .place = record.place});
  }
}

}  // namespace muster::site
