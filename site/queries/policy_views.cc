// Whom the site moves earlier first, and how its shares stand.
#include <utility>

#include "schemas/canonical.h"
#include "schemas/limits.h"
#include "site/holds/hold_facts.h"
#include "site/queries/queries.h"

namespace muster::site {

schemas::OrderView Queries::OrderShown(uint64_t known) const {
  schemas::OrderView view{.fences = MovesInOrder(true)};
  if (view.fences.size() > schemas::kBookingRows) view.fences.resize(schemas::kBookingRows);
  const Digest digest = schemas::DigestOf(view.fences);
  for (size_t i = 0; i < sizeof view.version; ++i) {
    view.version = view.version << 8 | digest.bytes[i];
  }
  if (view.version == known) view.fences.clear();
  return view;
}

schemas::RanksView Queries::RanksShown(const Fence& only) const {
  schemas::RanksView view;
  const std::vector<Fence> fences = MovesInOrder(false);
  for (size_t i = 0; i < fences.size() && view.ranks.size() < schemas::kActTargets; ++i) {
    if (only != Fence{} && fences[i] != only) continue;
    const schemas::HoldRecord& hold = *ledger().Find(fences[i]);
    schemas::RankRow& row = view.ranks.emplace_back();
    row.site = options().name;
    row.job = LabelOf(hold.order);
    row.user = hold.order.requester.user;
    row.place = i + 1;
    row.holds = fences.size();
    row.ordered = order().by_points();
    row.points = order().PointsOf(hold);
    row.urgency = hold.order.priority;
    row.start = hold.start;
    if (only != Fence{}) row.rows = order().RowsOf(hold);
  }
  return view;
}

schemas::SnapshotView Queries::SnapshotShown(const schemas::Inspect& inspect) const {
  schemas::SnapshotView view{.page = inspect.offset};
  const ShowsRecords to = options().shows_records;
  if (to == ShowsRecords::kToNobody) view.refused = "shows its records to nobody";
  if (to == ShowsRecords::kToOperators && !inspect.user.empty()) {
    view.refused = "shows its records to operators alone";
  }
  return view;
}

schemas::SharesView Queries::SharesShown() const {
  return {shares().Rows(ledger().holds(), ledger().use(), now())};
}

}  // namespace muster::site
