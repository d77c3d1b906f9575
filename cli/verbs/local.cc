// `up` and `down`: start and stop a whole federation on this machine.
#include "cli/local.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <thread>
#include <utility>

#include "base/phrases.h"
#include "cli/notices.h"
#include "cli/verbs/verb.h"
#include "cli/views/views.h"

namespace muster::cli {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::seconds kUpWait{15};  // usually up in 3 s
constexpr std::chrono::milliseconds kLook{50};
constexpr BootSpan kDownAnswer = Seconds(2);     // short, since `down` works without the meta, too
constexpr std::chrono::seconds kCancelWait{15};  // longest wait for jobs to end, with TERM and KILL
constexpr size_t kTailLines = 8;

double SecondsSince(SteadyClock::time_point begin) {
  return std::chrono::duration<double>(SteadyClock::now() - begin).count();
}

UpDocument DocumentOf(const LocalFederation& local, const Federation& federation, double elapsed_s,
                      bool was_running) {
  UpDocument document{.as_of = WallNow(),
                      .name = local.name(),
                      .was_running = was_running,
                      .elapsed_s = elapsed_s,
                      .state_dir = HomeShown(local.folder()),
                      .meta = federation.address.meta};
  for (const LocalSite& site : local.Sites()) {
    UpSite row{.name = site.name,
               .driver = site.walls[0] == '\0' ? "process" : "slurm",
               .nodes = static_cast<uint32_t>(site.nodes),
               .total = {{"ncpus", site.nodes * site.cpus}}};
    if (site.gpus > 0) row.total.Set("ngpus", site.nodes * site.gpus);
    for (const config::SiteAddress& address : federation.address.sites) {
      if (address.name == site.name) row.address = address.address;
    }
    document.sites.push_back(std::move(row));
  }
  return document;
}

Expect<MetaClient> ClientOf(const LocalFederation& local, Context context) {
  context.config_path = PointerFile(local.name());
  context.federation = local.name();
  context.via.reset();
  context.terminal_err = false;  // disables the client's spinner
  auto federation = FindFederation(context);
  if (!federation.ok()) return federation.failure();
  return MetaClient::Open(std::move(federation.value()), context);
}

// A failure if a daemon has ended, with the last lines of its log.
std::optional<Failure> Ended(const std::vector<LocalDaemon>& daemons) {
  while (waitpid(-1, nullptr, WNOHANG) > 0) {
  }
  for (const LocalDaemon& daemon : daemons) {
    if (RunningPid(daemon)) continue;
    Failure failure = Fail("internal", daemon.program + " of '" + daemon.name + "' ended",
                           "its log is " + HomeShown(daemon.log()));
    failure.diagnostic.notes = LogTail(daemon.log(), kTailLines);
    return failure;
  }
  return std::nullopt;
}

// Waits until the meta sees all sites up.
std::optional<Failure> WaitUntilUp(const LocalFederation& federation, const Context& context) {
  auto client = ClientOf(federation, context);
  if (!client.ok()) return client.failure();
  const std::vector<LocalDaemon> daemons = federation.Daemons();
  const auto until = SteadyClock::now() + kUpWait;
  size_t up = 0;
  MessageNumber asked;
  auto asked_at = SteadyClock::time_point{};
  while (SteadyClock::now() < until) {
    if (auto failure = Ended(daemons)) return failure;
    if (asked.value == 0 || SteadyClock::now() - asked_at > std::chrono::seconds(1)) {
      asked = client->Send(schemas::Get{.kind = schemas::GetKind::kSites}, Seconds(1));
      asked_at = SteadyClock::now();
    }
    const auto message = client->Receive(Milliseconds(kLook.count()));
    if (Interrupted())
      return Fail("timeout", "interrupted", "'muster down' stops what was started");
    if (!message || message->answers != asked) continue;
    asked = {};
    const auto* rows = std::get_if<schemas::Rows>(&message->body);
    if (rows == nullptr) continue;
    up = 0;
    for (const schemas::SiteView& site : rows->sites)
      up += site.state == schemas::SiteState::kUp ? 1 : 0;
    if (up == kLocalSites) return std::nullopt;
    std::this_thread::sleep_for(kLook);
  }
  Failure failure = Fail(
      "timeout", fmt::format("{} of {} sites are up after {} s", up, kLocalSites, kUpWait.count()),
      "'muster sites' shows them; the logs are in " + HomeShown(federation.folder()));
  failure.diagnostic.notes = LogTail(daemons.front().log(), kTailLines);
  return failure;
}

std::string NameOf(const Given& given) {
  return given.words.empty() ? kLocalFederation : given.words.front();
}

// The number at --slurm; none: it was not given.
Expect<std::optional<size_t>> ClustersOf(const Given& given) {
  if (!given.Has("--slurm")) return std::optional<size_t>();
  const std::string& text = given.Value("--slurm");
  for (size_t n = 1; n <= kMostClusters; ++n) {
    if (text == std::to_string(n)) return std::optional(n);
  }
  return UsageError("--slurm " + text + ": how many clusters?", "--slurm 1 or --slurm 2");
}

// The unfinished jobs of all users; none if the meta does not answer.
std::optional<std::vector<schemas::JobView>> Unfinished(const LocalFederation& federation,
                                                        const Context& context) {
  auto client = ClientOf(federation, context);
  if (!client.ok()) return std::nullopt;
  schemas::Get get{.kind = schemas::GetKind::kJobs};
  get.everyone = true;
  auto rows = client->Rows(get, kDownAnswer);
  if (!rows.ok()) return std::nullopt;
  return std::move(rows->jobs);
}

std::string Ids(const std::vector<schemas::JobView>& jobs) {
  constexpr size_t kShown = 8;
  const std::span shown = std::span(jobs).first(std::min(jobs.size(), kShown));
  const std::string text = Joined(shown, ", ", &schemas::JobView::id);
  return jobs.size() > kShown ? text + ", …" : text;
}

void CancelAll(const LocalFederation& federation, const Context& context,
               const std::vector<schemas::JobView>& jobs) {
  auto client = ClientOf(federation, context);
  if (!client.ok()) return;
  std::vector<RequestId> ids;
  for (const schemas::JobView& job : jobs) ids.push_back(IdOf(job));
  if (!client->Call(schemas::Cancel{ids}).ok()) return;
  const auto until = SteadyClock::now() + kCancelWait;
  while (SteadyClock::now() < until && !Interrupted()) {
    schemas::Get get{.kind = schemas::GetKind::kJobs};
    get.everyone = true;
    auto rows = client->Rows(get, kDownAnswer);
    if (!rows.ok() || rows->jobs.empty()) return;
    std::this_thread::sleep_for(kLook);
  }
}

Options UpOptions() {
  Options options("up [NAME]", "Starts a whole federation on this machine: a meta and three sites.",
                  Words::kAnywhere);
  options.Value("--slurm", "N", "N of the sites, 1 or 2, are beside Slurm clusters").Globals();
  options.Note(
      "NAME: else 'local'. Its state stays in ~/.local/state/muster/NAME until 'muster\n"
      "down --purge'. Nodes are slices of this machine, GPUs are tokens, processes are\n"
      "real. The waits are short: lead 2s (with --slurm 10s), start_wait 10s,\n"
      "permit_window 6s.\n"
      "--slurm needs root, and Debian's slurmctld, slurmd, slurm-client,\n"
      "slurm-wlm-basic-plugins and munge. The clusters end with 'muster down'.\n");
  return options;
}

Result RunUp(Given given) {
  const auto begin = SteadyClock::now();
  if (given.words.size() > 1) return UsageError("'" + given.words[1] + "' is one word too many");
  auto context = Context::Of(given);
  if (!context.ok()) return context.failure();
  auto federation = LocalFederation::Of(NameOf(given));
  if (!federation.ok()) return federation.failure();
  auto clusters = ClustersOf(given);
  if (!clusters.ok()) return clusters.failure();
  if (auto failure = federation->Lock()) return *failure;
  CatchInterrupt();
  if (clusters.value()) {
    if (auto failure = federation->Choose(*clusters.value())) return *failure;
  }
  const std::vector<LocalDaemon> daemons = federation->Daemons();
  std::vector<LocalDaemon> missing;
  for (const LocalDaemon& daemon : daemons) {
    if (!RunningPid(daemon)) missing.push_back(daemon);
  }
  if (auto failure = MissingProgram(missing)) return *failure;
  // Before anything is written: what does not come up leaves no federation behind.
  if (auto failure = federation->StartClusters()) return *failure;
  // If the meta runs, missing sites join it with the present configuration.
  if (!RunningPid(daemons.front())) {
    if (missing.size() < daemons.size()) StopDaemons(daemons);
    missing = daemons;
    auto ports = LocalFederation::FreePorts();
    if (!ports.ok()) return ports.failure();
    if (auto failure = federation->Write(ports.value())) return *failure;
  }
  const bool was_running = missing.empty();
  for (const LocalDaemon& daemon : missing) {
    if (auto failure = StartDaemon(daemon)) {
      StopDaemons(missing);
      return *failure;
    }
  }
  if (auto failure = WaitUntilUp(federation.value(), context.value())) {
    StopDaemons(missing);
    if (missing.size() == daemons.size()) {
      unlink(PointerFile(federation->name()).c_str());
      federation->StopClusters();
    }
    failure->changed = "nothing is left running";
    if (was_running || missing.size() < daemons.size()) failure->changed.clear();
    return *failure;
  }
  auto client = ClientOf(federation.value(), context.value());
  if (!client.ok()) return client.failure();
  const Json document = ToDocument(
      DocumentOf(federation.value(), client->federation(), SecondsSince(begin), was_running));
  if (context->json) {
    PrintJson(document, false);
  } else if (!context->quiet) {
    Print(views::UpView(document, context->View()));
  }
  return kExitDone;
}

Options DownOptions() {
  Options options("down [NAME]", "Stops the federation that 'muster up' started.",
                  Words::kAnywhere);
  options.Flag("--kill", "end its jobs first")
      .Flag("--purge", "end its jobs and forget everything")
      .Globals();
  options.Note(
      "Stopping it cancels nothing: processes of jobs that run go on until they end or\n"
      "their time is over, and the next 'muster up' finds them and their outcome. What\n"
      "was promised meanwhile starts then, or is told to be late. Slurm clusters of\n"
      "'up --slurm' end with it, and jobs before them.\n");
  return options;
}

Result RunDown(Given given) {
  if (given.words.size() > 1) return UsageError("'" + given.words[1] + "' is one word too many");
  auto context = Context::Of(given);
  if (!context.ok()) return context.failure();
  auto federation = LocalFederation::Of(NameOf(given));
  if (!federation.ok()) return federation.failure();
  const std::string& name = federation->name();
  if (!federation->exists()) {
    if (!context->quiet) Print("Federation '" + name + "' is not there; nothing to stop.\n");
    return kExitDone;
  }
  if (auto failure = federation->Lock()) return *failure;
  const bool purge = given.Has("--purge");
  const bool end_jobs = purge || given.Has("--kill") || federation->clusters() > 0;
  const std::vector<LocalDaemon> daemons = federation->Daemons();
  const bool ran = RunningPid(daemons.front()).has_value();
  std::vector<schemas::JobView> jobs;
  if (ran) {
    if (auto unfinished = Unfinished(federation.value(), context.value()))
      jobs = *std::move(unfinished);
  }
  CatchInterrupt();
  if (end_jobs && !jobs.empty()) CancelAll(federation.value(), context.value(), jobs);
  if (!StopDaemons(daemons)) {
    return Fail("internal", "a daemon of '" + name + "' does not end",
                "its pid is in " + HomeShown(federation->folder()));
  }
  unlink(PointerFile(name).c_str());
  // The daemons are down, so the shepherds are stopped directly.
  if (end_jobs) StopShepherds(federation->folder());
  if (auto failure = federation->StopClusters()) return *failure;
  if (purge) {
    if (auto failure = RemoveTree(federation->folder())) return *failure;
  }
  if (context->json) {
    PrintJson(ToDocument(DownDocument{name, ran, purge, end_jobs ? 0 : jobs.size()}), false);
  } else if (!context->quiet) {
    std::string text = "Federation '" + name + "' is " + (ran ? "down" : "not running");
    text += purge ? "; everything is forgotten.\n" : ".\n";
    if (!end_jobs && !jobs.empty()) {
      text += fmt::format("{} not ended: {}. What runs goes on; 'muster up' finds it.\n",
                          Counted(jobs.size(), "job"), Ids(jobs));
    }
    Print(text);
  }
  return kExitDone;
}

}  // namespace

const Verb kUpVerb = {"up", "Try", "a whole federation on this machine", UpOptions, RunUp};
const Verb kDownVerb = {"down", "Try", "stop it", DownOptions, RunDown};

}  // namespace muster::cli
