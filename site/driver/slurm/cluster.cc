// Each request is built in structures of libslurm whose strings this file owns: nothing of a
// request is freed by the library.
#include "site/driver/slurm/cluster.h"

#include <fmt/format.h>
#include <signal.h>
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <mutex>

#include "site/driver/slurm/cluster_error.h"

namespace muster::driver::slurm {
namespace {

constexpr int64_t kMebibyte = int64_t{1} << 20;
// Errors of Slurm's protocol, of its sockets and of munge: the controller was not reached, or its
// answer was not read.
constexpr int kFirstOfSlurm = 1000;
constexpr int kFirstOfController = 1900;
constexpr int kFirstOfSockets = 5000;
constexpr int kAfterSockets = 6100;
constexpr char kNameCharacters[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

// What a field of libslurm points to without changing it.
char* Lent(const std::string& text) { return const_cast<char*>(text.c_str()); }
char* LentOrNull(const std::string& text) { return text.empty() ? nullptr : Lent(text); }

// Slurm reads lists of names with commas and ranges in brackets: a name that has either is none.
absl::Status CheckNames(const std::vector<std::string>& names, const char* what) {
  for (const std::string& name : names) {
    if (name.empty() || name.find_first_not_of(kNameCharacters) != std::string::npos) {
      return InvalidArgument(fmt::format("'{}' cannot name a {} of Slurm", name, what));
    }
  }
  return absl::OkStatus();
}

std::string Joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

std::vector<std::string> NamesOf(const std::vector<ReservedNode>& nodes) {
  std::vector<std::string> names;
  for (const ReservedNode& node : nodes) names.push_back(node.node);
  return names;
}

// One configuration per process: libslurm keeps what it has read.
absl::Status ChooseConfiguration(const std::string& conf) {
  static std::mutex mutex;
  static std::optional<std::string> chosen;
  const std::lock_guard lock(mutex);
  if (chosen && *chosen != conf) {
    return InvalidArgument(fmt::format(
        "this process uses the cluster of '{}': that of '{}' needs another", *chosen, conf));
  }
  if (chosen) return absl::OkStatus();
  if (!conf.empty()) {
    // libslurm ends the process if it cannot read its file.
    if (access(conf.c_str(), R_OK) != 0) {
      return NotFound(fmt::format("conf: cannot read '{}': {}", conf, strerror(errno)));
    }
    setenv("SLURM_CONF", conf.c_str(), 1);
  }
  slurm_init(conf.empty() ? nullptr : conf.c_str());
  chosen = conf;
  return absl::OkStatus();
}

// The part of a version that must be alike: "22.05" of "22.05.8".
std::string MajorOf(const std::string& version) {
  const size_t dot = version.find('.');
  return version.substr(0, dot == std::string::npos ? dot : version.find('.', dot + 1));
}

// Of the header; a library of another major version has another soname and is not loaded.
std::string LibraryVersion() {
  return fmt::format("{:02}.{:02}.{}", SLURM_VERSION_MAJOR(SLURM_VERSION_NUMBER),
                     SLURM_VERSION_MINOR(SLURM_VERSION_NUMBER),
                     SLURM_VERSION_MICRO(SLURM_VERSION_NUMBER));
}

// A reservation's description; it points into itself and into `wanted`.
class Description {
 public:
  explicit Description(const WantedReservation& wanted)
      : nodes_(Joined(NamesOf(wanted.nodes))),
        users_(Joined(wanted.users)),
        licences_(ListOf(wanted.licences)) {
    slurm_init_resv_desc_msg(&message_);
    message_.name = Lent(wanted.name);
    message_.start_time = wanted.when.begin.seconds;
    message_.end_time = wanted.when.end.seconds;
    message_.node_list = Lent(nodes_);
    message_.users = Lent(users_);
    message_.licenses = LentOrNull(licences_);
    const auto whole = [](const ReservedNode& node) { return node.cores == 0; };
    if (!std::all_of(wanted.nodes.begin(), wanted.nodes.end(), whole)) {
      for (const ReservedNode& node : wanted.nodes) {
        cores_.push_back(static_cast<uint32_t>(node.cores));
      }
      cores_.push_back(0);
      message_.core_cnt = cores_.data();
      message_.partition = LentOrNull(wanted.partition);
    }
  }
  Description(const Description&) = delete;
  resv_desc_msg_t& message() { return message_; }

 private:
  std::string nodes_, users_, licences_;
  std::vector<uint32_t> cores_;
  resv_desc_msg_t message_{};
};

absl::Status CheckReservation(const WantedReservation& wanted) {
  MUSTER_RETURN_IF_ERROR(CheckNames({wanted.name}, "reservation"));
  MUSTER_RETURN_IF_ERROR(CheckNames(wanted.users, "user"));
  MUSTER_RETURN_IF_ERROR(CheckNames(NamesOf(wanted.nodes), "node"));
  if (wanted.nodes.empty()) return InvalidArgument("a reservation without nodes");
  if (wanted.users.empty()) return InvalidArgument("a reservation without users");
  return absl::OkStatus();
}

// The same number of cpus and gpus on every node: Slurm cannot be told more of one job. Of whole
// nodes it gets all.
absl::Status SetShape(const Submission& submission, job_desc_msg_t& job, std::string& gpus) {
  const WantedNode& first = submission.nodes.front();
  int64_t memory = 0;
  for (const WantedNode& node : submission.nodes) {
    const bool uneven = node.cpus != first.cpus || node.gpus != first.gpus;
    if (uneven && !submission.whole_nodes) {
      return InvalidArgument(fmt::format(
          "{} has {} cpus and {} gpus of it, {} has {} and {}: a job of Slurm has as many on each "
          "of its nodes",
          first.node, first.cpus, first.gpus, node.node, node.cpus, node.gpus));
    }
    memory = std::max(memory, node.memory);
  }
  const auto count = static_cast<uint32_t>(submission.nodes.size());
  job.min_nodes = job.max_nodes = job.num_tasks = count;
  job.ntasks_per_node = 1;
  const int64_t cpus = submission.whole_nodes ? 1 : std::max<int64_t>(first.cpus, 1);
  job.cpus_per_task = static_cast<uint16_t>(cpus);
  job.min_cpus = count * job.cpus_per_task;
  job.pn_min_cpus = job.cpus_per_task;
  if (memory > 0) job.pn_min_memory = (memory + kMebibyte - 1) / kMebibyte;
  if (submission.whole_nodes) job.shared = 0;
  if (first.gpus > 0) {
    gpus = fmt::format("gres:gpu:{}", first.gpus);
    job.tres_per_node = Lent(gpus);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status SlurmError(const std::string& what) {
  const int code = errno;
  const std::string text = fmt::format("{}: {}", what, slurm_strerror(code));
  switch (code) {
    case ESLURM_INVALID_JOB_ID:
    case ESLURM_RESERVATION_INVALID:
      return NotFound(text);
    case ESLURM_RESERVATION_NAME_DUP:
      return absl::AlreadyExistsError(text);
    case ESLURM_NODES_BUSY:
    case ESLURM_RESERVATION_BUSY:
    case ESLURM_RESERVATION_OVERLAP:
      return absl::FailedPreconditionError(text);
    case ESLURM_IN_STANDBY_MODE:
    case ESLURM_IN_STANDBY_USE_BACKUP:
      return Unavailable(text);
    default:
      break;
  }
  const bool of_the_way = code < kFirstOfController ||
                          (code >= kFirstOfSockets && code < kAfterSockets) || code < kFirstOfSlurm;
  return of_the_way ? Unavailable(text) : InvalidArgument(text);
}

bool SaysUnchanged() { return errno == SLURM_NO_CHANGE_IN_DATA; }

absl::StatusOr<Cluster> Cluster::Open(const std::string& conf) {
  MUSTER_RETURN_IF_ERROR(ChooseConfiguration(conf));
  Cluster cluster;
  auto settings = cluster.LoadSettings();
  if (!settings.ok()) {
    return Unavailable(fmt::format(
        "conf: {}; its controller must be up, and munge here must have the cluster's key",
        Text(settings.status())));
  }
  cluster.settings_ = *std::move(settings);
  const std::string ours = LibraryVersion();
  const std::string theirs = cluster.settings_.version;
  if (MajorOf(ours) != MajorOf(theirs)) {
    return InvalidArgument(fmt::format(
        "cluster '{}' runs Slurm {}, and this program has the library of Slurm {}: they must be "
        "of one major version",
        cluster.settings_.cluster, theirs, ours));
  }
  return cluster;
}

absl::Status Cluster::Ping() const {
  if (slurm_ping(0) != SLURM_SUCCESS) return SlurmError("cannot reach the controller");
  return absl::OkStatus();
}

absl::StatusOr<uint32_t> Cluster::Submit(const Submission& submission) const {
  if (submission.nodes.empty()) return InvalidArgument("a job without nodes");
  std::vector<std::string> names;
  for (const WantedNode& node : submission.nodes) names.push_back(node.node);
  MUSTER_RETURN_IF_ERROR(CheckNames(names, "node"));
  job_desc_msg_t job;
  slurm_init_job_desc_msg(&job);
  std::string gpus;
  MUSTER_RETURN_IF_ERROR(SetShape(submission, job, gpus));
  const std::string nodes = Joined(names);
  job.req_nodes = Lent(nodes);
  job.name = Lent(submission.name);
  job.comment = Lent(submission.comment);
  job.script = Lent(submission.script);
  job.partition = LentOrNull(submission.partition);
  job.reservation = LentOrNull(submission.reservation);
  const std::string licences = ListOf(submission.licences);
  job.licenses = LentOrNull(licences);
  job.work_dir = Lent(submission.work_dir);
  const std::string null = "/dev/null";
  job.std_in = job.std_out = job.std_err = Lent(null);
  job.user_id = submission.uid;
  job.group_id = submission.gid;
  job.time_limit = static_cast<uint32_t>(std::max<int64_t>(submission.minutes, 1));
  if (submission.held) job.priority = 0;
  job.requeue = 0;
  job.kill_on_node_fail = 1;
  std::vector<char*> environment;
  for (const std::string& variable : submission.environment) environment.push_back(Lent(variable));
  environment.push_back(nullptr);
  job.environment = environment.data();
  job.env_size = static_cast<uint32_t>(submission.environment.size());
  submit_response_msg_t* answer = nullptr;
  if (slurm_submit_batch_job(&job, &answer) != SLURM_SUCCESS) {
    // Its limit reaches into a reservation on its nodes, for example: for now.
    if (errno == ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE) {
      return absl::FailedPreconditionError(
          fmt::format("cannot submit the job: {}", slurm_strerror(errno)));
    }
    return SlurmError("cannot submit the job");
  }
  const uint32_t id = answer->job_id;
  slurm_free_submit_response_response_msg(answer);
  return id;
}

absl::Status Cluster::Signal(uint32_t job, int signal, To to) const {
  const uint16_t flags = to == To::kBatchScript ? KILL_JOB_BATCH : 0;
  if (slurm_kill_job(job, static_cast<uint16_t>(signal), flags) == SLURM_SUCCESS) {
    return absl::OkStatus();
  }
  if (errno == ESLURM_ALREADY_DONE || errno == ESLURM_INVALID_JOB_ID) return absl::OkStatus();
  return SlurmError(fmt::format("cannot signal job {}", job));
}

absl::Status Cluster::SetLimit(uint32_t job, int64_t minutes) const {
  job_desc_msg_t change;
  slurm_init_job_desc_msg(&change);
  change.job_id = job;
  change.time_limit = static_cast<uint32_t>(std::max<int64_t>(minutes, 1));
  if (slurm_update_job(&change) == SLURM_SUCCESS) return absl::OkStatus();
  return SlurmError(fmt::format("cannot set the limit of job {}", job));
}

absl::Status Cluster::Create(const WantedReservation& wanted) const {
  MUSTER_RETURN_IF_ERROR(CheckReservation(wanted));
  Description description(wanted);
  // FLEX: its own jobs may wait on its nodes before it begins, where these are free, and are not
  // killed at its end: their own limits end them.
  description.message().flags = RESERVE_FLAG_FLEX | RESERVE_FLAG_NO_HOLD_JOBS;
  if (wanted.ignore_jobs) description.message().flags |= RESERVE_FLAG_IGN_JOBS;
  if (wanted.overlap) description.message().flags |= RESERVE_FLAG_OVERLAP;
  char* name = slurm_create_reservation(&description.message());
  if (name == nullptr) return SlurmError(fmt::format("cannot reserve '{}'", wanted.name));
  free(name);
  return absl::OkStatus();
}

absl::Status Cluster::Change(const WantedReservation& wanted, bool begun) const {
  MUSTER_RETURN_IF_ERROR(CheckReservation(wanted));
  Description description(wanted);
  if (begun) description.message().start_time = static_cast<time_t>(NO_VAL);
  if (slurm_update_reservation(&description.message()) == SLURM_SUCCESS) return absl::OkStatus();
  return SlurmError(fmt::format("cannot change reservation '{}'", wanted.name));
}

absl::Status Cluster::SetUsers(const std::string& reservation,
                               const std::vector<std::string>& users) const {
  MUSTER_RETURN_IF_ERROR(CheckNames({reservation}, "reservation"));
  MUSTER_RETURN_IF_ERROR(CheckNames(users, "user"));
  const std::string list = Joined(users);
  resv_desc_msg_t change;
  slurm_init_resv_desc_msg(&change);
  change.name = Lent(reservation);
  change.users = Lent(list);
  if (slurm_update_reservation(&change) == SLURM_SUCCESS) return absl::OkStatus();
  return SlurmError(fmt::format("cannot set the users of reservation '{}'", reservation));
}

absl::Status Cluster::Delete(const std::string& reservation) const {
  MUSTER_RETURN_IF_ERROR(CheckNames({reservation}, "reservation"));
  reservation_name_msg_t message{};
  message.name = Lent(reservation);
  if (slurm_delete_reservation(&message) == SLURM_SUCCESS) return absl::OkStatus();
  if (errno == ESLURM_RESERVATION_INVALID) return absl::OkStatus();
  return SlurmError(fmt::format("cannot delete reservation '{}'", reservation));
}

}  // namespace muster::driver::slurm
