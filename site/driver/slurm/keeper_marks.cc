// What has become of a token: its folder says it, and where that leaves it open, Slurm's record of
// its job. What is said here is final, so nothing is said before it is certain.
#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <utility>

#include "site/driver/part_checks.h"
#include "site/driver/slurm/keeper.h"
#include "site/driver/slurm/wrapper.h"
#include "site/driver/words.h"

namespace muster::driver::slurm {
namespace {

constexpr BootSpan kStartLook = Milliseconds(20);       // of the marks, in the second of a start
constexpr BootSpan kLateStartLook = Milliseconds(200);  // of one that is late by more than a second
constexpr BootSpan kRunningLook = Milliseconds(1000);
constexpr int64_t kLooksPerSecond = 200;  // of all running parts together
// How long after its job was gone a mark may still appear: NFS shows what others wrote a little
// later.
constexpr BootSpan kMarksAppear = Milliseconds(3000);
// Two looks at all, so far apart, without a job that left no mark.
constexpr BootSpan kLostLook = Milliseconds(300);
constexpr BootSpan kWaitsForStart = Milliseconds(5000);
constexpr BootSpan kClocksApart = Milliseconds(5000);    // the controller's and a node's
constexpr BootSpan kAnswersLate = Milliseconds(10'000);  // later than a wrapper's beat
constexpr BootSpan kAskAgain = Milliseconds(60'000);
constexpr BootSpan kReachFolder = Milliseconds(30'000);  // to answer for a folder out of reach

Moment Later(Moment at, BootSpan span) { return {at.milliseconds + span.milliseconds}; }

schemas::PartEnd EndBySlurm(const Job& job) {
  schemas::PartEnd end{
      .by = schemas::EndedBy::kUnknown,
      .text = "Slurm: " + job.state_text + (job.why.empty() ? "" : " (" + job.why + ")")};
  if (job.node_failed) return end;
  end.by = job.timed_out   ? schemas::EndedBy::kWalltime
           : job.cancelled ? schemas::EndedBy::kRelease
                           : schemas::EndedBy::kExit;
  if (WIFSIGNALED(job.wait_status)) {
    end.signal = WTERMSIG(job.wait_status);
  } else {
    end.exit_code = WEXITSTATUS(job.wait_status);
  }
  return end;
}

// Slurm's record says how the job ended whose wrapper has the token and began then. It does not of
// a job that was pending again, as after a controller was killed, and that ended so or ran in vain.
bool TellsTheEnd(const Job& record, uint32_t owner, std::optional<Moment> began) {
  const bool in_vain =
      WIFEXITED(record.wait_status) && WEXITSTATUS(record.wait_status) == kTokenTaken;
  const bool ran = record.had_nodes && record.start < record.end;
  return record.id == owner && ran && !in_vain && began &&
         ToMoment(record.start) <= Later(*began, kClocksApart);
}

std::string WhyItNeverBegan(const Job& job) {
  const int code = WIFEXITED(job.wait_status) ? WEXITSTATUS(job.wait_status) : 0;
  if (code == kNoFolder) return "its node does not see the shared folder";
  std::string why = "its job ended before it began: Slurm says " + job.state_text;
  if (!job.why.empty()) why += " (" + job.why + ")";
  if (code != 0) why += fmt::format(", exit {}", code);
  return why;
}

}  // namespace

void Keeper::Began(Part& part, Moment at) {
  part.stage = Stage::kRunning;
  if (part.started_at) return;
  part.started_at = at;
  if (part.owes_found) return;  // the answer says it
  part.owes_start = false;
  to_.say(PartStarted{.token = part.command.token, .at = at});
}

void Keeper::AssumeRunning(Part& part, Moment now) {
  if (!blind_ || !part.owes_found || part.stage != Stage::kRunning) return;
  if (now < Later(part.asked_at, kReachFolder)) return;
  part.owes_found = false;
  to_.say(PartFound{
      .token = part.command.token, .finding = Finding::kRunning, .started_at = part.started_at});
}

bool Keeper::End(Part& part, PartEnded ended) {
  const std::string token = part.command.token;
  if (part.owes_found) {
    to_.say(PartFound{.token = token,
                      .finding = Finding::kEnded,
                      .started_at = part.started_at,
                      .ended = std::move(ended)});
  } else {
    Began(part, ended.at);
    to_.say(std::move(ended));
  }
  parts_.erase(token);
  AdmitNow();
  return true;
}

bool Keeper::NeverStarted(Part& part, PartNotStarted refusal) {
  const std::string token = part.command.token;
  const bool found = part.owes_found;
  const bool again = part.owes_start && !part.ordered;
  parts_.erase(token);
  if (found) {
    to_.say(PartFound{.token = token, .finding = Finding::kNeverRan});
  } else {
    if (again) refusal.why = kTokenIsOver;
    to_.say(std::move(refusal));
  }
  settle_soon_ = true;  // its job goes with the next look, if there is one
  to_.look_soon();
  AdmitNow();
  return true;
}

// It ran, and how it ended is unknown.
bool Keeper::LoseTrack(Part& part, const std::string& why) {
  const std::string token = part.command.token;
  if (part.owes_found || part.owes_start) {
    const bool found = part.owes_found;
    parts_.erase(token);
    verdicts_[token] = Finding::kCannotTell;
    if (found) {
      to_.say(PartFound{.token = token, .finding = Finding::kCannotTell});
    } else {
      to_.say(PartNotStarted{.token = token, .why = kTokenIsOver});
    }
    return true;
  }
  PartEnded lost{.token = token, .at = Now()};
  lost.end = {.by = schemas::EndedBy::kUnknown, .text = why};
  if (part.started_at) {
    lost.usage.elapsed = {
        std::max<int64_t>(lost.at.milliseconds - part.started_at->milliseconds, 0)};
  }
  return End(part, std::move(lost));
}

bool Keeper::GiveUpUnstarted(Part& part, PartNotStarted refusal) {
  const auto begun = folders_.GiveUp(part.command.token, Begun::kNever);
  if (!begun.ok()) {
    part.look_at = Later(Now(), kRunningLook);  // tried again then
    return false;
  }
  if (*begun != Begun::kYes) return NeverStarted(part, std::move(refusal));
  return ReadMarks(part, Now());  // its wrapper was faster
}

bool Keeper::TakeMarks(Part& part, const Marks& marks, Moment now) {
  const std::string& token = part.command.token;
  if (marks.owner != 0) part.job = marks.owner;
  part.answered = marks.answered;
  if (marks.begun == Begun::kNever) {
    const std::string why = marks.late ? "its last start has passed" : kTokenIsOver;
    return NeverStarted(part, {.token = token, .why = why, .late = marks.late});
  }
  if (marks.begun == Begun::kLost) return LoseTrack(part, kShepherdLost);
  if (marks.begun == Begun::kYes) Began(part, marks.started_at.value_or(now));
  if (marks.ending && !part.ending_told && !marks.ended && !part.owes_found) {
    part.ending_told = true;
    to_.say(PartEnding{token});
  }
  if (marks.ended) {
    PartEnded ended = *marks.ended;
    // Slurm's own limit, or somebody at the cluster: only Slurm's record says which.
    if (marks.by_term && part.last_job && part.last_job->timed_out) {
      ended.end.by = schemas::EndedBy::kWalltime;
    } else if (marks.by_term && !part.stop) {
      ended.end.text = "ended at the cluster";
    }
    return End(part, std::move(ended));
  }
  const auto running = static_cast<int64_t>(parts_.size());
  const BootSpan pace = {std::max(kRunningLook.milliseconds, running * 1000 / kLooksPerSecond)};
  const bool late = now > Later(ToMoment(part.command.not_before), kRunningLook);
  part.look_at = Later(now, part.stage == Stage::kRunning ? pace
                            : late                        ? kLateStartLook
                                                          : kStartLook);
  return false;
}

bool Keeper::ReadMarks(Part& part, Moment now) {
  const auto marks = folders_.Read(part.command.token);
  if (!marks.ok()) {
    part.look_at = Later(now, kRunningLook);
    if (!part.owes_found || now < Later(part.asked_at, kReachFolder)) return false;
    return LoseTrack(part, std::string(Text(marks.status())));
  }
  if (!marks->exists && part.stage != Stage::kHandingOver) {
    // Its user, or somebody else, has removed the folder: only a running job is left to say more.
    part.look_at = Later(now, kRunningLook);
    return false;
  }
  return TakeMarks(part, *marks, now);
}

// A job of the part that has not ended.
bool Keeper::OnJob(Part& part, const Job& job, Moment now) {
  const bool changed = !part.last_job || part.last_job->state != job.state;
  part.gone_since.reset();
  part.last_job = job;
  if (part.job == 0) part.job = job.id;
  const bool waits = part.stage == Stage::kSubmitted;
  if ((changed || job.state == JobState::kCompleting || part.owes_found || part.owes_start) &&
      (now >= ToMoment(part.command.not_before) || !waits || !part.ordered)) {
    if (ReadMarks(part, now)) return true;
  }
  if (part.limit_due) RaiseLimit(part);
  part.asked_wrapper.reset();
  if (part.stage == Stage::kRunning) {
    TellFound(part);
    return false;
  }
  const std::string& token = part.command.token;
  // One that was only asked for does not wait for nodes: it is tried anew with another token.
  if (part.owes_found && job.state == JobState::kPending) {
    return GiveUpUnstarted(part, {.token = token});
  }
  if (part.owes_found &&
      now > Later(std::max(part.asked_at, ToMoment(part.command.not_before)), kWaitsForStart)) {
    return GiveUpUnstarted(part, {.token = token});
  }
  const bool too_late = part.ordered && now > Later(ToMoment(part.command.not_after), kRunningLook);
  if (too_late && job.state == JobState::kPending) {
    return GiveUpUnstarted(part, {.token = token,
                                  .why = "its nodes were not free in time: Slurm says " +
                                         (job.why.empty() ? job.state_text : job.why),
                                  .late = true});
  }
  return false;
}

bool Keeper::ShowsIt(const Part& part, const Look& look) {
  if (part.stage != Stage::kRunning) return false;
  return !part.started_at || look.began > Later(*part.started_at, kClocksApart);
}

void Keeper::TellFound(Part& part) {
  if (!part.owes_found) return;
  part.owes_found = false;
  to_.say(PartFound{
      .token = part.command.token, .finding = Finding::kRunning, .started_at = part.started_at});
}

std::optional<bool> Keeper::GoesOn(Part& part, Moment now) {
  const bool answered = part.asked_wrapper && part.answered == part.asked_wrapper->milliseconds;
  if (answered && now < Later(*part.asked_wrapper, kAskAgain)) return true;
  if (part.asked_wrapper && !answered) {
    if (now < part.answers_by) return std::nullopt;
    return false;
  }
  const Moment question = Now();
  folders_.Ask(part.command.token, question.milliseconds).IgnoreError();  // then nobody answers
  part.asked_wrapper = question;
  part.answers_by = Later(Now(), options_.graces.beat + kAnswersLate);  // a file server may be slow
  return answered ? std::optional(true) : std::nullopt;
}

// A look that began after its job was acknowledged does not have the job, or has it ended.
bool Keeper::OnGone(Part& part, const Look& look, Moment now) {
  if (!part.gone_since) part.gone_since = now;
  const std::string& token = part.command.token;
  folders_.Refresh(token);
  if (ReadMarks(part, now)) return true;
  const Job* record = nullptr;
  for (const Job& job : look.jobs) {
    if (TokenOf(job, options_.prefix) != token || job.state != JobState::kEnded) continue;
    if (record == nullptr || job.id == part.job) record = &job;
  }
  if (record != nullptr) part.last_job = *record;
  const bool marks_are_there = now > Later(*part.gone_since, kMarksAppear);
  if (part.stage == Stage::kRunning) {
    if (!marks_are_there) return false;
    if (record == nullptr || !TellsTheEnd(*record, part.job, part.started_at)) {
      if (!folders_.Read(token).ok()) {  // who cannot be heard is not gone
        part.asked_wrapper.reset();
        return false;
      }
      const std::optional<bool> goes_on = GoesOn(part, now);
      if (goes_on == true) TellFound(part);
      return goes_on == false && LoseTrack(part, kShepherdLost);
    }
    PartEnded ended{.token = token, .at = ToMoment(record->end), .end = EndBySlurm(*record)};
    if (part.started_at) {
      ended.usage.elapsed = {
          std::max<int64_t>(ended.at.milliseconds - part.started_at->milliseconds, 0)};
    }
    return End(part, std::move(ended));
  }
  const auto marks = folders_.Read(token);
  if (!marks.ok()) return false;
  // The controller has forgotten what it had acknowledged, or has started it anew after it had
  // killed the first: a wrapper waited in vain, or none came.
  const bool lost = record == nullptr || (!record->cancelled && WIFEXITED(record->wait_status) &&
                                          WEXITSTATUS(record->wait_status) == kTokenTaken);
  if (lost && part.ordered && !part.stop) {
    if (look.began < Later(*part.gone_since, kLostLook)) {
      if (now >= Later(*part.gone_since, kLostLook)) to_.look_soon();
      return false;
    }
    if (now <= ToMoment(part.command.not_after)) {
      folders_.Release(token);
      HandOverNow(part, !marks->exists);
      return true;  // this part is done with for now, or over
    }
    return GiveUpUnstarted(part, {.token = token, .why = "Slurm lost its job", .late = true});
  }
  if (!marks_are_there) return false;
  if (part.owes_found && !marks->exists && folders_.fresh()) {
    return LoseTrack(part, "its folder is gone");
  }
  const std::string why = record == nullptr ? "its job is gone" : WhyItNeverBegan(*record);
  return GiveUpUnstarted(part, {.token = token, .why = why});
}

void Keeper::Find(const std::string& token) {
  if (const auto known = parts_.find(token); known != parts_.end()) {
    Part& part = known->second;
    // One that waits for its second tells its start, or that it never will.
    if (part.owes_found || part.stage != Stage::kRunning) return;
    to_.say(PartFound{.token = token, .finding = Finding::kRunning, .started_at = part.started_at});
    return;
  }
  const auto answer = [&](Finding finding) {
    to_.say(PartFound{.token = token, .finding = finding});
  };
  if (const auto told = verdicts_.find(token); told != verdicts_.end()) return answer(told->second);
  if (!IsFileName(token)) return answer(Finding::kNeverRan);
  const auto marks = folders_.Read(token);
  if (marks.ok() && !marks->exists) {
    // No job of it can begin without a folder. Whether one did is known if folders are kept here.
    const bool proves = !folders_.fresh();
    const auto given = folders_.GiveUp(token, proves ? Begun::kNever : Begun::kLost);
    const Finding finding = proves && given.ok() ? Finding::kNeverRan : Finding::kCannotTell;
    if (!given.ok()) verdicts_[token] = finding;
    return answer(finding);
  }
  Part part{.command = {.token = token},
            .owes_found = true,
            .stage = Stage::kSubmitted,
            .acknowledged = Now(),
            .asked_at = Now(),
            .look_at = Now()};
  Part& added = parts_.emplace(token, std::move(part)).first->second;
  if (!marks.ok()) return;
  added.command.not_before = marks->not_before;
  added.command.part_name = marks->part_name;
  newest_[marks->part_name] = token;
  TakeMarks(added, *marks, Now());
  to_.look_soon();
}

void Keeper::Forget(const std::string& token) {
  if (parts_.contains(token)) return;
  folders_.Empty(token);
  verdicts_.erase(token);
  std::erase_if(newest_, [&](const auto& entry) { return entry.second == token; });
}

void Keeper::Read(const ReadOutput& command) {
  OutputRead answer{.inspection = command.inspection};
  schemas::OutputView& view = answer.view;
  view.next = command.offset;
  std::string token;
  if (IsFileName(command.part_name)) {
    const auto known = newest_.find(command.part_name);
    token = known != newest_.end() ? known->second : folders_.NewestOf(command.part_name);
    if (!token.empty()) newest_[command.part_name] = token;
  }
  // Asked before reading: a part that has ended by now has written all of its output.
  const bool over = !token.empty() && !parts_.contains(token);
  if (!token.empty()) {
    if (auto piece = folders_.Output(token, command.error_stream, command.offset, command.limit)) {
      view.known = true;
      view.data = std::move(piece->data);
      view.next += view.data.size();
      view.ended = over && piece->to_the_end;
    }
  }
  to_.say(std::move(answer));
}

}  // namespace muster::driver::slurm
