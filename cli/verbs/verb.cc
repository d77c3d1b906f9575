// The list of verbs, and what they share.
#include "cli/verbs/verb.h"

#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <utility>

namespace muster::cli {

const std::vector<Verb>& Verbs() {
  static const std::vector<Verb> kVerbs = {
      {"submit", "Work", "run a command or script, on one site or several at once", SubmitOptions,
       RunSubmit},
      {"ask", "Work", "when would it start, and where? changes nothing", AskOptions, RunAsk},
      {"wait", "Work", "until jobs end (or --until promised|running)", WaitOptions, RunWait},
      {"logs", "Work", "output of jobs, all parts; -f follows", LogsOptions, RunLogs},
      {"cancel", "Work", "end jobs", CancelOptions, RunCancel},
      {"queue", "Look", "jobs and when they start", QueueOptions, RunQueue},
      {"show", "Look", "all about one job", ShowOptions, RunShow},
      {"gantt", "Look", "the plan, drawn", GanttOptions, RunGantt},
      {"sites", "Look", "sites, their state and load", SitesOptions, RunSites},
      {"check", "Operate", "test a configuration file", CheckOptions, RunCheck},
      {"keys", "Operate", "make a key", KeysOptions, RunKeys},
      {"up", "Try", "a whole federation on this machine", UpOptions, RunUp},
      {"down", "Try", "stop it", DownOptions, RunDown},
      {"sim", "Try", "run, replay: the same scheduler on traces", SimOptions, RunSim},
      {"digest", "Plumbing", "hash of the federation's state", DigestOptions, RunDigest},
      {"help", "Plumbing", "a command, or the code of an error", HelpOptions, RunHelp},
  };
  return kVerbs;
}

Expect<Session> OpenSession(Given given) {
  auto context = Context::Of(given);
  if (!context.ok()) return context.failure();
  auto federation = FindFederation(context.value());
  if (!federation.ok()) return federation.failure();
  auto client = MetaClient::Open(std::move(federation.value()), context.value());
  if (!client.ok()) return client.failure();
  return Session{std::move(given), std::move(context.value()), std::move(client.value())};
}

Expect<Session> OpenSession(const Options& options, const std::vector<std::string>& words) {
  auto given = options.Parse(words);
  if (!given.ok()) return given.failure();
  return OpenSession(std::move(given.value()));
}

Expect<text::JobSet> JobsOf(const std::vector<std::string>& words, const std::string& verb) {
  if (words.empty())
    return UsageError("which jobs?", "as in muster " + verb + " 42, 42-48,50, last or all");
  std::string joined;
  for (const std::string& word : words) joined += (joined.empty() ? "" : ",") + word;
  auto set = text::ParseJobs(joined);
  if (!set.ok()) return set.diagnostic();
  for (const text::JobName& name : set.value().names) {
    if (name.element) {
      return UsageError("'" + text::JobNameText(name) + "': this version of muster has no arrays",
                        "name the job, as in " + std::to_string(name.job));
    }
  }
  return std::move(set).value();
}

RequestId IdOf(const schemas::JobView& job) {
  return RequestId{std::strtoull(job.id.c_str(), nullptr, 10)};
}

Expect<schemas::Rows> GetJob(MetaClient& client, RequestId id) {
  schemas::Get get{.kind = schemas::GetKind::kJob};
  if (id.value == 0) {
    get.last = true;
  } else {
    get.requests = {id};
  }
  auto rows = client.Rows(get);
  if (!rows.ok()) return rows.failure();
  if (rows->jobs.empty()) {
    return id.value == 0 ? Fail("not-found", "you have submitted no job yet")
                         : Fail("not-found", "there is no job " + std::to_string(id.value));
  }
  return rows;
}

Expect<std::vector<RequestId>> Resolve(MetaClient& client, const text::JobSet& set) {
  std::vector<RequestId> ids;
  const auto add = [&](RequestId id) {
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
  };
  if (set.last) {
    auto rows = GetJob(client, RequestId{});
    if (!rows.ok()) return rows.failure();
    add(IdOf(rows->jobs.front()));
  }
  if (set.all) {
    auto rows = AllJobs(client, {.kind = schemas::GetKind::kJobs});
    if (!rows.ok()) return rows.failure();
    for (const schemas::JobView& job : rows->jobs) ids.push_back(IdOf(job));
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  }
  if (ids.size() + set.names.size() > 2 * text::kMostJobsNamed) {
    return UsageError("too many jobs at once", "name fewer of them");
  }
  for (const text::JobName& name : set.names) add(RequestId{name.job});
  return ids;
}

Surroundings ReadHere(const Context& context) {
  Surroundings around;
  around.now = WallNow().Floor();
  if (!context.utc) around.zone = LocalZone(around.now);
  char folder[PATH_MAX];
  if (getcwd(folder, sizeof(folder)) != nullptr) around.directory = folder;
  around.read_file = [](const std::string& path) -> Expect<std::string> {
    auto text = ReadTextFile(path, "usage");
    if (text.ok()) return text;
    Failure failure = text.failure();
    failure.diagnostic.help = {"a command goes after '--': muster submit … -- " + path};
    return failure;
  };
  return around;
}

}  // namespace muster::cli
