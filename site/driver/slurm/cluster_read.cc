// Loads what the controller knows, and turns libslurm's structures into plain values. Whatever is
// loaded is freed here.
#include <fmt/format.h>
#include <pwd.h>
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <memory>
#include <string_view>

#include "site/driver/slurm/cluster.h"
#include "site/driver/slurm/cluster_error.h"

namespace muster::driver::slurm {
namespace {

constexpr int64_t kBytesInMebibyte = int64_t{1} << 20;
constexpr uint16_t kAllOfJobs = SHOW_ALL | SHOW_DETAIL | SHOW_LOCAL;

template <auto Free>
struct FreedBy {
  template <class T>
  void operator()(T* message) const {
    Free(message);
  }
};
template <class T, auto Free>
using Loaded = std::unique_ptr<T, FreedBy<Free>>;

std::string TextOf(const char* text) { return text == nullptr ? "" : text; }

std::vector<std::string> Expanded(const char* list) {
  std::vector<std::string> names;
  if (list == nullptr || *list == '\0') return names;
  hostlist_t hosts = slurm_hostlist_create(list);
  if (hosts == nullptr) return names;
  while (char* host = slurm_hostlist_shift(hosts)) {
    names.emplace_back(host);
    free(host);
  }
  slurm_hostlist_destroy(hosts);
  return names;
}

std::vector<std::string> Split(std::string_view text, char by) {
  std::vector<std::string> pieces;
  while (!text.empty()) {
    const size_t end = std::min(text.find(by), text.size());
    if (end > 0) pieces.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return pieces;
}

// GPUs in "gpu:a100:2(IDX:0-1),shard:8"; an entry without a number is one.
int64_t GpusIn(const char* list) {
  int64_t sum = 0;
  std::string plain;
  int depth = 0;
  for (const char c : TextOf(list)) {
    if (c == '(') ++depth;
    if (depth == 0) plain += c;
    if (c == ')') --depth;
  }
  for (const std::string& entry : Split(plain, ',')) {
    const std::string_view bare =
        entry.starts_with("gres:") ? std::string_view(entry).substr(5) : std::string_view(entry);
    if (bare != "gpu" && !bare.starts_with("gpu:")) continue;
    const std::string_view last = bare.substr(bare.rfind(':') + 1);
    int64_t count = 1;
    std::from_chars(last.data(), last.data() + last.size(), count);
    sum += count;
  }
  return sum;
}

// Cores in "0-2,5".
int64_t CoresIn(const char* list) {
  int64_t sum = 0;
  for (const std::string& range : Split(TextOf(list), ',')) {
    int64_t first = 0;
    const auto [stop, error] = std::from_chars(range.data(), range.data() + range.size(), first);
    int64_t last = first;
    if (error == std::errc() && *stop == '-') {
      std::from_chars(stop + 1, range.data() + range.size(), last);
    }
    sum += std::max<int64_t>(last - first + 1, 0);
  }
  return sum;
}

// Names of users by number, as of the machine's own list.
class UserNames {
 public:
  std::string Of(uint32_t uid, const char* name) {
    if (name != nullptr && *name != '\0') return name;
    const auto known = names_.find(uid);
    if (known != names_.end()) return known->second;
    std::vector<char> buffer(16384);
    passwd entry{};
    passwd* found = nullptr;
    getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found);
    return names_[uid] = found != nullptr ? found->pw_name : std::to_string(uid);
  }

 private:
  std::map<uint32_t, std::string> names_;
};

const char* WordOf(uint32_t state) {
  constexpr const char* kWords[] = {"PENDING",   "RUNNING",   "SUSPENDED", "COMPLETED",
                                    "CANCELLED", "FAILED",    "TIMEOUT",   "NODE_FAIL",
                                    "PREEMPTED", "BOOT_FAIL", "DEADLINE",  "OUT_OF_MEMORY"};
  const uint32_t base = state & JOB_STATE_BASE;
  return base < std::size(kWords) ? kWords[base] : "UNKNOWN";
}

JobState StateOf(uint32_t state) {
  if ((state & JOB_COMPLETING) != 0) return JobState::kCompleting;
  switch (state & JOB_STATE_BASE) {
    case JOB_PENDING:
      return JobState::kPending;
    case JOB_RUNNING:
    case JOB_SUSPENDED:
      return JobState::kRunning;
    default:
      return JobState::kEnded;
  }
}

int64_t MemoryOf(const job_info& from, int64_t cpus) {
  if (TextOf(from.tres_alloc_str).find("mem=") == std::string::npos) return 0;
  if (from.pn_min_memory == NO_VAL64) return 0;
  const auto mebibytes = static_cast<int64_t>(from.pn_min_memory & ~MEM_PER_CPU);
  return mebibytes * kBytesInMebibyte * ((from.pn_min_memory & MEM_PER_CPU) != 0 ? cpus : 1);
}

std::vector<JobNode> NodesOf(const job_info& from, bool planned) {
  std::vector<JobNode> nodes;
  const std::vector<std::string> names = Expanded(planned ? from.sched_nodes : from.nodes);
  for (size_t i = 0; i < names.size(); ++i) {
    JobNode node{.node = names[i]};
    const int cpus =
        planned || from.job_resrcs == nullptr
            ? -1
            : slurm_job_cpus_allocated_on_node_id(from.job_resrcs, static_cast<int>(i));
    // Slurm does not say how it will divide a planned job, nor one that is completing.
    const auto even = static_cast<int64_t>((from.num_cpus + names.size() - 1) / names.size());
    node.cpus = cpus > 0 ? cpus : even;
    node.memory = MemoryOf(from, node.cpus);
    node.gpus =
        i < from.gres_detail_cnt ? GpusIn(from.gres_detail_str[i]) : GpusIn(from.tres_per_node);
    nodes.push_back(std::move(node));
  }
  return nodes;
}

Job JobOf(const job_info& from, UserNames& users) {
  Job job{.id = from.job_id,
          .submitted = {from.submit_time},
          .name = TextOf(from.name),
          .comment = TextOf(from.comment),
          .user = users.Of(from.user_id, from.user_name),
          .partition = TextOf(from.partition),
          .reservation = TextOf(from.resv_name),
          .state = StateOf(from.job_state),
          .state_text = WordOf(from.job_state),
          .batch = from.batch_flag != 0,
          .restarts = from.restart_cnt,
          .why = TextOf(from.state_desc),
          .wait_status = static_cast<int32_t>(from.exit_code),
          .start = {from.start_time},
          .end = {from.end_time},
          .licences = LicencesIn(TextOf(from.licenses)),
          .whole_nodes = from.shared == 0};
  const uint32_t base = from.job_state & JOB_STATE_BASE;
  job.node_failed = base == JOB_NODE_FAIL || base == JOB_BOOT_FAIL;
  job.timed_out = base == JOB_TIMEOUT || base == JOB_DEADLINE;
  job.cancelled = base == JOB_CANCELLED || base == JOB_PREEMPTED;
  job.held = job.state == JobState::kPending && from.priority == 0;
  if (from.time_limit != INFINITE && from.time_limit != NO_VAL) {
    job.limit = Span{int64_t{from.time_limit} * 60};
  }
  job.had_nodes = from.nodes != nullptr && *from.nodes != '\0';
  if (job.state != JobState::kEnded) {
    job.nodes = NodesOf(from, job.state == JobState::kPending);
  }
  return job;
}

Node NodeOf(const node_info_t& from) {
  Node node{.name = TextOf(from.name),
            .cpus = from.cpus_efctv > 0 ? from.cpus_efctv : from.cpus,
            .threads_per_core = std::max<int64_t>(from.threads, 1),
            .memory = static_cast<int64_t>(from.real_memory) * kBytesInMebibyte,
            .gpus = GpusIn(from.gres),
            .architecture = TextOf(from.arch),
            .features = Split(TextOf(from.features), ',')};
  if (from.mem_spec_limit != NO_VAL64 && from.mem_spec_limit < from.real_memory) {
    node.memory -= static_cast<int64_t>(from.mem_spec_limit) * kBytesInMebibyte;
  }
  const uint32_t base = from.node_state & NODE_STATE_BASE;
  if ((from.node_state & (NODE_STATE_DRAIN | NODE_STATE_FAIL)) != 0) {
    node.state = NodeState::kDrained;
  }
  if (base == NODE_STATE_DOWN || base == NODE_STATE_ERROR || base == NODE_STATE_FUTURE ||
      (from.node_state & NODE_STATE_INVALID_REG) != 0) {
    node.state = NodeState::kDown;
  }
  if (node.state != NodeState::kUsable) node.why = TextOf(from.reason);
  return node;
}

Span PeriodOf(uint64_t flags) {
  if ((flags & RESERVE_FLAG_HOURLY) != 0) return {3600};
  if ((flags & RESERVE_FLAG_WEEKLY) != 0) return {7 * 86400};
  if ((flags & RESERVE_REOCCURING) != 0) return {86400};
  return {0};
}

Reservation ReservationOf(const reserve_info_t& from) {
  Reservation reservation{.name = TextOf(from.name),
                          .when = {{from.start_time}, {from.end_time}},
                          .cores = from.core_cnt,
                          .users = Split(TextOf(from.users), ','),
                          .licences = LicencesIn(TextOf(from.licenses)),
                          .recurs = PeriodOf(from.flags),
                          .weekdays_only = (from.flags & RESERVE_FLAG_WEEKDAY) != 0,
                          .weekends_only = (from.flags & RESERVE_FLAG_WEEKEND) != 0,
                          .maintenance = (from.flags & RESERVE_FLAG_MAINT) != 0};
  std::map<std::string, int64_t> cores;
  for (uint32_t i = 0; i < from.core_spec_cnt; ++i) {
    cores[TextOf(from.core_spec[i].node_name)] = CoresIn(from.core_spec[i].core_id);
  }
  for (const std::string& node : Expanded(from.node_list)) {
    const auto some = cores.find(node);
    reservation.nodes.push_back({node, some == cores.end() ? 0 : some->second});
  }
  return reservation;
}

Partition PartitionOf(const partition_info_t& from) {
  Partition partition{
      .name = TextOf(from.name),
      .up = (from.state_up & PARTITION_SCHED) != 0 && (from.state_up & PARTITION_SUBMIT) != 0,
      .is_default = (from.flags & PART_FLAG_DEFAULT) != 0,
      .root_only = (from.flags & PART_FLAG_ROOT_ONLY) != 0,
      .allowed_hosts = TextOf(from.allow_alloc_nodes),
      .nodes = Expanded(from.nodes)};
  if (partition.allowed_hosts == "ALL") partition.allowed_hosts.clear();
  if (from.max_time != INFINITE && from.max_time != NO_VAL) {
    partition.most_time = Span{int64_t{from.max_time} * 60};
  }
  return partition;
}

absl::Status Failed(const char* what) {
  return SlurmError(fmt::format("cannot load the {}", what));
}

}  // namespace

absl::StatusOr<Settings> Cluster::LoadSettings() const {
  slurm_conf_t* conf = nullptr;
  if (slurm_load_ctl_conf(0, &conf) != SLURM_SUCCESS) return Failed("settings");
  const Loaded<slurm_conf_t, slurm_free_ctl_conf> owned(conf);
  return Settings{.cluster = TextOf(conf->cluster_name),
                  .version = TextOf(conf->version),
                  .scheduler_parameters = TextOf(conf->sched_params),
                  .licences = LicencesIn(TextOf(conf->licenses)),
                  .controller_started = {conf->boot_time}};
}

absl::StatusOr<std::optional<Sheet<Job>>> Cluster::JobsSince(int64_t as_of) const {
  job_info_msg_t* message = nullptr;
  if (slurm_load_jobs(as_of, &message, kAllOfJobs) != SLURM_SUCCESS) {
    if (SaysUnchanged()) return std::nullopt;
    return Failed("jobs");
  }
  const Loaded<job_info_msg_t, slurm_free_job_info_msg> owned(message);
  Sheet<Job> sheet{.as_of = message->last_update};
  UserNames users;
  for (uint32_t i = 0; i < message->record_count; ++i) {
    sheet.rows.push_back(JobOf(message->job_array[i], users));
  }
  return std::optional(std::move(sheet));
}

absl::StatusOr<std::optional<Sheet<uint32_t>>> Cluster::JobsWithSteps(int64_t as_of) const {
  job_step_info_response_msg_t* message = nullptr;
  if (slurm_get_job_steps(as_of, NO_VAL, NO_VAL, &message, SHOW_ALL | SHOW_LOCAL) !=
      SLURM_SUCCESS) {
    if (SaysUnchanged()) return std::nullopt;
    return Failed("steps of jobs");
  }
  const Loaded<job_step_info_response_msg_t, slurm_free_job_step_info_response_msg> owned(message);
  Sheet<uint32_t> sheet{.as_of = message->last_update};
  for (uint32_t i = 0; i < message->job_step_count; ++i) {
    sheet.rows.push_back(message->job_steps[i].step_id.job_id);
  }
  return std::optional(std::move(sheet));
}

absl::StatusOr<Job> Cluster::LoadJob(uint32_t id) const {
  job_info_msg_t* message = nullptr;
  if (slurm_load_job(&message, id, kAllOfJobs) != SLURM_SUCCESS) return Failed("job");
  const Loaded<job_info_msg_t, slurm_free_job_info_msg> owned(message);
  UserNames users;
  for (uint32_t i = 0; i < message->record_count; ++i) {  // of an array others come, too
    if (message->job_array[i].job_id == id) return JobOf(message->job_array[i], users);
  }
  return NotFound(fmt::format("the controller knows no job {}", id));
}

absl::StatusOr<std::optional<Sheet<Node>>> Cluster::NodesSince(int64_t as_of) const {
  node_info_msg_t* message = nullptr;
  if (slurm_load_node(as_of, &message, SHOW_ALL) != SLURM_SUCCESS) {
    if (SaysUnchanged()) return std::nullopt;
    return Failed("nodes");
  }
  const Loaded<node_info_msg_t, slurm_free_node_info_msg> owned(message);
  Sheet<Node> sheet{.as_of = message->last_update};
  for (uint32_t i = 0; i < message->record_count; ++i) {
    if (message->node_array[i].name == nullptr) continue;  // a place in the list without a node
    sheet.rows.push_back(NodeOf(message->node_array[i]));
  }
  return std::optional(std::move(sheet));
}

absl::StatusOr<std::optional<Sheet<Reservation>>> Cluster::ReservationsSince(int64_t as_of) const {
  reserve_info_msg_t* message = nullptr;
  if (slurm_load_reservations(as_of, &message) != SLURM_SUCCESS) {
    if (SaysUnchanged()) return std::nullopt;
    return Failed("reservations");
  }
  const Loaded<reserve_info_msg_t, slurm_free_reservation_info_msg> owned(message);
  Sheet<Reservation> sheet{.as_of = message->last_update};
  for (uint32_t i = 0; i < message->record_count; ++i) {
    sheet.rows.push_back(ReservationOf(message->reservation_array[i]));
  }
  return std::optional(std::move(sheet));
}

absl::StatusOr<std::optional<Sheet<Partition>>> Cluster::PartitionsSince(int64_t as_of) const {
  partition_info_msg_t* message = nullptr;
  if (slurm_load_partitions(as_of, &message, SHOW_ALL) != SLURM_SUCCESS) {
    if (SaysUnchanged()) return std::nullopt;
    return Failed("partitions");
  }
  const Loaded<partition_info_msg_t, slurm_free_partition_info_msg> owned(message);
  Sheet<Partition> sheet{.as_of = message->last_update};
  for (uint32_t i = 0; i < message->record_count; ++i) {
    sheet.rows.push_back(PartitionOf(message->partition_array[i]));
  }
  return std::optional(std::move(sheet));
}

}  // namespace muster::driver::slurm
