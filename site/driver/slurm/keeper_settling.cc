// What a daemon that begins is told to keep, and what must not be there: for each minute, and where
// something may have been lost.
#include <fmt/format.h>
#include <signal.h>

#include <utility>

#include "site/driver/slurm/keeper.h"
#include "site/driver/slurm/wall_names.h"

namespace muster::driver::slurm {
namespace {

constexpr BootSpan kKillAgain = Milliseconds(2000);
constexpr BootSpan kSettleEvery = Milliseconds(60'000);

}  // namespace

void Keeper::Begin(const Reconcile& command) {
  ours_ = {command.tokens.begin(), command.tokens.end()};
  walls_.clear();
  waiting_.clear();
  for (const PutWall& put : command.walls) {
    const auto wanted = Shape(put);
    // It is over, or all of it is in the commons.
    if (put.when.end <= Now().Floor() || (wanted.ok() && wanted->nodes.empty())) {
      to_.say(WallStands{.wall = put.wall, .serial = put.serial});
      continue;
    }
    if (wanted.ok()) {
      walls_[put.wall] = {.put = put, .wanted = *wanted, .answered = false};
    } else {
      to_.say(WallLost{.wall = put.wall, .why = std::string(Text(wanted.status()))});
    }
  }
  reconciled_ = true;
  settle_soon_ = true;
  // Who asks may have heard nothing yet: a core that takes the place of another.
  seen_.Forget();
  seen_at_ = {};
  to_.look_soon();
}

Known Keeper::KnownNow() {
  Known known{.prefix = options_.prefix, .complete = reconciled_};
  for (const auto& [_, wall] : walls_) known.walls[wall.wanted.name] = wall.wanted;
  for (const auto& [token, part] : parts_) {
    known.tokens[token] = {.owner = look_ && ShowsIt(part, *look_) ? part.job : 0,
                           .begun = part.stage == Stage::kRunning,
                           .minutes = part.minutes};
  }
  if (!look_) return known;
  for (const Job& job : look_->jobs) {
    const std::string token = TokenOf(job, options_.prefix);
    if (token.empty() || job.state == JobState::kEnded || parts_.contains(token)) continue;
    if (known.tokens.contains(token)) continue;
    const auto marks = folders_.Read(token);
    if (!marks.ok()) {
      known.tokens[token] = {};  // not known now
      continue;
    }
    const bool over =
        marks->begun == Begun::kNever || marks->begun == Begun::kLost || marks->ended.has_value();
    // A job of an earlier driver's that the site has not asked for yet, or that it asks for.
    if (over || !reconciled_ || ours_.contains(token)) {
      known.tokens[token] = {.owner = marks->owner, .over = over};
    }
  }
  return known;
}

// Which of its two names a wall has that an earlier daemon put: the one that is as asked.
void Keeper::FindNames() {
  for (auto& [name, wall] : walls_) {
    if (wall.answered) continue;
    const auto good = [&, &wanted = wall.wanted](const std::string& as) {
      const Reservation* there = NamedIn(look_->reservations, as);
      wanted.name = as;
      return there != nullptr && IsAsAsked(*there, wanted, Now().Floor());
    };
    const std::string other = OtherName(name);
    const bool only_other = NamedIn(look_->reservations, name) == nullptr &&
                            NamedIn(look_->reservations, other) != nullptr;
    if (!good(name) && !good(other)) wall.wanted.name = only_other ? other : name;
  }
}

void Keeper::SettleNow() {
  FindNames();
  settle_soon_ = false;
  settle_at_ = Past(Now(), kSettleEvery);
  const Known known = KnownNow();
  const Settlement settlement = Settle(known, *look_);
  AnswerSettled(settlement);
  Apply(known, settlement);
}

// Walls that an earlier daemon put, and that are as they shall be. The others are put first.
void Keeper::AnswerSettled(const Settlement& settlement) {
  const std::set<std::string> changed = [&] {
    std::set<std::string> out(settlement.put.begin(), settlement.put.end());
    out.insert(settlement.change.begin(), settlement.change.end());
    return out;
  }();
  for (auto& [name, wall] : walls_) {
    if (wall.answered || changed.contains(wall.wanted.name)) continue;
    if (changed_.contains(wall.wanted.name)) {  // not read back yet
      settle_soon_ = true;
      continue;
    }
    wall.answered = true;
    to_.say(WallStands{.wall = name, .serial = wall.put.serial});
  }
}

void Keeper::Apply(const Known& known, const Settlement& settlement) {
  for (const auto& kill : settlement.kill) {
    Kill(kill.job, [&](const Job& now) { return !SettleJob(known, now).kill.empty(); });
  }
  for (const std::string& reservation : settlement.drop) Delete(reservation);
  for (const auto& limit : settlement.restore) {
    const auto is_raised = [&](const Job& now) { return !SettleJob(known, now).restore.empty(); };
    if (!blind_ && IsNow(limit.job, is_raised)) {
      Fail(cluster_.SetLimit(limit.job, limit.minutes));
    }
  }
  std::vector<std::string> put = settlement.put;
  put.insert(put.end(), settlement.change.begin(), settlement.change.end());
  for (const std::string& reservation : put) {
    const std::string name = WallNamed(reservation);
    const auto wall = walls_.find(name);
    if (blind_ || wall == walls_.end()) continue;
    WantedReservation wanted = wall->second.wanted;
    const Reservation* there = NamedIn(look_->reservations, reservation);
    const absl::StatusOr<Over> over =
        there != nullptr ? Replace(*there, wanted, false) : PutOne(wanted);
    if (over.ok() && !LicencesAreFree(wanted, look_->jobs)) {
      walls_.erase(name);
      Delete(wanted.name);
      to_.say(WallLost{
          .wall = name, .code = schemas::CauseCode::kLocal, .why = "others have licences of it"});
      continue;
    }
    if (over.ok()) {
      wall->second.wanted = std::move(wanted);
      if (!over->left.empty()) Delete(over->left);
      settle_soon_ = true;  // read back with the next look
      continue;
    }
    if (absl::IsAborted(over.status())) continue;
    if (absl::IsUnavailable(over.status())) {
      settle_soon_ = true;
      Fail(over.status());
      return;
    }
    if (walls_.erase(name) == 0) continue;  // told already
    const bool restarted = look_->settings.controller_started > opened_.Floor();
    to_.say(
        WallLost{.wall = name,
                 .code = restarted ? schemas::CauseCode::kNodeLost : schemas::CauseCode::kOperator,
                 .why = std::string(Text(over.status()))});
  }
}

void Keeper::KillIntruders(const Look& look) {
  if (!options_.strict) return;
  for (const Job* job : Intruders(look, seen_options_)) {
    Kill(job->id, [&](const Job& now) { return IsIntruder(now, seen_options_); });
  }
}

bool Keeper::IsNow(uint32_t job, const Holds& so) {
  const auto row = cluster_.LoadJob(job);
  if (!row.ok()) Fail(row.status());
  return row.ok() && so(*row);
}

bool Keeper::IsNowOf(uint32_t job, const std::string& token) {
  return IsNow(job, [&](const Job& row) { return TokenOf(row, options_.prefix) == token; });
}

void Keeper::Kill(uint32_t job, const Holds& so) {
  const Moment now = Now();
  std::erase_if(killed_, [&](const auto& entry) { return Past(entry.second, kSettleEvery) < now; });
  const auto before = killed_.find(job);
  if (blind_ || (before != killed_.end() && now < Past(before->second, kKillAgain))) return;
  if (!IsNow(job, so)) return;
  killed_[job] = now;
  const absl::Status status = cluster_.Signal(job, SIGKILL, Cluster::To::kWholeJob);
  if (!status.ok()) Fail(status);
  settle_soon_ = true;  // looked at again: a cancel alone does not outlive its controller
}

// Users whose jobs are running stay in without being listed; those whose jobs are not, are.
void Keeper::AdmitNow() {
  if (seen_options_.commons.empty()) return;
  std::set<std::string> users;
  for (const auto& [token, part] : parts_) {
    if (part.stage == Stage::kRunning || !part.ordered) continue;
    const auto account = accounts_.Of(part.command.user);
    if (account.ok() && *account) users.insert((*account)->name);
  }
  if (users == admitted_) return;
  admitted_ = users;
  to_.admit_only(std::move(users));
}

}  // namespace muster::driver::slurm
