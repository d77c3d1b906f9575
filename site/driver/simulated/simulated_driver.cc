// Virtual parts: changes are kept in an agenda ordered by (instant, sequence), which Advance and
// every command work off.
#include "site/driver/simulated/simulated_driver.h"

#include <algorithm>
#include <csignal>

#include "base/check.h"
#include "site/driver/words.h"

namespace muster::driver {
namespace {

using Stage = SimulatedPart::Stage;

constexpr BootSpan kLooksForRoom = Seconds(1);  // between two looks of a part that waits for nodes

int64_t TotalCpus(const schemas::PartPlace& place) {
  int64_t cpus = 0;
  for (const schemas::ChunkPlace& chunk : place.chunks) cpus += chunk.resources.Get("ncpus");
  return std::max<int64_t>(cpus, 1);
}

// When a part that is not paused ends by itself, or its program is asked how it goes on; none: at
// the end of its walltime.
std::optional<BootInstant> OwnEndOf(const SimulatedPart& part) {
  if (part.program) return part.progress.done ? part.progress.as_of : part.asks_at;
  if (!part.fate.runs) return std::nullopt;
  return part.started + *part.fate.runs + part.paused;
}

// When a running part ends by itself, or gets TERM at the end of its walltime.
BootInstant EndOf(const SimulatedPart& part) {
  const BootInstant walltime = part.started + ToBootSpan(part.command.walltime);
  return std::min(OwnEndOf(part).value_or(walltime), walltime);
}

// Whether the part's program goes on just now.
bool GoesOn(const SimulatedPart& part) {
  return part.program && part.stage == Stage::kRunning && !part.paused_at && !part.progress.done;
}

}  // namespace

void SimulatedMachine::SetFate(const std::string& part_name, SimulatedFate fate) {
  fates_[part_name] = std::move(fate);
}

void SimulatedMachine::Advance(Now now) {
  MUSTER_CHECK(now.boot >= now_.boot);
  now_ = now;
  Settle();
  if (outsiders_) outsiders_->Advance(now, OnNodes(false));
}

void SimulatedMachine::Share(OutsiderSettings settings) {
  outsiders_.emplace(std::move(settings));
  outsiders_->Advance(now_, OnNodes(false));
}

std::vector<Event> SimulatedMachine::Take() {
  std::vector<Event> events = std::exchange(outbox_, {});
  if (!outsiders_) return events;
  for (Event& event : outsiders_->Take()) events.push_back(std::move(event));
  return events;
}

Outsiders::Ours SimulatedMachine::OnNodes(bool all) const {
  Outsiders::Ours out;
  for (const auto& [token, part] : parts_) {
    if (!part.on_nodes || part.stage >= Stage::kEnded) continue;
    if (!all && outsiders_->IsWalled(part.command.wall, now_.wall)) continue;
    const StartPart& has = part.command;
    for (const auto& [node, amounts] : outsiders_->OnNodes(has.place, has.jobwide)) {
      out[node] += amounts;
    }
  }
  return out;
}

// Whether its users leave it the nodes that it is to have.
bool SimulatedMachine::HasRoom(const SimulatedPart& part) const {
  if (!outsiders_) return true;
  if (outsiders_->blind()) return false;
  const Outsiders::Ours ours = OnNodes(true);
  const std::map<std::string, ResourceSet> needs =
      outsiders_->OnNodes(part.command.place, part.command.jobwide);
  return std::all_of(needs.begin(), needs.end(), [&](const auto& need) {
    const auto there = ours.find(need.first);
    ResourceSet sum = need.second;
    if (there != ours.end()) sum += there->second;
    sum += outsiders_->TakenOn(need.first);
    return sum.FitsIn(outsiders_->Has(need.first));
  });
}

std::optional<BootInstant> SimulatedMachine::Next() const {
  std::optional<BootInstant> next;
  if (outsiders_) next = outsiders_->Next();
  if (agenda_.empty()) return next;
  const BootInstant own = std::get<BootInstant>(*agenda_.begin());
  return std::min(next.value_or(own), own);
}

void SimulatedMachine::Do(const Command& command) {
  if (const auto* start = std::get_if<StartPart>(&command)) Start(*start);
  if (const auto* stop = std::get_if<StopPart>(&command)) Stop(*stop);
  if (const auto* limit = std::get_if<LimitPart>(&command)) Limit(*limit);
  if (const auto* resize = std::get_if<ResizePart>(&command)) Resize(*resize);
  if (const auto* pause = std::get_if<PausePart>(&command)) Pause(*pause);
  if (const auto* resume = std::get_if<ResumePart>(&command)) {
    if (SimulatedPart* part = Running(resume->token)) Resume(*part);
  }
  if (const auto* find = std::get_if<FindParts>(&command)) Find(*find);
  if (const auto* forget = std::get_if<ForgetPart>(&command)) Forget(*forget);
  if (const auto* read = std::get_if<ReadOutput>(&command)) Read(*read);
  if (outsiders_) {
    if (const auto* put = std::get_if<PutWall>(&command)) outsiders_->Do(*put);
    if (const auto* drop = std::get_if<DropWall>(&command)) outsiders_->Do(*drop);
    if (const auto* all = std::get_if<Reconcile>(&command)) outsiders_->Do(*all);
  }
  Settle();
  if (outsiders_) outsiders_->OursChanged(OnNodes(false));
}

void SimulatedMachine::CrashDaemon() {
  outbox_.clear();
  if (outsiders_) outsiders_->CrashDaemon();
  traces_may_be_lost_ = !boot_remembered_;
  for (auto& [token, part] : parts_) part.watched = part.asked = false;
}

void SimulatedMachine::Reboot() {
  boot_remembered_ = false;
  CrashDaemon();
  for (auto& [token, part] : parts_) {
    if (part.stage < Stage::kEnded) Lose(part);
  }
}

void SimulatedMachine::LoseShepherd(const std::string& token) {
  const auto found = parts_.find(token);
  if (found == parts_.end() || found->second.stage >= Stage::kEnded) return;
  SimulatedPart& part = found->second;
  const bool ran = part.stage != Stage::kSpawning;
  Lose(part);
  if (ran) {
    const BootInstant until = part.paused_at.value_or(now_.boot);
    part.ended.usage.elapsed = until - part.started - part.paused;
    Tell(part, part.ended);
  } else {
    part.stage = Stage::kNeverRan;
    Tell(part, PartNotStarted{.token = token, .why = "its shepherd was killed before the start"});
  }
}

void SimulatedMachine::Start(const StartPart& command) {
  boot_remembered_ = true;
  const auto [slot, fresh] = parts_.try_emplace(command.token);
  if (!fresh) return StartAgain(slot->second);
  SimulatedPart& part = slot->second;
  part.command = command;
  if (const auto set = fates_.find(command.part_name); set != fates_.end()) {
    part.fate = set->second;
  } else if (fate_of_) {
    part.fate = fate_of_(command);
  }
  part.sequence = ++sequence_;
  part.watched = true;
  newest_[command.part_name] = command.token;
  Schedule(part, now_.boot + part.fate.start_delay);
}

void SimulatedMachine::Adopt(const StartPart& command, Moment started_at) {
  const auto [slot, fresh] = parts_.try_emplace(command.token);
  MUSTER_CHECK(fresh && started_at <= now_.wall);
  SimulatedPart& part = slot->second;
  part.command = command;
  if (fate_of_) part.fate = fate_of_(command);
  part.sequence = ++sequence_;
  part.stage = Stage::kRunning;
  part.on_nodes = true;
  part.started = {now_.boot.milliseconds - (now_.wall.milliseconds - started_at.milliseconds)};
  part.started_at = started_at;
  newest_[command.part_name] = command.token;
  Schedule(part, std::max(now_.boot, EndOf(part)));
}

// Answers a repeated start without starting anything. A part that runs and whose events the present
// daemon gets anyway needs no answer. Otherwise reports its start and its end, as far as they
// happened, or that the token is over.
void SimulatedMachine::StartAgain(SimulatedPart& part) {
  const std::string& token = part.command.token;
  if (part.watched && part.stage < Stage::kEnded) return;
  KeepOut(part);
  if (part.stage == Stage::kNeverRan || part.stage == Stage::kLost) {
    outbox_.push_back(PartNotStarted{.token = token, .why = kTokenIsOver});
    return;
  }
  part.watched = true;
  outbox_.push_back(PartStarted{.token = token, .at = part.started_at});
  if (part.stage == Stage::kEnded) outbox_.push_back(part.ended);
}

// A daemon that asks about a part tries its lock. A shepherd that is still being spawned finds the
// lock taken, so its part never runs.
void SimulatedMachine::KeepOut(SimulatedPart& part) {
  if (part.stage != Stage::kSpawning) return;
  Unschedule(part);
  part.stage = Stage::kNeverRan;
}

void SimulatedMachine::Stop(const StopPart& command) {
  const auto found = parts_.find(command.token);
  if (found == parts_.end() || !found->second.watched) return;
  SimulatedPart& part = found->second;
  switch (part.stage) {
    case Stage::kSpawning:
      Unschedule(part);
      part.stage = Stage::kNeverRan;
      Tell(part, PartNotStarted{.token = command.token, .why = "released before its start"});
      return;
    case Stage::kRunning:
      Terminate(part, schemas::EndedBy::kRelease, command.grace);
      return;
    case Stage::kEnding: {
      // A stop can only bring KILL forward, and only if processes would still be there then.
      const BootInstant kill = now_.boot + command.grace;
      if (kill >= part.killed_at || part.due < kill) return;
      part.killed_at = kill;
      part.ended.end.exit_code.reset();
      part.ended.end.signal = SIGKILL;
      Schedule(part, std::min(part.due, kill + part.fate.after_kill));
      return;
    }
    case Stage::kEnded:
    case Stage::kNeverRan:
    case Stage::kLost:
      return;
  }
}

// A longer walltime: a part without an end of its own runs until the new end.
void SimulatedMachine::Limit(const LimitPart& command) {
  const auto found = parts_.find(command.token);
  if (found == parts_.end() || !found->second.watched) return;
  SimulatedPart& part = found->second;
  const bool more = command.walltime > part.command.walltime;
  if (!more || (part.stage != Stage::kSpawning && part.stage != Stage::kRunning)) return;
  part.command.walltime = command.walltime;
  if (part.stage == Stage::kRunning && !part.paused_at) Schedule(part, EndOf(part));
}

SimulatedPart* SimulatedMachine::Running(const std::string& token) {
  const auto found = parts_.find(token);
  if (found == parts_.end() || !found->second.watched) return nullptr;
  return found->second.stage == Stage::kRunning ? &found->second : nullptr;
}

// Nothing is due for it until it goes on.
void SimulatedMachine::Pause(const PausePart& command) {
  SimulatedPart* part = Running(command.token);
  if (part == nullptr || part->paused_at) return;
  Unschedule(*part);
  if (GoesOn(*part)) Progress(*part, now_.boot);
  part->paused_at = now_.boot;
  Surround(now_.boot);
}

void SimulatedMachine::Resume(SimulatedPart& part) {
  if (!part.paused_at) return;
  part.paused = part.paused + (now_.boot - *part.paused_at);
  part.paused_at.reset();
  part.progress.as_of = now_.boot;
  Schedule(part, std::max(EndOf(part), now_.boot));
  Surround(now_.boot);
}

void SimulatedMachine::Resize(const ResizePart& command) {
  const auto found = parts_.find(command.token);
  if (found == parts_.end() || !found->second.watched) return;
  if (found->second.stage != Stage::kRunning) return;
  found->second.command.place = command.place;
  Surround(now_.boot);
}

void SimulatedMachine::Find(const FindParts& command) {
  for (const std::string& token : command.tokens) {
    auto [slot, traceless] = parts_.try_emplace(token);
    SimulatedPart& part = slot->second;
    if (traceless) {
      part.command.token = token;
      part.stage = traces_may_be_lost_ ? Stage::kLost : Stage::kNeverRan;
    } else if (!part.watched && !(outsiders_ && part.on_nodes)) {
      KeepOut(part);  // on a shared machine, what has its nodes waits there for its second
    }
    PartFound found{.token = token};
    if (part.started_at != Moment{}) found.started_at = part.started_at;
    switch (part.stage) {
      case Stage::kNeverRan:
        found.finding = Finding::kNeverRan;
        break;
      case Stage::kSpawning:
        if (outsiders_) {  // it waits for its second
          part.asked = part.asked || !part.watched;
          part.watched = true;
          continue;
        }
        [[fallthrough]];
      case Stage::kRunning:
      case Stage::kEnding:
        found.finding = Finding::kRunning;
        part.watched = true;
        break;
      case Stage::kEnded:
        found.finding = Finding::kEnded;
        found.ended = part.ended;
        break;
      case Stage::kLost:
        found.finding = Finding::kCannotTell;
        break;
    }
    outbox_.push_back(std::move(found));
  }
  boot_remembered_ = true;
}

void SimulatedMachine::Forget(const ForgetPart& command) {
  const auto found = parts_.find(command.token);
  if (found == parts_.end() || found->second.stage < Stage::kEnded) return;
  parts_.erase(found);
}

void SimulatedMachine::Read(const ReadOutput& command) {
  OutputRead answer{.inspection = command.inspection};
  if (const auto output = outputs_.find(command.part_name); output != outputs_.end()) {
    const std::string& all = command.error_stream ? output->second.second : output->second.first;
    const auto part = parts_.find(newest_[command.part_name]);
    answer.view.known = true;
    if (command.offset < all.size()) {
      answer.view.data = all.substr(command.offset, command.limit);
    }
    answer.view.next = command.offset + answer.view.data.size();
    answer.view.ended = answer.view.next >= all.size() &&
                        (part == parts_.end() || part->second.stage >= Stage::kEnded);
  }
  outbox_.push_back(std::move(answer));
}

void SimulatedMachine::Settle() {
  while (!agenda_.empty() && std::get<BootInstant>(*agenda_.begin()) <= now_.boot) {
    Happen(parts_.at(std::get<std::string>(*agenda_.begin())));
  }
}

void SimulatedMachine::Happen(SimulatedPart& part) {
  Unschedule(part);
  switch (part.stage) {
    case Stage::kSpawning:
      TakeNodes(part);
      return;
    case Stage::kRunning: {
      const BootInstant walltime = part.started + ToBootSpan(part.command.walltime);
      if (GoesOn(part) && part.asks_at && *part.asks_at <= walltime) return Surround(part.due);
      if (part.program ? !part.progress.done : OwnEndOf(part).value_or(walltime) > walltime) {
        Tell(part, PartEnding{.token = part.command.token});
        Terminate(part, schemas::EndedBy::kWalltime, walltime_grace_);
        return;
      }
      part.ended.end.by = schemas::EndedBy::kExit;
      if (part.fate.signal) {
        part.ended.end.signal = part.fate.signal;
      } else {
        part.ended.end.exit_code = part.fate.exit_code;
      }
      Finish(part);
      return;
    }
    case Stage::kEnding:
      Finish(part);
      return;
    case Stage::kEnded:
    case Stage::kNeverRan:
    case Stage::kLost:
      MUSTER_CHECK(false);
  }
}

// Waits for its nodes, and on them for its second.
void SimulatedMachine::TakeNodes(SimulatedPart& part) {
  const Moment at = WallAt(part.due);
  const bool late = at > ToMoment(part.command.not_after);
  part.on_nodes = part.on_nodes || late || HasRoom(part);
  if (!part.on_nodes) return Schedule(part, part.due + kLooksForRoom);
  const BootSpan wait{ToMoment(part.command.not_before).milliseconds - at.milliseconds};
  if (wait > BootSpan{0} && !late) return Schedule(part, part.due + wait);
  Launch(part);
}

void SimulatedMachine::Launch(SimulatedPart& part) {
  const std::string& token = part.command.token;
  const Moment at = WallAt(part.due);
  PartNotStarted refusal{.token = token, .why = part.fate.cannot_start};
  if (at > ToMoment(part.command.not_after)) {
    refusal.late = true;
    refusal.why = "its last start has passed";
  }
  if (!refusal.why.empty()) {
    part.stage = Stage::kNeverRan;
    Tell(part, std::move(refusal));
    return;
  }
  part.stage = Stage::kRunning;
  part.started = part.due;
  part.started_at = at;
  outputs_[part.command.part_name] = {part.fate.output, part.fate.error_output};
  Tell(part, PartStarted{.token = token, .at = at});
  part.program = applications_ ? applications_->Of(part.command) : nullptr;
  if (part.program) {
    const BootSpan runs = part.fate.runs.value_or(ToBootSpan(part.command.walltime));
    part.progress = part.program->Initialise(part.command, runs, applications_->media(), part.due);
  }
  Schedule(part, EndOf(part));
  if (part.program) Surround(part.started);
}

void SimulatedMachine::ForgetFates() {
  if (outsiders_) outsiders_->Settle();
  fate_of_ = nullptr;
  fates_.clear();
  applications_ = nullptr;
  for (auto& [token, part] : parts_) {
    part.program = nullptr;
    if (part.stage == Stage::kSpawning) part.fate = {};
    if (part.stage != Stage::kRunning) continue;
    part.fate = {};
    if (part.paused_at) continue;
    Schedule(part, EndOf(part));
  }
}

void SimulatedMachine::Terminate(SimulatedPart& part, schemas::EndedBy by, BootSpan grace) {
  Resume(part);
  const BootInstant at = by == schemas::EndedBy::kWalltime ? part.due : now_.boot;
  if (GoesOn(part)) Progress(part, at);
  Unschedule(part);
  part.stage = Stage::kEnding;
  part.killed_at = at + grace;
  part.ended.end.by = by;
  const bool needs_kill = part.fate.after_term > grace;
  part.ended.end.signal = needs_kill ? SIGKILL : SIGTERM;
  if (!needs_kill && part.fate.term_code) {
    part.ended.end.signal.reset();
    part.ended.end.exit_code = part.fate.term_code;
  }
  Schedule(part, needs_kill ? part.killed_at + part.fate.after_kill : at + part.fate.after_term);
  if (part.program) Surround(at);
}

void SimulatedMachine::Finish(SimulatedPart& part) {
  part.stage = Stage::kEnded;
  part.ended.token = part.command.token;
  part.ended.at = WallAt(part.due);
  part.ended.usage.elapsed = part.due - part.started - part.paused;
  const BootSpan busy = part.program
                            ? part.program->Finalise(part.progress, part.ended.usage.elapsed)
                            : part.ended.usage.elapsed;
  part.ended.usage.cpu = busy * TotalCpus(part.command.place);
  Tell(part, part.ended);
  if (part.program) Surround(part.due);
}

void SimulatedMachine::Lose(SimulatedPart& part) {
  if (!part.paused_at) Unschedule(part);
  part.stage = Stage::kLost;
  part.ended.token = part.command.token;
  part.ended.at = now_.wall;
  part.ended.end = {.by = schemas::EndedBy::kUnknown, .text = kShepherdLost};
  if (part.program) Surround(now_.boot);
}

Environment SimulatedMachine::AroundOf(const SimulatedPart& part) const {
  constexpr int64_t kWhole = 1000;
  Environment out{.storage_sharers = storage_sharers_,
                  .processors = TotalCpus(part.command.place),
                  .media = applications_->media()};
  for (const schemas::ChunkPlace& chunk : part.command.place.chunks) {
    const auto drawn = drawn_.find(chunk.node);
    if (drawn == drawn_.end()) continue;
    const auto load = [](int64_t asked, int64_t has) { return has > 0 ? asked * kWhole / has : 0; };
    out.network_load = std::max(out.network_load, load(drawn->second.network, out.media.network));
    out.memory_load = std::max(out.memory_load, load(drawn->second.memory, out.media.memory));
  }
  return out;
}

void SimulatedMachine::Progress(SimulatedPart& part, BootInstant at) {
  const AppStep step = part.program->Update(part.progress, AroundOf(part), at);
  part.asks_at.reset();
  if (step.next) part.asks_at = at + *step.next;
  if (step.wants != part.wants) wants_[part.command.token] = step.wants;
  part.wants = step.wants;
}

// A stage that is over may change what others find, so all are asked again until nothing changes.
void SimulatedMachine::Surround(BootInstant at) {
  if (!applications_) return;
  for (bool again = true; again;) {
    again = false;
    drawn_.clear();
    storage_sharers_ = 0;
    for (const auto& [token, part] : parts_) {
      if (!GoesOn(part)) continue;
      const Draws draws = part.program->DrawsOf(part.progress);
      storage_sharers_ += draws.storage ? 1 : 0;
      for (const schemas::ChunkPlace& chunk : part.command.place.chunks) {
        const int64_t processors = chunk.resources.Get("ncpus");
        Draws& node = drawn_[chunk.node];
        node.network += processors * draws.network;
        node.memory += processors * draws.memory;
      }
    }
    for (auto& [token, part] : parts_) {
      if (!GoesOn(part)) continue;
      const Draws before = part.program->DrawsOf(part.progress);
      Progress(part, at);
      const bool other = part.progress.done || part.program->DrawsOf(part.progress) != before;
      again = again || other;
      Schedule(part, EndOf(part));
    }
  }
}

void SimulatedMachine::Schedule(SimulatedPart& part, BootInstant due) {
  Unschedule(part);
  part.due = due;
  agenda_.insert({due, part.sequence, part.command.token});
}

void SimulatedMachine::Unschedule(const SimulatedPart& part) {
  agenda_.erase({part.due, part.sequence, part.command.token});
}

void SimulatedMachine::Tell(SimulatedPart& part, Event event) {
  if (!part.watched) return;
  PartFound found{.token = part.command.token};
  if (const auto* started = std::get_if<PartStarted>(&event)) {
    found.finding = Finding::kRunning;
    found.started_at = started->at;
  } else if (std::holds_alternative<PartNotStarted>(event)) {
    found.finding = Finding::kNeverRan;
  } else if (const auto* ended = std::get_if<PartEnded>(&event)) {
    found.finding = Finding::kEnded;
    found.ended = *ended;
  }
  if (std::exchange(part.asked, false)) event = std::move(found);
  outbox_.push_back(std::move(event));
}

// The wall time at a boot instant, by the present offset.
Moment SimulatedMachine::WallAt(BootInstant at) const {
  return {now_.wall.milliseconds + (at - now_.boot).milliseconds};
}

}  // namespace muster::driver
