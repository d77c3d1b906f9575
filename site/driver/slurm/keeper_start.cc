// Starts, limits and stops parts. A part is handed over at once; its job waits for its second.
#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <utility>

#include "site/driver/part_checks.h"
#include "site/driver/slurm/keeper.h"
#include "site/driver/slurm/wrapper.h"
#include "site/driver/words.h"

namespace muster::driver::slurm {
namespace {

constexpr BootSpan kTryAgain = Milliseconds(500);  // a hand-over that was refused for now
constexpr BootSpan kSignalAgain = Milliseconds(1000);
constexpr BootSpan kKillAfterGrace = Milliseconds(3000);  // when a wrapper does not end its part

Moment After(Moment at, BootSpan span) { return {at.milliseconds + span.milliseconds}; }

std::string AccountName(const std::optional<Account>& account) {
  return account ? account->name : "root";
}

}  // namespace

void Keeper::Start(const StartPart& part) {
  if (const auto known = parts_.find(part.token); known != parts_.end()) {
    if (!known->second.ordered) known->second.owes_start = true;
    return;
  }
  if (const absl::Status status = folders_.RememberUse(); !status.ok()) {
    return to_.say(PartNotStarted{.token = part.token, .why = std::string(Text(status))});
  }
  for (const std::string& name : {part.token, part.part_name}) {
    if (IsFileName(name)) continue;
    return Refuse({.token = part.token, .why = "'" + name + "' cannot name a folder"});
  }
  if (const std::string wrong = WhatIsWrongWith(part); !wrong.empty())
    return Refuse({.token = part.token, .why = wrong});
  if (Now() > ToMoment(part.not_after))
    return Refuse({.token = part.token, .why = "its last start has passed", .late = true});
  Part fresh{.command = part, .ordered = true, .asked_at = Now()};
  HandOverNow(parts_.emplace(part.token, std::move(fresh)).first->second, true);
}

// REQUIRES: the part is in parts_; it may be gone afterwards.
void Keeper::HandOverNow(Part& part, bool make_folder) {
  const std::string token = part.command.token;
  const auto refuse = [&](const absl::Status& status) {
    parts_.erase(token);
    Refuse({.token = token, .why = std::string(Text(status))});
  };
  const auto account = accounts_.Of(part.command.user);
  if (!account.ok()) return refuse(account.status());
  auto job = JobOf(part.command, GroundNow());
  if (!job.ok()) return refuse(job.status());
  if (const auto wall = walls_.find(job->reservation); wall != walls_.end()) {
    job->reservation = wall->second.wanted.name;
  }
  const Instant now = Now().Floor();
  part.minutes =
      MinutesFor(part.command.walltime, options_.graces.walltime, part.command.not_before, now);
  job->minutes = MinutesAtFirst(part.minutes, job->nodes, job->reservation, *look_, now);
  part.limit_due = job->minutes < part.minutes;
  job->name = options_.prefix + token;
  job->comment = token;
  job->script = BatchScript(folders_.FolderOf(token));
  job->work_dir = "/";
  job->uid = *account ? (*account)->uid : geteuid();
  job->gid = *account ? (*account)->gid : getegid();
  job->environment = {"PATH=/usr/local/bin:/usr/bin:/bin"};
  part.stage = Stage::kHandingOver;
  part.again_at.reset();
  part.job = 0;
  part.last_job.reset();
  part.gone_since.reset();
  newest_[part.command.part_name] = token;
  HandOver order{.part = part.command,
                 .account = *account,
                 .submission = *std::move(job),
                 .make_folder = make_folder};
  if (seen_options_.commons.contains(order.submission.reservation)) {
    order.admit = AccountName(*account);
  }
  to_.hand_over(std::move(order));
}

void Keeper::OnHandedOver(const HandedOver& done) {
  const auto found = parts_.find(done.token);
  if (found == parts_.end()) return;
  Part& part = found->second;
  using Outcome = HandedOver::Outcome;
  switch (done.outcome) {
    case Outcome::kSubmitted:
    case Outcome::kUnknown:
      part.stage = Stage::kSubmitted;
      part.job = done.job;
      part.acknowledged = done.at;
      part.look_at = std::max(ToMoment(part.command.not_before), Now());
      if (done.outcome == Outcome::kUnknown) to_.failed(done.why);
      if (part.stop) StopBeforeStart(part);
      return;
    case Outcome::kTryAgain:
      if (part.stop || Now() > ToMoment(part.command.not_after)) {
        part.stage = Stage::kSubmitted;  // looked after until the token is given up
        part.acknowledged = done.at;
        GiveUpUnstarted(part, {.token = done.token, .why = done.why, .late = !part.stop});
      } else {
        part.again_at = After(Now(), kTryAgain);
      }
      return;
    case Outcome::kUsed: {
      const StartPart command = part.command;
      parts_.erase(found);
      return StartAgain(command);
    }
    case Outcome::kRefused:
      if (part.acknowledged != Moment{}) {  // an earlier hand-over may still have a job
        part.stage = Stage::kSubmitted;
        part.acknowledged = done.at;
        GiveUpUnstarted(part, {.token = done.token, .why = done.why});
        return;
      }
      parts_.erase(found);
      return Refuse({.token = done.token, .why = done.why});
  }
}

// A new token is given up, so that no later driver starts it. One that was used before is answered
// by what its folder says.
void Keeper::Refuse(const PartNotStarted& refusal) {
  if (!IsFileName(refusal.token)) return to_.say(refusal);
  const auto marks = folders_.Read(refusal.token);
  if (marks.ok() && (marks->begun != Begun::kNo || marks->owner != 0)) {
    return StartAgain({.token = refusal.token, .part_name = marks->part_name});
  }
  const auto begun = folders_.GiveUp(refusal.token, Begun::kNever);
  if (begun.ok() && *begun == Begun::kYes) {
    return StartAgain({.token = refusal.token});  // its wrapper was faster
  }
  if (!begun.ok()) verdicts_[refusal.token] = Finding::kNeverRan;
  to_.say(refusal);
}

// Nothing is submitted for a token whose folder was there, unless nothing of it has begun.
void Keeper::StartAgain(const StartPart& command) {
  const auto marks = folders_.Read(command.token);
  if (!marks.ok()) {
    return to_.say(PartNotStarted{.token = command.token, .why = kTokenIsOver});
  }
  Part part{.command = command,
            .owes_start = true,
            .stage = Stage::kSubmitted,
            .acknowledged = Now(),
            .asked_at = Now(),
            .look_at = Now()};
  part.command.not_before = marks->not_before;
  part.command.part_name = marks->part_name;
  Part& added = parts_.insert_or_assign(command.token, std::move(part)).first->second;
  TakeMarks(added, *marks, Now());
}

void Keeper::Stop(const StopPart& command) {
  const auto found = parts_.find(command.token);
  if (found == parts_.end()) return;
  Part& part = found->second;
  part.stop = part.stop ? std::min(*part.stop, command.grace) : command.grace;
  if (!part.stop_asked) part.stop_asked = Now();
  if (part.stage == Stage::kHandingOver && !part.again_at) return;  // when its answer is there
  if (part.stage != Stage::kRunning && StopBeforeStart(part)) return;
  if (part.stage == Stage::kRunning) SignalStop(part, Now());
}

bool Keeper::StopBeforeStart(Part& part) {
  return GiveUpUnstarted(part, {.token = part.command.token, .why = "stopped before it started"});
}

// By the last look, since an id that was ours may be another's by now.
const Job* Keeper::JobOfToken(const std::string& token) const {
  const Job* found = nullptr;
  const auto part = parts_.find(token);
  for (const Job& job : look_->jobs) {
    if (job.state == JobState::kEnded || TokenOf(job, options_.prefix) != token) continue;
    if (found == nullptr || (part != parts_.end() && part->second.job == job.id)) found = &job;
  }
  return found;
}

void Keeper::SignalStop(Part& part, Moment now) {
  folders_.WriteStop(part.command.token, *part.stop).IgnoreError();
  part.signal_at = After(now, kSignalAgain);
  const Job* job = JobOfToken(part.command.token);
  if (blind_ || job == nullptr) return;
  if (!IsNowOf(job->id, part.command.token)) return;
  const bool overdue = now > After(After(*part.stop_asked, *part.stop), kKillAfterGrace);
  const absl::Status status = overdue
                                  ? cluster_.Signal(job->id, SIGKILL, Cluster::To::kWholeJob)
                                  : cluster_.Signal(job->id, SIGTERM, Cluster::To::kBatchScript);
  if (!status.ok()) Fail(status);
}

// Slurm's limit is raised first: it would end a part that goes on by its file alone.
void Keeper::Limit(const LimitPart& command) {
  const auto found = parts_.find(command.token);
  if (found == parts_.end() || !(found->second.command.walltime < command.walltime)) return;
  Part& part = found->second;
  part.command.walltime = command.walltime;
  part.limit_due = true;
  RaiseLimit(part);
  folders_.WriteWalltime(command.token, command.walltime).IgnoreError();
}

void Keeper::RaiseLimit(Part& part) {
  const Instant begins = part.started_at ? part.started_at->Ceiling() : part.command.not_before;
  const Instant by_slurm = part.last_job && part.last_job->state == JobState::kRunning
                               ? part.last_job->start
                               : begins - Span{1};
  part.minutes = std::max(
      part.minutes, MinutesFor(part.command.walltime, options_.graces.walltime, begins, by_slurm));
  // A pending job keeps the limit with which it can start.
  if (blind_ || !part.last_job || part.last_job->state != JobState::kRunning) return;
  if (part.last_job->limit && part.last_job->limit->seconds >= part.minutes * 60) {
    part.limit_due = false;
    return;
  }
  if (!IsNowOf(part.last_job->id, part.command.token)) return;
  const absl::Status status = cluster_.SetLimit(part.last_job->id, part.minutes);
  if (!status.ok()) return Fail(status);
  part.limit_due = false;
  part.last_job->limit = Span{part.minutes * 60};
}

}  // namespace muster::driver::slurm
