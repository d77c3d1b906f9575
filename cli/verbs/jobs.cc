// Verbs that show jobs: queue, show; and digest.
#include <algorithm>
#include <utility>

#include "cli/documents.h"
#include "cli/replies.h"
#include "cli/verbs/look.h"
#include "cli/views/views.h"

namespace muster::cli {
namespace {

// True if a word of `show` names a site, "lakes", or a node, "lakes/n3", instead of a job.
bool IsPlace(const std::string& word) {
  if (word.empty() || word == "last" || word == "all") return false;
  const size_t slash = word.find('/');
  const std::string_view name =
      slash == std::string::npos ? word : std::string_view(word).substr(slash + 1);
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const bool reservation = word.size() > 1 && word[0] == 'R' && digit(word[1]);
  return !name.empty() && !digit(name[0]) && !reservation && word.find(',') == std::string::npos;
}

Result ShowSite(Session& session, const std::string& name, bool line) {
  schemas::Get get{.kind = schemas::GetKind::kSites};
  get.sites = {name};
  auto rows = session.client.Rows(get);
  if (!rows.ok()) return rows.failure();
  std::erase_if(rows->sites, [&](const auto& site) { return site.name != name; });
  if (auto missing = MissingSite(get.sites, rows->sites)) return *missing;
  Show(session.context, ToDocument(SitesDocument{rows->as_of, std::move(rows->sites)}),
       views::SitesView, line);
  return kExitDone;
}

Result ShowNode(Session& session, const std::string& site, const std::string& node, bool line) {
  schemas::Get get{.kind = schemas::GetKind::kNodes};
  get.sites = {site};
  auto rows = session.client.Rows(get);
  if (!rows.ok()) return rows.failure();
  std::erase_if(rows->nodes, [&](const auto& row) { return row.name != site; });
  if (auto missing = MissingSite(get.sites, rows->nodes)) return *missing;
  std::vector<schemas::NodeRow>& nodes = rows->nodes.front().nodes;
  std::erase_if(nodes, [&](const schemas::NodeRow& row) { return row.name != node; });
  if (nodes.empty()) {
    return Fail("not-found", "there is no node '" + site + "/" + node + "'",
                "'muster nodes " + site + "' lists them");
  }
  Show(session.context, ToDocument(NodesDocument{rows->as_of, std::move(rows->nodes)}),
       views::NodesView, line);
  return kExitDone;
}

Result ShowJob(Session& session, Expect<schemas::Rows> rows, bool line) {
  if (!rows.ok()) return rows.failure();
  JobDocument document{rows->as_of, std::move(rows->jobs.front())};
  Show(session.context, ToDocument(document), views::JobView, line);
  return kExitDone;
}

Options QueueOptions() {
  Options options("queue [options]", "Jobs and when they start; yours, unless told otherwise.",
                  Words::kAnywhere);
  options.Flag("--everyone", "jobs of all users")
      .Flag("--ended", "jobs that have ended, too")
      .Globals();
  return options;
}

Result RunQueue(Given given) {
  auto session = OpenSession(std::move(given));
  if (!session.ok()) return session.failure();
  if (!session->given.words.empty()) return NoWords("queue", session->given.words.front());
  schemas::Get get{.kind = schemas::GetKind::kJobs};
  // With --via, a site shows its own jobs and those of the federation that run there.
  get.everyone = session->given.Has("--everyone") || !session->client.site().empty();
  get.ended = session->given.Has("--ended");
  auto rows = AllJobs(session->client, get);
  if (!rows.ok()) return rows.failure();
  QueueDocument document{.as_of = rows->as_of, .basis = std::move(rows->basis)};
  if (get.everyone) {
    get.everyone = false;
    auto own = AllJobs(session->client, get);
    if (!own.ok()) return own.failure();
    document.yours = own->jobs.size();
  }
  if (session->context.quiet) {
    std::string ids;
    for (const schemas::JobView& job : rows->jobs) ids += job.id + '\n';
    Print(ids);
    return kExitDone;
  }
  document.jobs.reserve(rows->jobs.size());
  for (schemas::JobView& job : rows->jobs) document.jobs.push_back({std::move(job)});
  Show(session->context, ToDocument(document), views::QueueView);
  return kExitDone;
}

Options ShowOptions() {
  Options options("show JOB|SITE|NODE …",
                  "All about a job, its figures, parts, how its promise moved; a site, a node.",
                  Words::kAnywhere);
  options.Globals().Note(kJobsNote + std::string("SITE: lakes. NODE: lakes/n3.\n"));
  return options;
}

Result RunShow(Given given) {
  std::vector<std::string> places;
  std::vector<std::string> jobs;
  for (std::string& word : given.words) {
    (IsPlace(word) ? places : jobs).push_back(std::move(word));
  }
  text::JobSet set;
  if (!jobs.empty() || places.empty()) {
    auto read = JobsOf(jobs, "show");
    if (!read.ok()) return read.failure();
    set = std::move(read.value());
  }
  auto session = OpenSession(std::move(given));
  if (!session.ok()) return session.failure();
  auto targets = ResolveAll(session->client, set);
  if (!targets.ok()) return targets.failure();
  const size_t count = places.size() + targets->requests.size() + targets->locals.size();
  size_t shown = 0;
  const auto each = [&](auto&& show) -> std::optional<Result> {
    if (shown++ > 0 && !session->context.json) Print("\n");
    Result result = show(count > 1);
    return result.ok() ? std::nullopt : std::optional(std::move(result));
  };
  for (const RequestId id : targets->requests) {
    auto failed = each(
        [&](bool line) { return ShowJob(session.value(), GetJob(session->client, id), line); });
    if (failed) return *failed;
  }
  for (const LocalJob& job : targets->locals) {
    auto failed = each([&](bool line) {
      return ShowJob(session.value(), GetLocalJob(session->client, job), line);
    });
    if (failed) return *failed;
  }
  for (const std::string& place : places) {
    const size_t slash = place.find('/');
    auto failed = each([&](bool line) {
      return slash == std::string::npos
                 ? ShowSite(session.value(), place, line)
                 : ShowNode(session.value(), place.substr(0, slash), place.substr(slash + 1), line);
    });
    if (failed) return *failed;
  }
  return kExitDone;
}

Options DigestOptions() {
  Options options("digest", "The hash of the federation's durable state.", Words::kAnywhere);
  options.Globals();
  return options;
}

Result RunDigest(Given given) {
  auto session = OpenSession(std::move(given));
  if (!session.ok()) return session.failure();
  if (!session->given.words.empty()) return NoWords("digest", session->given.words.front());
  auto rows = session->client.Rows(schemas::Get{.kind = schemas::GetKind::kDigest});
  if (!rows.ok()) return rows.failure();
  if (!rows->digest) return Fail("internal", "the meta sent no digest");
  const std::string digest = ToHex(*rows->digest);
  if (session->context.json) {
    PrintJson(ToDocument(DigestDocument{rows->as_of, digest}), false);
  } else {
    Print(digest + '\n');
  }
  return kExitDone;
}

}  // namespace

const Verb kQueueVerb = {"queue", "Look", "jobs and when they start", QueueOptions, RunQueue};
const Verb kShowVerb = {"show", "Look", "all about one job, reservation, node or site", ShowOptions,
                        RunShow};
const Verb kDigestVerb = {"digest", "Plumbing", "hash of the state", DigestOptions, RunDigest};

}  // namespace muster::cli
