// Walls, and what must not be there. A wall counts once it was read back and is as asked: Slurm has
// granted four nodes with three, and said that all was well.
//
// Slurm does not change everything of a reservation: neither its cores nor the begin of one that
// has begun. A wall that was deleted first would let local jobs in. So each has two names, and is
// made anew under the one that does not stand.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "site/driver/slurm/keeper.h"
#include "site/driver/slurm/wall_names.h"

namespace muster::driver::slurm {
namespace {

constexpr BootSpan kDropAgain = Milliseconds(500);
constexpr BootSpan kWaitsForDrop = Milliseconds(3000);

bool SharesANode(const Reservation& there, const WantedReservation& wanted) {
  return std::any_of(there.nodes.begin(), there.nodes.end(), [&](const ReservedNode& node) {
    return std::any_of(wanted.nodes.begin(), wanted.nodes.end(),
                       [&](const ReservedNode& mine) { return mine.node == node.node; });
  });
}

bool Meets(const Reservation& there, const WantedReservation& wanted) {
  return there.when.begin < wanted.when.end && wanted.when.begin < there.when.end &&
         SharesANode(there, wanted);
}

bool Meets(const Job& job, const WantedReservation& wanted) {
  const bool running = job.state == JobState::kRunning || job.state == JobState::kCompleting;
  if (!running || (job.limit && job.start + *job.limit <= wanted.when.begin)) return false;
  return std::any_of(job.nodes.begin(), job.nodes.end(), [&](const JobNode& node) {
    return std::any_of(wanted.nodes.begin(), wanted.nodes.end(),
                       [&](const ReservedNode& there) { return there.node == node.node; });
  });
}

}  // namespace

void Keeper::Fail(const absl::Status& status) {
  if (!absl::IsUnavailable(status)) return;
  blind_ = true;
  to_.failed(std::string(Text(status)));
}

void Keeper::Refuse(const PutWall& put, const std::string& why, bool again) {
  to_.say(WallRefused{.wall = put.wall, .serial = put.serial, .why = why, .again = again});
}

absl::StatusOr<WantedReservation> Keeper::Shape(const PutWall& put) {
  if (!put.wall.starts_with(options_.prefix)) {
    return InvalidArgument(fmt::format("wall '{}' does not begin with this site's prefix '{}'",
                                       put.wall, options_.prefix));
  }
  if (!look_) return Unavailable("the cluster has not been seen yet");
  MUSTER_ASSIGN_OR_RETURN(WantedReservation wanted, WallOf(put, GroundNow(), Now().Floor()));
  if (!wanted.nodes.empty() && options_.walls != SlurmWalls::kEach) {
    return InvalidArgument("this site has no walls for nodes outside of its commons");
  }
  MUSTER_ASSIGN_OR_RETURN(const auto account, accounts_.Of(put.user));
  wanted.users = {account ? account->name : "root"};
  wanted.beside = put.beside;
  return wanted;
}

// Jobs of this site's are no reason to refuse a wall behind them, where nobody else is.
bool Keeper::OnlyOwnJobsAreThere(const WantedReservation& wanted,
                                 const std::vector<Job>& jobs) const {
  return std::none_of(jobs.begin(), jobs.end(), [&](const Job& job) {
    return TokenOf(job, options_.prefix).empty() && Meets(job, wanted);
  });
}

// Nor are walls that it replaces, where there is no other reservation: of a node that others have a
// part of, Slurm might give it theirs.
bool Keeper::OnlyReplacedAreThere(const WantedReservation& wanted,
                                  const std::vector<Reservation>& rows) {
  return std::none_of(rows.begin(), rows.end(), [&](const Reservation& there) {
    const bool replaced =
        there.name == wanted.name ||
        std::find(wanted.beside.begin(), wanted.beside.end(), there.name) != wanted.beside.end();
    return !replaced &&
           (Meets(there, wanted) || (there.recurs > Span{0} && SharesANode(there, wanted)));
  });
}

// Slurm keeps licences that jobs have at the time: they may have them beyond the wall's begin.
bool Keeper::LicencesAreFree(const WantedReservation& wanted, const std::vector<Job>& jobs) const {
  return std::all_of(wanted.licences.begin(), wanted.licences.end(), [&](const auto& asked) {
    const auto& [name, amount] = asked;
    int64_t taken = 0;
    for (const Job& job : jobs) {
      const bool running = job.state == JobState::kRunning || job.state == JobState::kCompleting;
      const bool over = job.limit && job.start + *job.limit <= wanted.when.begin;
      if (!running || over || !TokenOf(job, options_.prefix).empty()) continue;
      if (const auto has = job.licences.find(name); has != job.licences.end()) taken += has->second;
    }
    const auto there = look_->settings.licences.find(name);
    return there != look_->settings.licences.end() && taken + amount <= there->second;
  });
}

absl::StatusOr<Keeper::Over> Keeper::PutOne(const WantedReservation& wanted) {
  absl::Status status = CreateWall(wanted);
  if (status.ok()) return Over{};
  if (!absl::IsFailedPrecondition(status)) return status;
  WantedReservation over = wanted;
  // Not by jobs that may have ended since, with others in their place.
  over.ignore_jobs = OnlyOwnJobsAreThere(wanted, look_->jobs) && ReadJobs() &&
                     OnlyOwnJobsAreThere(wanted, look_->jobs);
  over.overlap = !wanted.beside.empty() && OnlyReplacedAreThere(wanted, look_->reservations);
  if (!over.ignore_jobs && !over.overlap) return status;
  MUSTER_RETURN_IF_ERROR(CreateWall(over));
  return Over{.own_jobs = over.ignore_jobs, .own_walls = over.overlap};
}

// Made anew over the one that stands, if that is alone there. None: there is no room for both.
std::optional<Keeper::Over> Keeper::MakeAnew(const Reservation& there, WantedReservation& wanted) {
  WantedReservation anew = wanted;
  anew.name = OtherName(there.name);
  anew.beside.push_back(there.name);
  if (NamedIn(look_->reservations, anew.name) != nullptr) return std::nullopt;
  auto over = PutOne(anew);
  if (!over.ok()) return std::nullopt;
  over->left = there.name;
  wanted = std::move(anew);
  return *std::move(over);
}

// Jobs that would start as soon as a wall is gone.
bool Keeper::LocalJobsWait() const {
  return std::any_of(look_->jobs.begin(), look_->jobs.end(), [&](const Job& job) {
    return job.state == JobState::kPending && !job.held && TokenOf(job, options_.prefix).empty();
  });
}

// Of last resort: it is deleted and made again, unless a job is in it. What stood stands again if
// that fails.
absl::StatusOr<Keeper::Over> Keeper::Replace(const Reservation& before, WantedReservation& wanted,
                                             bool by_choice) {
  const Reservation there = before;  // what is known of it changes here
  wanted.name = there.name;
  const Instant now = Now().Floor();
  const bool goes_on = there.when.begin <= now && wanted.when.begin <= now;
  const absl::Status changed = ChangeWall(wanted, goes_on);
  if (changed.ok()) return Over{};
  if (absl::IsUnavailable(changed)) return changed;
  const bool in_use = there.when.begin <= now && HasOnlyAnotherEnd(there, wanted);
  if (!in_use) {
    if (auto anew = MakeAnew(there, wanted)) return *std::move(anew);
    if (by_choice && (LocalJobsWait() || (ReadJobs() && LocalJobsWait()))) {
      return absl::FailedPreconditionError("there is no room for it beside what it has");
    }
  }
  if (const absl::Status gone = DeleteWall(wanted.name); !gone.ok()) {
    // A job is in it, and it stands as it was.
    return absl::IsFailedPrecondition(gone) ? absl::AbortedError(gone.message()) : gone;
  }
  auto put = PutOne(wanted);
  if (put.ok() || absl::IsUnavailable(put.status())) return put;
  WantedReservation again{.name = there.name,
                          .when = there.when,
                          .nodes = there.nodes,
                          .users = there.users,
                          .licences = there.licences,
                          .partition = wanted.partition,
                          .beside = wanted.beside};
  again.when.begin = std::max(again.when.begin, Now().Floor());
  if (PutOne(again).ok()) return put.status();
  const std::string wall = WallNamed(there.name);
  to_.say(WallLost{.wall = wall, .why = "it was changed, and what came in between is there"});
  walls_.erase(wall);
  return put.status();
}

// The reservation that a wall stands as; null: it does not stand.
const Reservation* Keeper::StandsAs(const std::string& wall) const {
  const auto known = walls_.find(wall);
  const std::string& first = known != walls_.end() ? known->second.wanted.name : wall;
  const Reservation* there = NamedIn(look_->reservations, first);
  return there != nullptr ? there : NamedIn(look_->reservations, OtherName(first));
}

void Keeper::PutWalls(const std::vector<PutWall>& puts) {
  std::vector<Placed> put;
  Refusals refused;
  for (const PutWall& asked : puts) {
    const auto waits = waiting_.find(asked.wall);
    if (waits != waiting_.end() && waits->second.put.serial != asked.serial) waiting_.erase(waits);
    auto wanted = Shape(asked);
    if (!wanted.ok()) {
      refused.emplace_back(asked, wanted.status());
      continue;
    }
    if (wanted->nodes.empty()) {  // all of it is in the commons
      to_.say(WallStands{.wall = asked.wall, .serial = asked.serial});
      if (walls_.contains(asked.wall)) Drop(asked.wall);
      continue;
    }
    const Reservation* there = StandsAs(asked.wall);
    if (there != nullptr) {
      drops_.erase(there->name);
      wanted->name = there->name;
    }
    if (WaitsForADrop(asked, *wanted)) continue;
    std::optional<Wall> before;
    if (const auto known = walls_.find(asked.wall); known != walls_.end()) before = known->second;
    if (!before && walls_.size() >= options_.most_walls) {
      refused.emplace_back(
          asked, InvalidArgument(fmt::format("the cluster keeps {} walls for the federation",
                                             options_.most_walls)));
      continue;
    }
    const bool longer = there != nullptr && HasOnlyAnotherEnd(*there, *wanted);
    const bool stands = there != nullptr && IsAsAsked(*there, *wanted, Now().Floor());
    absl::StatusOr<Over> over = stands             ? Over{}
                                : there != nullptr ? Replace(*there, *wanted, asked.by_choice)
                                                   : PutOne(*wanted);
    if (absl::IsAlreadyExists(over.status())) {
      over = Replace({.name = asked.wall,
                      .when = wanted->when,
                      .nodes = wanted->nodes,
                      .users = wanted->users,
                      .licences = wanted->licences},
                     *wanted, asked.by_choice);
    }
    if (absl::IsAborted(over.status()) && longer) {
      // The part that is in it keeps its cores by its own limit, which is raised next.
      walls_[asked.wall] = {.put = asked, .wanted = *wanted};
      to_.say(WallStands{.wall = asked.wall, .serial = asked.serial});
    } else if (over.ok()) {
      walls_[asked.wall] = {.put = asked, .wanted = *wanted};
      put.push_back({.put = asked, .over = *over, .before = std::move(before)});
    } else {
      Fail(over.status());
      refused.emplace_back(asked, over.status());
    }
  }
  if (!put.empty()) AnswerPuts(put, refused);
  if (refused.empty()) return;
  TellWhatIsThere();
  for (const auto& [asked, status] : refused) {
    const bool again = absl::IsFailedPrecondition(status) || absl::IsUnavailable(status);
    Refuse(asked, std::string(Text(status)), again);
  }
}

bool Keeper::WaitsForADrop(const PutWall& asked, const WantedReservation& wanted) {
  const bool meets = std::any_of(drops_.begin(), drops_.end(), [&](const auto& drop) {
    const Reservation* there = NamedIn(look_->reservations, drop.first);
    return there != nullptr && Meets(*there, wanted);
  });
  const auto before = waiting_.find(asked.wall);
  const Moment until = before != waiting_.end() ? before->second.until : Past(Now(), kWaitsForDrop);
  if (before != waiting_.end()) waiting_.erase(before);
  if (!meets || Now() >= until) return false;
  waiting_[asked.wall] = {asked, until};
  return true;
}

void Keeper::PutWaiting() {
  if (waiting_.empty() || blind_ || !look_) return;
  std::vector<PutWall> puts;
  for (const auto& [wall, waiting] : waiting_) puts.push_back(waiting.put);
  PutWalls(puts);
}

bool Keeper::ReadJobs() {
  const Moment began = Now();
  auto jobs = cluster_.JobsSince(0);
  if (!jobs.ok()) Fail(jobs.status());
  if (!jobs.ok() || !*jobs) return false;
  look_->jobs = std::move((*jobs)->rows);
  jobs_read_at_ = began;
  return true;
}

// What is in the way of a wall is told before its refusal.
void Keeper::TellWhatIsThere() {
  if (blind_ || !look_ || !ReadJobs()) return;
  const auto reservations = cluster_.ReservationsSince(0);
  if (!reservations.ok()) return Fail(reservations.status());
  look_->at = Now();
  if (*reservations) look_->reservations = (*reservations)->rows;
  to_.say(seen_.Next(*look_));
}

// Reads back once for all.
void Keeper::AnswerPuts(const std::vector<Placed>& puts, Refusals& refused) {
  const auto sheet = cluster_.ReservationsSince(0);
  const bool asks_for_jobs = std::any_of(puts.begin(), puts.end(), [this](const Placed& put) {
    const auto wall = walls_.find(put.put.wall);
    return put.over.own_jobs || (wall != walls_.end() && !wall->second.wanted.licences.empty());
  });
  std::vector<Job> jobs;
  absl::Status status = sheet.status();
  if (status.ok() && asks_for_jobs) {
    const auto loaded = cluster_.JobsSince(0);
    status = loaded.status();
    if (status.ok() && *loaded) jobs = (*loaded)->rows;
  }
  if (!status.ok()) Fail(status);
  if (status.ok() && *sheet && look_) look_->reservations = (*sheet)->rows;
  const Instant now = Now().Floor();
  for (const auto& [asked, over, before] : puts) {
    const auto wall = walls_.find(asked.wall);
    if (wall == walls_.end()) continue;
    const Reservation* there =
        status.ok() && *sheet ? NamedIn((*sheet)->rows, wall->second.wanted.name) : nullptr;
    const WantedReservation& wanted = wall->second.wanted;
    const bool licensed = status.ok() && LicencesAreFree(wanted, jobs);
    const bool alone = (!over.own_jobs || OnlyOwnJobsAreThere(wanted, jobs)) &&
                       (!over.own_walls || (there && OnlyReplacedAreThere(wanted, (*sheet)->rows)));
    if (there != nullptr && alone && licensed && IsAsAsked(*there, wall->second.wanted, now)) {
      to_.say(WallStands{.wall = asked.wall, .serial = asked.serial});
      if (!over.left.empty()) Delete(over.left);
      continue;
    }
    const std::string why = !status.ok()       ? std::string(Text(status))
                            : there == nullptr ? "the cluster does not have it"
                            : !alone           ? "somebody else came in between"
                            : !licensed        ? "others have licences of it"
                                               : "the cluster has granted it otherwise than asked";
    if (before) {  // it stands again as it stood, or is told to be lost
      const std::string made = wanted.name;
      wall->second = *before;
      if (!over.left.empty()) Delete(made);
      settle_soon_ = true;
    } else {
      Drop(asked.wall);
    }
    refused.emplace_back(asked, status.ok() ? absl::FailedPreconditionError(why) : status);
  }
}

void Keeper::Drop(const std::string& wall) {
  const auto known = walls_.find(wall);
  const std::string first = known != walls_.end() ? known->second.wanted.name : wall;
  walls_.erase(wall);
  waiting_.erase(wall);
  drops_[first] = Now();
  const std::string other = OtherName(first);
  if (look_ && NamedIn(look_->reservations, other) != nullptr) drops_[other] = Now();
  DropDue(Now());
}

void Keeper::Delete(const std::string& reservation) {
  drops_[reservation] = Now();
  DropDue(Now());
}

void Keeper::DropDue(Moment now) {
  if (blind_) return;
  for (auto drop = drops_.begin(); drop != drops_.end();) {
    if (drop->second > now) {
      ++drop;
      continue;
    }
    const absl::Status status = DeleteWall(drop->first);
    if (status.ok() || absl::IsInvalidArgument(status)) {
      drop = drops_.erase(drop);
      continue;
    }
    drop->second = Past(now, kDropAgain);
    ++drop;
    if (absl::IsUnavailable(status)) return Fail(status);
  }
}

}  // namespace muster::driver::slurm
