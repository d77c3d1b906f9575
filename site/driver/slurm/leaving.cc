// Tokens are taken before jobs are cancelled: a controller may bring cancelled jobs back.
#include "site/driver/slurm/leaving.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <set>
#include <thread>

#include "base/io/system/clock.h"
#include "site/driver/slurm/cluster.h"
#include "site/driver/slurm/grants.h"
#include "site/driver/slurm/looker.h"
#include "site/driver/slurm/token_folder.h"

namespace muster::driver::slurm {
namespace {

constexpr std::chrono::milliseconds kLeftAgain{250};
constexpr int kTries = 100;     // 25 s
constexpr int kKillAfter = 20;  // 5 s after TERM
constexpr char kOutput[] = "/parts";

std::string Shown(const Job& job) { return fmt::format("{} {} of {}", job.id, job.name, job.user); }

class Leaving {
 public:
  Leaving(const SlurmOptions& options, Cluster cluster, TokenFolders folders)
      : options_(options), cluster_(std::move(cluster)), folders_(std::move(folders)) {}

  absl::StatusOr<Removed> Run();

 private:
  bool Own(const Job& job) const {
    return !TokenOf(job, options_.prefix).empty() && job.state != JobState::kEnded;
  }
  // True if nothing is left of it.
  bool EndJobs(const Look& look, int tries);
  bool DropWalls(const Look& look);
  void CloseCommons(const Look& look);

  const SlurmOptions& options_;
  const Cluster cluster_;
  const TokenFolders folders_;
  std::map<uint32_t, bool> known_;  // jobs that were there, and whether they had begun
  std::set<std::string> dropped_;
  Removed removed_;
};

bool Leaving::EndJobs(const Look& look, int tries) {
  bool none = true;
  for (const Job& job : look.jobs) {
    if (!Own(job)) continue;
    none = false;
    const std::string token = TokenOf(job, options_.prefix);
    if (!known_.contains(job.id)) {
      const auto begun = folders_.GiveUp(token, Begun::kNever);
      const bool runs = begun.ok() && *begun == Begun::kYes;
      known_[job.id] = runs;
      (runs ? removed_.ended : removed_.waiting).push_back(Shown(job));
      if (runs) folders_.WriteStop(token, options_.graces.stop).IgnoreError();
    }
    const bool kill = !known_[job.id] || tries >= kKillAfter;
    (kill ? cluster_.Signal(job.id, SIGKILL, Cluster::To::kWholeJob)
          : cluster_.Signal(job.id, SIGTERM, Cluster::To::kBatchScript))
        .IgnoreError();
  }
  return none;
}

bool Leaving::DropWalls(const Look& look) {
  bool none = true;
  for (const Reservation& reservation : look.reservations) {
    if (!IsOwnWall(reservation, options_.prefix)) continue;
    none = false;
    if (cluster_.Delete(reservation.name).ok() && dropped_.insert(reservation.name).second) {
      removed_.walls.push_back(reservation.name);
    }
  }
  return none;
}

void Leaving::CloseCommons(const Look& look) {
  const SeenOptions seen = SeenOptionsOf(options_);
  std::set<std::string> mapped;
  for (const auto& [user, account] : options_.accounts) {
    if (account != "root") mapped.insert(account);
  }
  for (const Reservation& reservation : look.reservations) {
    if (!seen.commons.contains(reservation.name)) continue;
    std::vector<std::string> users = reservation.users;
    std::erase_if(users, [&](const std::string& user) { return mapped.contains(user); });
    if (users.size() == reservation.users.size()) continue;
    if (users.empty()) users = {"root"};
    if (cluster_.SetUsers(reservation.name, users).ok())
      removed_.closed.push_back(reservation.name);
  }
}

absl::StatusOr<Removed> Leaving::Run() {
  const auto clock = io::SystemClock();
  Looker looker(&cluster_, clock.get());
  for (int tries = 0;; ++tries) {
    MUSTER_ASSIGN_OR_RETURN(const Look look,
                            looker.Next(Looker::Rows::kAlways, Looker::Depth::kAll));
    const bool no_jobs = EndJobs(look, tries);
    // A reservation with a job in it is not deleted; a job that is gone may still be cleaned up.
    const bool no_walls = DropWalls(look);
    if (no_jobs && no_walls) {
      CloseCommons(look);
      break;
    }
    if (tries >= kTries) {
      for (const Job& job : look.jobs) {
        if (Own(job)) removed_.left.push_back("job " + Shown(job));
      }
      for (const Reservation& reservation : look.reservations) {
        if (IsOwnWall(reservation, options_.prefix))
          removed_.left.push_back("reservation " + reservation.name);
      }
      break;
    }
    std::this_thread::sleep_for(kLeftAgain);
  }
  removed_.outputs = options_.shared_folder + kOutput;
  return std::move(removed_);
}

}  // namespace

absl::StatusOr<Removed> LeaveCluster(const SlurmOptions& options) {
  MUSTER_RETURN_IF_ERROR(CheckOptions(options));
  MUSTER_ASSIGN_OR_RETURN(TokenFolders folders, TokenFolders::Open(options.shared_folder));
  MUSTER_ASSIGN_OR_RETURN(Cluster cluster, Cluster::Open(options.conf));
  return Leaving(options, std::move(cluster), std::move(folders)).Run();
}

}  // namespace muster::driver::slurm
