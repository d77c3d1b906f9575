// The list of verbs, and functions that they share.
#include "cli/verbs/verb.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <set>
#include <utility>

#include "base/phrases.h"
#include "base/status.h"
#include "base/units.h"
#include "cli/verbs/look.h"
#include "schemas/limits.h"

namespace muster::cli {

const std::vector<Verb>& Verbs() {
  static const std::vector<Verb> kVerbs = {
      kSubmitVerb,   kAskVerb,        kWaitVerb,        kLogsVerb,   kCancelVerb,   kAlterVerb,
      kHoldVerb,     kReleaseVerb,    kReserveVerb,     kQueueVerb,  kShowVerb,     kExplainVerb,
      kPriorityVerb, kSharesVerb,     kAccountVerb,     kSlotsVerb,  kGanttVerb,    kSitesVerb,
      kNodesVerb,    kLimitsVerb,     kCalibrationVerb, kDrainVerb,  kResumeVerb,   kSettleVerb,
      kSiteVerb,     kSchedulerVerb,  kWhatifVerb,      kCheckVerb,  kReloadVerb,   kKeysVerb,
      kUpVerb,       kDownVerb,       kSimVerb,         kEventsVerb, kVerdictsVerb, kSchemaVerb,
      kDigestVerb,   kCompletionVerb, kHelpVerb,
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

Expect<text::JobSet> JobsOf(const std::vector<std::string>& words, const std::string& verb) {
  if (words.empty())
    return UsageError("which jobs?", "as in muster " + verb + " 42, 42-48,50, last or all");
  auto set = text::ParseJobs(Joined(words, ","));
  if (!set.ok()) return set.diagnostic();
  return std::move(set).value();
}

std::optional<Failure> WholeJobs(const text::JobSet& set, const std::string& verb) {
  for (const text::JobName& name : set.names) {
    if (!name.part) continue;
    text::JobName whole = name;
    whole.part.reset();
    return UsageError(
        fmt::format("'{}': parts of a job start and end together", text::JobNameText(name)),
        fmt::format("as in muster {} {}", verb, text::JobNameText(whole)));
  }
  return std::nullopt;
}

Expect<schemas::Rows> GetJob(MetaClient& client, RequestId id) {
  schemas::Get get{.kind = schemas::GetKind::kJob};
  if (id.value == 0) {
    get.last = true;
  } else if (client.site().empty()) {
    get.requests = {id};
  } else {
    get.locals = {id.value};  // a site distinguishes its own jobs from the federation's
  }
  auto rows = client.Rows(get);
  if (!rows.ok()) return rows.failure();
  if (rows->jobs.empty()) {
    return id.value == 0 ? Fail("not-found", "you have submitted no job yet")
                         : Fail("not-found", "there is no job " + IdShown(client, id));
  }
  return rows;
}

Expect<schemas::Rows> GetLocalJob(MetaClient& client, const LocalJob& job) {
  schemas::Get get{.kind = schemas::GetKind::kJob};
  get.sites = {job.site};
  get.locals = {job.number};
  auto rows = client.Rows(get);
  if (!rows.ok()) return rows.failure();
  if (rows->jobs.empty()) {
    return Fail("not-found", fmt::format("there is no job {}/{}", job.site, job.number));
  }
  return rows;
}

std::string IdShown(const MetaClient& client, RequestId id) {
  return (client.site().empty() ? "" : client.site() + "/") + ToText(id);
}

std::vector<RequestId> ElementsOf(const schemas::JobView& array) {
  std::vector<RequestId> elements;
  const RequestId job = IdOf(array).array();
  const schemas::ArrayView& view = *array.array;
  const uint64_t step = std::max<uint64_t>(view.step, 1);
  for (uint64_t index = view.first; index <= view.last; index += step) {
    elements.push_back(job.element(index));
    if (elements.size() > schemas::kArrayElements) break;
  }
  return elements;
}

Expect<Targets> ResolveAll(MetaClient& client, const text::JobSet& set) {
  Targets targets;
  std::vector<RequestId>& ids = targets.requests;
  std::set<RequestId> seen;
  const auto add = [&](RequestId id) {
    if (seen.insert(id).second) ids.push_back(id);
  };
  if (set.last) {
    auto rows = GetJob(client, RequestId{});
    if (!rows.ok()) return rows.failure();
    add(IdOf(rows->jobs.front()));
  }
  if (set.all) {
    auto rows = AllJobs(client, {.kind = schemas::GetKind::kJobs});
    if (!rows.ok()) return rows.failure();
    std::vector<RequestId> all;
    for (const schemas::JobView& job : rows->jobs) all.push_back(IdOf(job));
    std::sort(all.begin(), all.end());
    for (const RequestId id : all) add(id);
  }
  if (ids.size() + set.names.size() > 2 * text::kMostJobsNamed) {
    return UsageError("too many jobs at once", "name fewer of them");
  }
  for (const text::JobName& name : set.names) {
    if (name.job >= RequestId::kJobs) {
      return Fail("not-found", "there is no job " + text::JobNameText(name));
    }
    if (!name.site.empty() && client.site().empty()) {
      targets.locals.push_back({name.site, name.job, name.part.value_or(0)});
      continue;
    }
    if (!name.site.empty() && name.site != client.site()) {
      return UsageError(fmt::format("'{}' is a job of {}, and {} is asked", text::JobNameText(name),
                                    name.site, client.site()),
                        "--via " + name.site);
    }
    const RequestId id{name.job};
    if (name.reservation) targets.reservations.insert(id);
    add(name.element ? id.element(*name.element) : id);
  }
  // Jobs and reservations share one sequence of numbers, so each R7 is verified to be a
  // reservation.
  for (const RequestId id : targets.reservations) {
    auto rows = GetJob(client, id);
    if (!rows.ok()) return rows.failure();
    if (!rows->jobs.front().reserves) {
      return Fail("not-found", "there is no reservation R" + ToText(id));
    }
  }
  return targets;
}

Expect<std::vector<RequestId>> Resolve(MetaClient& client, const text::JobSet& set) {
  auto targets = ResolveAll(client, set);
  if (!targets.ok()) return targets.failure();
  if (!targets->locals.empty()) {
    const LocalJob& job = targets->locals.front();
    return UsageError(
        fmt::format("'{}/{}' is a job of that site alone; the meta only shows it", job.site,
                    job.number),
        fmt::format("ask the site itself: muster --via {} … {}", job.site, job.number));
  }
  return std::move(targets->requests);
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

void Show(const Context& context, const Json& document, View view, bool line) {
  if (context.json) {
    PrintJson(document, line);
  } else {
    Print(view(document, context.View()));
  }
}

Failure NoWords(const std::string& verb, const std::string& word) {
  return UsageError("'" + word + "' is one word too many", "see 'muster " + verb + " --help'");
}

std::vector<std::string> SplitSites(const std::string& text) {
  std::vector<std::string> sites;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    if (end > begin) sites.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return sites;
}

Expect<Span> ReadSpan(const std::string& option, const std::string& text) {
  const auto span = ParseDuration(text);
  if (!span.ok()) {
    return UsageError(option + " " + text + ": " + std::string(Text(span.status())),
                      DurationHelp(text));
  }
  if (span->seconds < 1 || *span > kLongestSpan) {
    return UsageError(option + " " + text + ": from 1s to " + DurationText(kLongestSpan));
  }
  return *span;
}

Expect<RequestId> OneJob(MetaClient& client, const std::vector<std::string>& words,
                         const std::string& verb) {
  auto set = JobsOf(words, verb);
  if (!set.ok()) return set.failure();
  auto ids = Resolve(client, set.value());
  if (!ids.ok()) return ids.failure();
  if (ids->size() == 1) return ids->front();
  return UsageError(fmt::format("exactly one job, not {}", ids->size()),
                    "as in muster " + verb + " last");
}

}  // namespace muster::cli
