// Submits, waits for what the job says in the folder, and takes everything away again.
#include "site/driver/slurm/check_jobs.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

#include "site/driver/slurm/acting.h"
#include "site/driver/slurm/shapes.h"

namespace muster::driver::slurm {
namespace {

using Kind = CheckJobs::Answer::Kind;

constexpr std::chrono::seconds kPatience{kCheckPatienceS};
constexpr std::chrono::milliseconds kLookAgain{50};
constexpr std::chrono::seconds kShownLate{2};  // by NFS
// Reads what the daemon wrote, makes a hard link as a part's wrapper does, and answers.
constexpr char kScript[] = R"(#!/bin/sh
cd "$MUSTER_CHECK" || exit 1
cat asked >answer && date +%s.%N >>answer && ln answer answered
)";

std::string ContentOf(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  if (file) text << file.rdbuf();
  return text.str();
}

}  // namespace

std::string CheckJobs::FreeNode() const {
  const std::set<std::string> commons = CommonsOf(at_.look, at_.seen);
  std::set<std::string> busy;
  for (const Job& job : at_.look.jobs) {
    if (job.state != JobState::kRunning) continue;
    for (const JobNode& node : job.nodes) busy.insert(node.node);
  }
  std::set<std::string> own;
  for (const NodeFact& node : at_.facts.nodes) own.insert(node.name);
  std::string found;
  for (const Node& node : at_.look.nodes) {
    const bool fits = own.contains(node.name) && node.state == NodeState::kUsable &&
                      (at_.options.walls != SlurmWalls::kCommons || commons.contains(node.name));
    if (!fits) continue;
    if (!busy.contains(node.name)) return node.name;
    if (found.empty()) found = node.name;
  }
  return found;
}

absl::StatusOr<Submission> CheckJobs::JobOn(const std::string& node,
                                            const std::optional<Account>& account) const {
  StartPart part{.token = name_, .part_name = name_};
  schemas::ChunkPlace chunk{.node = node};
  chunk.resources.Set("ncpus", 1);
  part.place.chunks = {chunk};
  const Ground ground{.look = &at_.look,
                      .commons = CommonsOf(at_.look, at_.seen),
                      .partitions = at_.options.partitions,
                      .commons_reservations = at_.seen.commons,
                      .commons_partitions = at_.seen.commons_partitions};
  MUSTER_ASSIGN_OR_RETURN(Submission job, slurm::JobOf(part, ground));
  job.name = name_;
  job.script = kScript;
  job.uid = account ? account->uid : geteuid();
  job.gid = account ? account->gid : getegid();
  job.work_dir = "/";
  job.environment = {"PATH=/usr/bin:/bin"};
  return job;
}

absl::StatusOr<uint32_t> CheckJobs::Submit(const Submission& job,
                                           const std::optional<Account>& account) const {
  for (const Reservation& reservation : at_.look.reservations) {
    if (reservation.name != job.reservation || !account) continue;
    std::vector<std::string> users = reservation.users;
    users.push_back(account->name);
    MUSTER_RETURN_IF_ERROR(at_.cluster.SetUsers(reservation.name, users));
  }
  return at_.cluster.Submit(job);
}

void CheckJobs::Close(const Submission& job) const {
  for (const Reservation& reservation : at_.look.reservations) {
    if (reservation.name == job.reservation)
      at_.cluster.SetUsers(reservation.name, reservation.users).IgnoreError();
  }
}

CheckJobs::Taken CheckJobs::TryAccount(const std::string& node,
                                       const std::optional<Account>& account) const {
  auto job = JobOn(node, account);
  if (!job.ok()) return {.status = job.status()};
  job->held = true;
  const auto id = Submit(*job, account);
  Close(*job);
  if (id.ok()) at_.cluster.Signal(*id, SIGKILL, Cluster::To::kWholeJob).IgnoreError();
  return {.status = id.status(), .partition = job->partition};
}

CheckJobs::Answer CheckJobs::AskFromNode(const std::string& node,
                                         const std::optional<Account>& account,
                                         const std::string& folder, io::Clock& clock) const {
  const std::string asked = name_ + "\n";
  {
    const Acting acting(account);
    if (mkdir(folder.c_str(), S_IRWXU) != 0 || !(std::ofstream(folder + "/asked") << asked)) {
      return {.kind = Kind::kCannotWrite};
    }
  }
  Answer answer{.kind = Kind::kNotTaken};
  auto job = JobOn(node, account);
  answer.status = job.status();
  if (job.ok()) {
    job->environment.push_back("MUSTER_CHECK=" + folder);
    const Moment handed_over = clock.Read().wall;
    const auto id = Submit(*job, account);
    answer.status = id.status();
    if (id.ok()) answer = Await(*id, folder, asked, handed_over);
    Close(*job);
  }
  const Acting acting(account);
  for (const char* name : {"asked", "answer", "answered"}) unlink((folder + "/" + name).c_str());
  rmdir(folder.c_str());
  return answer;
}

CheckJobs::Answer CheckJobs::Await(uint32_t id, const std::string& folder, const std::string& asked,
                                   Moment handed_over) const {
  bool over = false;
  for (int i = 0; i < kPatience / kLookAgain; ++i) {
    std::this_thread::sleep_for(kLookAgain);
    const std::string text = ContentOf(folder + "/answered");
    if (text.starts_with(asked)) {
      const double at = std::strtod(text.c_str() + asked.size(), nullptr);
      return {.kind = Kind::kSeen,
              .after_s = at - static_cast<double>(handed_over.milliseconds) / 1000};
    }
    if (over) return {.kind = Kind::kNoAnswer};
    const auto job = at_.cluster.LoadJob(id);
    if (!job.ok() && !absl::IsNotFound(job.status())) continue;
    over = !job.ok() || job->state == JobState::kEnded;
    if (over) std::this_thread::sleep_for(kShownLate);
  }
  at_.cluster.Signal(id, SIGKILL, Cluster::To::kWholeJob).IgnoreError();
  return {.kind = Kind::kNotBegun};
}

}  // namespace muster::driver::slurm
