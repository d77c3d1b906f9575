// Verbs that only look: queue, show, sites, gantt, ask, digest.
#include <algorithm>
#include <map>
#include <utility>

#include "base/units.h"
#include "cli/documents.h"
#include "cli/verbs/verb.h"
#include "cli/views/views.h"

namespace muster::cli {
namespace {

constexpr Span kLongestChart{366 * 86400};

void Show(const Context& context, const Json& document,
          std::string (*view)(const Json&, const views::ViewOptions&)) {
  if (context.json) {
    PrintJson(document, false);
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

// Sites that were named and do not exist are an error, not an empty answer.
template <class Row>
std::optional<Failure> MissingSite(const std::vector<std::string>& wanted,
                                   const std::vector<Row>& rows) {
  for (const std::string& name : wanted) {
    const bool there =
        std::any_of(rows.begin(), rows.end(), [&](const Row& row) { return row.name == name; });
    if (!there)
      return Fail("not-found", "there is no site '" + name + "'", "'muster sites' lists them");
  }
  return std::nullopt;
}

// The shortest usual span from now on in which all bookings end.
Span FittingSpan(const std::vector<schemas::GanttSite>& sites, Instant now) {
  constexpr int64_t kSpans[] = {600,   1800,  3600,   7200,   14400,
                                28800, 86400, 172800, 604800, 2592000};
  Instant last = now;
  bool any = false;
  for (const schemas::GanttSite& site : sites) {
    for (const schemas::BookingRow& row : site.bookings) {
      if (row.end >= kFarFuture) continue;
      last = std::max(last, row.end);
      any = true;
    }
  }
  if (!any) return Span{3600};
  for (const int64_t span : kSpans) {
    if (now + Span{span} >= last) return Span{span};
  }
  return std::min(last - now, kLongestChart);
}

// "lakes, woods, hills: no node has more than 4 cpus": sites that say the same share a line.
Failure NeverFailure(const schemas::RequestSpec& request,
                     const std::vector<schemas::OfferView>& offers) {
  std::vector<std::pair<std::string, std::string>> said;  // text, sites
  std::string help;
  for (const schemas::OfferView& offer : offers) {
    std::string sites;
    for (const std::string& site : offer.sites) sites += (sites.empty() ? "" : ", ") + site;
    const std::string& text = offer.never->text;
    const auto same = std::find_if(said.begin(), said.end(),
                                   [&](const auto& entry) { return entry.first == text; });
    if (same == said.end()) {
      said.emplace_back(text, sites);
    } else {
      same->second += ", " + sites;
    }
    if (help.empty() && !offer.largest.empty())
      help = "the largest here is -l " + ChunksOption(offer.largest);
  }
  std::string chunks;
  for (const schemas::PartSpec& part : request.parts) {
    chunks += (chunks.empty() ? "" : " : ") + views::ChunksShown(ToJson(part.chunks));
  }
  Failure failure = Fail("never", "no site can ever run " + chunks, help);
  for (const auto& [text, sites] : said) failure.diagnostic.notes.push_back(sites + ": " + text);
  return failure;
}

std::optional<Failure> WithoutOffer(const schemas::RequestSpec& request,
                                    const std::vector<schemas::OfferView>& offers) {
  if (offers.empty())
    return Fail("unreachable", "no site answered", "'muster sites' shows their state");
  const auto all = [&](const auto& holds) {
    return std::all_of(offers.begin(), offers.end(), holds);
  };
  if (all([](const schemas::OfferView& offer) { return offer.never.has_value(); })) {
    return NeverFailure(request, offers);
  }
  const auto silent = [](const schemas::OfferView& offer) {
    const auto& reason = offer.figures.no_promise_reason;
    return !offer.figures.starts_by && reason && reason->code == schemas::ReasonCode::kSilent;
  };
  if (all(silent)) {
    return Fail("unreachable", offers.front().figures.no_promise_reason->text,
                "'muster sites' shows their state");
  }
  return std::nullopt;
}

}  // namespace

Options QueueOptions() {
  Options options("queue [options]", "Jobs and when they start; yours, unless told otherwise.",
                  Words::kAnywhere);
  options.Flag("--everyone", "jobs of all users")
      .Flag("--ended", "jobs that have ended, too")
      .Globals();
  return options;
}

Result RunQueue(const std::vector<std::string>& words) {
  auto session = OpenSession(QueueOptions(), words);
  if (!session.ok()) return session.failure();
  if (!session->given.words.empty()) return NoWords("queue", session->given.words.front());
  schemas::Get get{.kind = schemas::GetKind::kJobs};
  get.everyone = session->given.Has("--everyone");
  get.ended = session->given.Has("--ended");
  auto rows = AllJobs(session->client, get);
  if (!rows.ok()) return rows.failure();
  std::optional<size_t> yours;
  if (get.everyone) {
    get.everyone = false;
    auto own = AllJobs(session->client, get);
    if (!own.ok()) return own.failure();
    yours = own->jobs.size();
  }
  if (session->context.quiet) {
    std::string ids;
    for (const schemas::JobView& job : rows->jobs) ids += job.id + '\n';
    Print(ids);
    return kExitDone;
  }
  Show(session->context, QueueDocument(rows->jobs, rows->basis, yours, rows->as_of),
       views::QueueView);
  return kExitDone;
}

Options ShowOptions() {
  Options options("show JOB …", "All about a job: figures, parts, how its promise moved.",
                  Words::kAnywhere);
  options.Globals().Note("JOB: 42, 42-48,50, last, all\n");
  return options;
}

Result RunShow(const std::vector<std::string>& words) {
  auto given = ShowOptions().Parse(words);
  if (!given.ok()) return given.failure();
  auto set = JobsOf(given->words, "show");
  if (!set.ok()) return set.failure();
  auto session = OpenSession(std::move(given.value()));
  if (!session.ok()) return session.failure();
  auto ids = Resolve(session->client, set.value());
  if (!ids.ok()) return ids.failure();
  for (size_t i = 0; i < ids->size(); ++i) {
    auto rows = GetJob(session->client, ids.value()[i]);
    if (!rows.ok()) return rows.failure();
    const Json document = JobDocument(rows->jobs.front(), rows->as_of);
    if (session->context.json) {
      PrintJson(document, ids->size() > 1);
      continue;
    }
    if (i > 0) Print("\n");
    Print(views::JobView(document, session->context.View()));
  }
  return kExitDone;
}

Options SitesOptions() {
  Options options("sites [options]", "Sites, their state and load.", Words::kAnywhere);
  options.Value("--site", "A,B", "only these").Globals();
  return options;
}

Result RunSites(const std::vector<std::string>& words) {
  auto session = OpenSession(SitesOptions(), words);
  if (!session.ok()) return session.failure();
  if (!session->given.words.empty()) return NoWords("sites", session->given.words.front());
  schemas::Get get{.kind = schemas::GetKind::kSites};
  get.sites = SplitSites(session->given.Maybe("--site").value_or(""));
  auto rows = session->client.Rows(get);
  if (!rows.ok()) return rows.failure();
  if (auto missing = MissingSite(get.sites, rows->sites)) return *missing;
  if (session->context.quiet) {
    std::string names;
    for (const schemas::SiteView& site : rows->sites) names += site.name + '\n';
    Print(names);
    return kExitDone;
  }
  Show(session->context, SitesDocument(rows->sites, rows->as_of), views::SitesView);
  return kExitDone;
}

Options GanttOptions() {
  Options options("gantt [options]", "The plan, drawn: a row per set of equal nodes.",
                  Words::kAnywhere);
  options.Value("--within", "DURATION", "from now on so far; else as far as the plan goes")
      .Value("--site", "A,B", "only these")
      .Flag("--stale", "also what silent sites said last")
      .Globals();
  return options;
}

Result RunGantt(const std::vector<std::string>& words) {
  auto given = GanttOptions().Parse(words);
  if (!given.ok()) return given.failure();
  std::optional<Span> within;
  if (given->Has("--within")) {
    const std::string& text = given->Value("--within");
    const auto span = ParseDuration(text);
    if (!span.ok())
      return UsageError("--within " + text + ": " + std::string(Text(span.status())),
                        DurationHelp(text));
    if (span->seconds < 1 || *span > kLongestChart) {
      return UsageError("--within " + text + ": from 1s to " + DurationText(kLongestChart));
    }
    within = *span;
  }
  auto session = OpenSession(std::move(given.value()));
  if (!session.ok()) return session.failure();
  if (!session->given.words.empty()) return NoWords("gantt", session->given.words.front());
  schemas::Get get{.kind = schemas::GetKind::kGantt};
  get.sites = SplitSites(session->given.Maybe("--site").value_or(""));
  auto rows = session->client.Rows(get);
  if (!rows.ok()) return rows.failure();
  if (auto missing = MissingSite(get.sites, rows->gantt)) return *missing;
  if (!session->given.Has("--stale")) {
    for (schemas::GanttSite& site : rows->gantt) {
      if (!site.stale) continue;
      site.nodes.clear();
      site.bookings.clear();
    }
  }
  const Instant now = WallNow().Floor();
  const Span span = within.value_or(FittingSpan(rows->gantt, now));
  Show(session->context, GanttDocument(rows->gantt, now, now + span, rows->as_of),
       views::GanttView);
  return kExitDone;
}

Options AskOptions() { return RequestOptions(Asked::kAsk); }

Result RunAsk(const std::vector<std::string>& words) {
  auto first = AskOptions().Parse(words);
  if (!first.ok()) return first.failure();
  auto context = Context::Of(first.value());
  if (!context.ok()) return context.failure();
  auto submission = ReadSubmission(Asked::kAsk, words, ReadHere(context.value()));
  if (!submission.ok()) return submission.failure();
  auto session = OpenSession(std::move(submission->command_line));
  if (!session.ok()) return session.failure();
  // Nobody runs it: what it would run stays here.
  submission->request.payload = {};
  auto rows = session->client.Rows(schemas::Ask{submission->request});
  if (!rows.ok()) return rows.failure();
  if (auto failure = WithoutOffer(submission->request, rows->offers)) {
    if (session->context.json) PrintJson(AskDocument(rows->offers, rows->as_of), false);
    return *failure;
  }
  Show(session->context, AskDocument(rows->offers, rows->as_of), views::AskView);
  return kExitDone;
}

Options DigestOptions() {
  Options options("digest", "The hash of the federation's durable state.", Words::kAnywhere);
  options.Globals();
  return options;
}

Result RunDigest(const std::vector<std::string>& words) {
  auto session = OpenSession(DigestOptions(), words);
  if (!session.ok()) return session.failure();
  auto rows = session->client.Rows(schemas::Get{.kind = schemas::GetKind::kDigest});
  if (!rows.ok()) return rows.failure();
  if (!rows->digest) return Fail("internal", "the meta sent no digest");
  if (session->context.json) {
    PrintJson(Json{{"schema", "muster.digest/1"},
                   {"as_of", ToJson(rows->as_of)},
                   {"digest", ToHex(*rows->digest)}},
              false);
  } else {
    Print(ToHex(*rows->digest) + '\n');
  }
  return kExitDone;
}

}  // namespace muster::cli
