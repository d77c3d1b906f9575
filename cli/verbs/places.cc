// Verbs that show sites: sites, nodes, gantt.
#include <algorithm>
#include <utility>

#include "base/units.h"
#include "cli/documents.h"
#include "cli/verbs/look.h"
#include "cli/views/views.h"

namespace muster::cli {
namespace {

// The shortest of the usual spans from now on that contains the ends of all bookings, or up to the
// last end if that is too late for them. Bookings without an end do not count, nor do nodes that
// are out of use; an hour if no booking counts.
Span FittingSpan(const std::vector<schemas::GanttSite>& sites, Instant now) {
  constexpr int64_t kSpans[] = {600,   1800,  3600,   7200,   14400,
                                28800, 86400, 172800, 604800, 2592000};
  Instant last = now;
  bool any = false;
  for (const schemas::GanttSite& site : sites) {
    for (const schemas::BookingRow& row : site.bookings) {
      if (row.kind == schemas::BookingKind::kDrained || row.end >= kFarFuture) continue;
      last = std::max(last, row.end);
      any = true;
    }
  }
  if (!any) return Span{3600};
  for (const int64_t span : kSpans) {
    if (now + Span{span} >= last) return Span{span};
  }
  return std::min(last - now, kLongestSpan);
}

void PrintNames(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += name + '\n';
  Print(text);
}

Options SitesOptions() {
  Options options("sites [options]", "Sites, their state and load.", Words::kAnywhere);
  options.Value("--site", "A,B", "only these")
      .Flag("--home", "what sites gave each other")
      .Globals();
  return options;
}

Result RunSites(Given given) {
  auto session = OpenSession(std::move(given));
  if (!session.ok()) return session.failure();
  if (!session->given.words.empty()) return NoWords("sites", session->given.words.front());
  schemas::Get get{.kind = schemas::GetKind::kSites};
  get.sites = SplitSites(session->given.Maybe("--site").value_or(""));
  auto rows = session->client.Rows(get);
  if (!rows.ok()) return rows.failure();
  if (auto missing = MissingSite(get.sites, rows->sites)) return *missing;
  if (session->context.quiet) {
    std::vector<std::string> names;
    for (const schemas::SiteView& site : rows->sites) names.push_back(site.name);
    PrintNames(names);
    return kExitDone;
  }
  const bool home = session->given.Has("--home");
  Show(session->context, ToDocument(SitesDocument{rows->as_of, std::move(rows->sites)}),
       home ? views::HomesView : views::SitesView);
  return kExitDone;
}

Options NodesOptions() {
  Options options("nodes [options] [SITE …]", "Nodes, their state and load; of all sites or these.",
                  Words::kAnywhere);
  options.Flag("--stale", "also what silent sites said last").Globals();
  return options;
}

Result RunNodes(Given given) {
  auto session = OpenSession(std::move(given));
  if (!session.ok()) return session.failure();
  schemas::Get get{.kind = schemas::GetKind::kNodes};
  for (const std::string& word : session->given.words) {
    for (std::string& site : SplitSites(word)) get.sites.push_back(std::move(site));
  }
  auto rows = session->client.Rows(get);
  if (!rows.ok()) return rows.failure();
  if (auto missing = MissingSite(get.sites, rows->nodes)) return *missing;
  if (!session->given.Has("--stale")) {
    for (schemas::NodesOfSite& site : rows->nodes) {
      if (site.stale) site.nodes.clear();
    }
  }
  if (session->context.quiet) {
    std::vector<std::string> names;
    for (const schemas::NodesOfSite& site : rows->nodes) {
      for (const schemas::NodeRow& node : site.nodes) names.push_back(site.name + "/" + node.name);
    }
    PrintNames(names);
    return kExitDone;
  }
  Show(session->context, ToDocument(NodesDocument{rows->as_of, std::move(rows->nodes)}),
       views::NodesView);
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

Result RunGantt(Given given) {
  std::optional<Span> within;
  if (given.Has("--within")) {
    const auto span = ReadSpan("--within", given.Value("--within"));
    if (!span.ok()) return span.failure();
    within = span.value();
  }
  auto session = OpenSession(std::move(given));
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
  Show(session->context,
       ToDocument(GanttDocument{rows->as_of, now, now + span, std::move(rows->gantt)}),
       views::GanttView);
  return kExitDone;
}

}  // namespace

const Verb kGanttVerb = {"gantt", "Look", "the plan, drawn", GanttOptions, RunGantt};
const Verb kSitesVerb = {"sites", "Look", "sites, their state and load", SitesOptions, RunSites};
const Verb kNodesVerb = {"nodes", "Look", "nodes, their state and load", NodesOptions, RunNodes};

}  // namespace muster::cli
