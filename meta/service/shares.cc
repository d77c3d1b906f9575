// As they stand now; points are those of the last time of the grid.
#include "meta/service/shares.h"

#include <algorithm>
#include <utility>

#include "meta/requests/fairshare.h"
#include "meta/turn/turn.h"
#include "policy/shown/rows.h"

namespace muster::meta {
void GetShares(ServiceLayer& f, Turn& t, const Asker& asker) {
  schemas::Rows rows;
  const SharesNow now = SharesAt(f, t.plan);
  for (const auto& [who, stands] : now) {
    const std::vector<policy::Share>& all = f.options.fairshare->shares;
    const auto share = std::find_if(all.begin(), all.end(),
                                    [&](const policy::Share& one) { return one.who == who; });
    rows.shares.push_back(policy::RowOf(*share, stands, f.ceilings.Of(who)));
  }
  SendRows(f, t, asker, std::move(rows));
}

}  // namespace muster::meta
