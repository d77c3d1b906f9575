// A gathering is answered when all its sites have answered, or its time is up.
#include "meta/service/site_answers.h"

#include "meta/service/explain.h"
#include "meta/service/node_operations.h"
#include "meta/service/site_queries.h"
#include "meta/service/what_if.h"

namespace muster::meta {
namespace {

// Whether the view is of the kind that was asked for.
bool AnswersIt(schemas::InspectKind kind, const schemas::View& view) {
  switch (kind) {
    case schemas::InspectKind::kBookings:
      return std::holds_alternative<schemas::BookingsView>(view.what);
    case schemas::InspectKind::kOutput:
      return std::holds_alternative<schemas::OutputView>(view.what);
    case schemas::InspectKind::kNodes:
      return std::holds_alternative<schemas::NodesView>(view.what);
    case schemas::InspectKind::kSlots:
      return std::holds_alternative<schemas::SlotsView>(view.what);
    case schemas::InspectKind::kExplain:
      return std::holds_alternative<schemas::ExplainView>(view.what);
    case schemas::InspectKind::kLocal:
      return std::holds_alternative<schemas::LocalView>(view.what);
    case schemas::InspectKind::kLimits:
      return std::holds_alternative<schemas::LimitsView>(view.what);
    case schemas::InspectKind::kMoves:
      return std::holds_alternative<schemas::MovesView>(view.what);
    case schemas::InspectKind::kOrder:
      return std::holds_alternative<schemas::OrderView>(view.what);
    case schemas::InspectKind::kRanks:
      return std::holds_alternative<schemas::RanksView>(view.what);
    case schemas::InspectKind::kShares:
      return std::holds_alternative<schemas::SharesView>(view.what);
    case schemas::InspectKind::kSnapshot:
      return false;  // goes to meta/service/what_if.h
  }
  return false;
}

void Answer(ServiceLayer& f, Turn& t, const SiteQueries::Gathering& query) {
  if (query.question.act) return OnMovesKnown(f, t, query);
  AnswerInspection(f, t, query);
}

}  // namespace

void OnView(ServiceLayer& f, Turn& t, Site& site, const schemas::View& view) {
  if (const auto* order = std::get_if<schemas::OrderView>(&view.what)) {
    site.move_order.Take(view.inspection, order->version, order->fences);
    return;
  }
  if (const auto* snapshot = std::get_if<schemas::SnapshotView>(&view.what)) {
    return TakeSnapshot(f, t, site, view.inspection, *snapshot);
  }
  if (TakeExplainView(f, t, site, view)) return;
  const SiteQueries::Gathering* query = f.inspections.Find(view.inspection);
  if (!query || !AnswersIt(query->question.kind, view)) return;
  if (!f.inspections.Take(view.inspection, site.name, view.what)) return;
  f.views.Take(site.name, view, t.plan);
  if (const auto done = f.inspections.TakeComplete(view.inspection)) Answer(f, t, *done);
}

void EndInspectionsOf(ServiceLayer& f, Turn& t, const std::string& site) {
  for (const auto& done : f.inspections.End(site)) Answer(f, t, done);
  EndSnapshotOf(f, t, site);
}

void EndOverdueInspections(ServiceLayer& f, Turn& t) {
  for (const auto& done : f.inspections.EndOverdue(t.boot())) Answer(f, t, done);
  EndOverdueWhatIf(f, t);
}

}  // namespace muster::meta
