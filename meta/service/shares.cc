// As they stand now; points are those of the last time of the grid.
#include "meta/service/shares.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "meta/requests/fairshare.h"
#include "meta/turn/turn.h"

namespace muster::meta {
namespace {

std::optional<double> Ratio(std::optional<int64_t> amount, int64_t whole) {
  if (!amount) return std::nullopt;
  return static_cast<double>(*amount) / static_cast<double>(whole);
}

}  // namespace

void GetShares(ServiceLayer& f, Turn& t, const Asker& asker) {
  schemas::Rows rows;
  const SharesNow now = SharesAt(f, t.plan);
  for (const auto& [who, stands] : now) {
    const std::vector<policy::Share>& all = f.options.fairshare->shares;
    const auto share = std::find_if(all.begin(), all.end(),
                                    [&](const policy::Share& one) { return one.who == who; });
    constexpr int64_t kThousand = 1000;
    const std::string& parent = share->parent;
    rows.shares.push_back({.who = who,
                           .target_ratio = Ratio(share->target, kThousand),
                           .floor_ratio = Ratio(share->floor, kThousand),
                           .ceiling_ratio = Ratio(share->ceiling, kThousand),
                           .used_ratio = Ratio(stands.part.used, policy::kMillion),
                           .promised_ratio = Ratio(stands.part.booked, policy::kMillion),
                           .counts_ratio = Ratio(stands.part.counts, policy::kMillion),
                           .value = *Ratio(stands.value, kThousand),
                           .under_floor = stands.under_floor,
                           .new_work = f.ceilings.Of(who),
                           .parent = parent.empty() ? std::nullopt : std::optional(parent)});
  }
  SendRows(f, t, asker, std::move(rows));
}

}  // namespace muster::meta
