// Each call is one request to the controller, as short as slurm.h allows.
#include "tests/bench/slurm/bare.h"

#include <pwd.h>
#include <signal.h>
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <map>
#include <tuple>
#include <utility>

#include "tests/bench/federation/conversation.h"

// Part of the library, and of no header of it.
extern "C" void slurm_free_will_run_response_msg(will_run_response_msg_t* message);

namespace muster::bench::bare {
namespace {

char* Lent(const std::string& text) {
  return text.empty() ? nullptr : const_cast<char*>(text.c_str());
}

void Check(bool ok, const char* what) {
  if (!ok) Fail(std::string(what) + ": " + slurm_strerror(errno));
}

// A description that points into the job.
job_desc_msg_t Description(const Job& job) {
  static const std::string null = "/dev/null";
  static const std::string root = "/";
  static char path[] = "PATH=/usr/local/bin:/usr/bin:/bin";
  static char* environment[] = {path, nullptr};
  job_desc_msg_t out;
  slurm_init_job_desc_msg(&out);
  static std::map<std::string, std::pair<uid_t, gid_t>> accounts;
  const std::string name = job.user.empty() ? "root" : job.user;
  if (!accounts.contains(name)) {
    const passwd* user = getpwnam(name.c_str());
    if (user == nullptr) Fail("no account " + name);
    accounts[name] = {user->pw_uid, user->pw_gid};
  }
  std::tie(out.user_id, out.group_id) = accounts[name];
  out.name = Lent(job.name);
  out.script = Lent(job.script);
  out.req_nodes = Lent(job.node);
  out.reservation = Lent(job.reservation);
  out.min_nodes = out.max_nodes = out.num_tasks = 1;
  out.cpus_per_task = static_cast<uint16_t>(job.cpus);
  out.min_cpus = out.pn_min_cpus = out.cpus_per_task;
  out.time_limit = job.minutes;
  out.work_dir = Lent(root);
  out.std_in = out.std_out = out.std_err = Lent(null);
  out.environment = environment;
  out.env_size = 1;
  if (job.held) out.priority = 0;
  return out;
}

}  // namespace

void Open() { slurm_init(nullptr); }

uint32_t Submit(const Job& job) {
  job_desc_msg_t description = Description(job);
  submit_response_msg_t* answer = nullptr;
  Check(slurm_submit_batch_job(&description, &answer) == SLURM_SUCCESS, "submit");
  const uint32_t id = answer->job_id;
  slurm_free_submit_response_response_msg(answer);
  return id;
}

void Release(uint32_t id) {
  job_desc_msg_t change;
  slurm_init_job_desc_msg(&change);
  change.job_id = id;
  change.priority = INFINITE;
  Check(slurm_update_job(&change) == SLURM_SUCCESS, "release");
}

void SetLimit(uint32_t id, uint32_t minutes) {
  job_desc_msg_t change;
  slurm_init_job_desc_msg(&change);
  change.job_id = id;
  change.time_limit = minutes;
  Check(slurm_update_job(&change) == SLURM_SUCCESS, "set the limit");
}

void Cancel(uint32_t id) {
  if (slurm_kill_job(id, SIGKILL, 0) == SLURM_SUCCESS) return;
  Check(errno == ESLURM_ALREADY_DONE || errno == ESLURM_INVALID_JOB_ID, "cancel");
}

bool HasSaved(uint32_t id) {
  const std::filesystem::path conf = getenv("SLURM_CONF");
  const std::string hash = "hash." + std::to_string(id % 10);
  const auto script =
      conf.parent_path() / "state" / hash / ("job." + std::to_string(id)) / "script";
  return access(script.c_str(), F_OK) == 0;
}

std::vector<uint32_t> Living(const std::string& beginning) {
  std::vector<uint32_t> out;
  job_info_msg_t* message = nullptr;
  Check(slurm_load_jobs(0, &message, SHOW_ALL) == SLURM_SUCCESS, "load the jobs");
  for (uint32_t i = 0; i < message->record_count; ++i) {
    const job_info& job = message->job_array[i];
    const bool ended = (job.job_state & JOB_STATE_BASE) > JOB_SUSPENDED;
    const bool over = ended && (job.job_state & JOB_COMPLETING) == 0;
    if (!over && job.name != nullptr && std::string(job.name).starts_with(beginning)) {
      out.push_back(job.job_id);
    }
  }
  slurm_free_job_info_msg(message);
  return out;
}

int64_t WillRun(const Job& job) {
  job_desc_msg_t description = Description(job);
  will_run_response_msg_t* answer = nullptr;
  Check(slurm_job_will_run2(&description, &answer) == SLURM_SUCCESS && answer != nullptr,
        "will-run");
  const int64_t start = answer->start_time;
  slurm_free_will_run_response_msg(answer);
  return start;
}

static bool CanReserve(const std::string& name, const std::string& node, Interval when,
                       const std::string& user) {
  resv_desc_msg_t wanted;
  slurm_init_resv_desc_msg(&wanted);
  wanted.name = Lent(name);
  wanted.node_list = Lent(node);
  wanted.users = Lent(user);
  wanted.start_time = when.begin.seconds;
  wanted.end_time = when.end.seconds;
  static uint32_t cores[] = {1, 0};
  static char partition[] = "main";
  wanted.core_cnt = cores;
  wanted.partition = partition;
  char* made = slurm_create_reservation(&wanted);
  free(made);
  return made != nullptr;
}

void Reserve(const std::string& name, const std::string& node, Interval when,
             const std::string& user) {
  Check(CanReserve(name, node, when, user), "reserve");
}

void Unreserve(const std::string& name) {
  reservation_name_msg_t message{};
  message.name = Lent(name);
  Check(slurm_delete_reservation(&message) == SLURM_SUCCESS, "delete a reservation");
}

static void SetState(const std::string& nodes, uint32_t state) {
  static char reason[] = "bench";
  update_node_msg_t change;
  slurm_init_update_node_msg(&change);
  change.node_names = Lent(nodes);
  change.node_state = state;
  change.reason = reason;
  Check(slurm_update_node(&change) == SLURM_SUCCESS, "change nodes");
}

void Drain(const std::vector<std::string>& nodes) {
  for (const std::string& node : nodes) SetState(node, NODE_STATE_DRAIN);
}

void Resume(const std::vector<std::string>& nodes) {
  for (const std::string& node : nodes) SetState(node, NODE_RESUME);
  const Instant far{time(nullptr) + 86400};
  for (const std::string& node : nodes) {
    while (!CanReserve("bare-probe", node, {far, far + Span{60}}, "root")) usleep(20'000);
    Unreserve("bare-probe");
  }
}

size_t Reservations(const std::string& beginning) {
  reserve_info_msg_t* message = nullptr;
  Check(slurm_load_reservations(0, &message) == SLURM_SUCCESS, "load the reservations");
  size_t count = 0;
  for (uint32_t i = 0; i < message->record_count; ++i) {
    const char* name = message->reservation_array[i].name;
    if (name != nullptr && std::string(name).starts_with(beginning)) ++count;
  }
  slurm_free_reservation_info_msg(message);
  return count;
}

}  // namespace muster::bench::bare
