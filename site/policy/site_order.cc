// Waits count up to the time of the grid, so that points are the same all through it.
#include "site/policy/site_order.h"

#include <algorithm>

#include "policy/shown/rows.h"
#include "site/policy/credentials.h"

namespace muster::site {

using policy::Factor;
using schemas::HoldRecord;

void SiteOrder::Hear(const schemas::Standing& standing) {
  std::map<std::string, int64_t> next;
  for (const schemas::StandingRow& row : standing.rows) next[row.who] = row.value;
  if (next == standing_) return;
  standing_ = std::move(next);
  heard_ = true;
}

Moment SiteOrder::GridOf(Moment now) const {
  const int64_t tick = rules_->tick.seconds * 1000;
  return Moment{now.milliseconds / tick * tick};
}

bool SiteOrder::IsDue(Moment now) const { return rules_ && (heard_ || !at_ || GridOf(now) > *at_); }

void SiteOrder::Begin(Moment now, policy::SharesNow shares) {
  at_ = std::max(GridOf(now), at_.value_or(GridOf(now)));
  shares_ = std::move(shares);
  heard_ = false;
}

std::optional<Moment> SiteOrder::Next() const {
  if (!rules_ || !at_) return std::nullopt;
  return Moment{at_->milliseconds + rules_->tick.seconds * 1000};
}

policy::Asker SiteOrder::AskerOf(const HoldRecord& hold) const {
  const schemas::HoldOrder& order = hold.order;
  policy::Asker out{.who = CredentialsOf(order), .target = order.target};
  if (order.waits_since && at_) {
    const int64_t waited = at_->milliseconds - order.waits_since->milliseconds;
    out.wait = Span{std::max<int64_t>(waited, 0) / 1000};
    if (order.target) out.planned = hold.start - order.waits_since->Floor();
  }
  for (const schemas::PartDemand& part : order.parts) {
    out.duration = std::max(out.duration, part.duration);
    for (const schemas::Chunk& chunk : part.chunks) {
      out.procs += chunk.resources.Get("ncpus") * chunk.count;
      out.mem += chunk.resources.Get("mem") * chunk.count;
    }
  }
  if (const auto share = policy::LeastOf(standing_, out.who, [](int64_t value) { return value; });
      share != standing_.end()) {
    out.share = share->second;
  }
  if (const auto share = policy::ShareOf(shares_, out.who); share != shares_.end()) {
    out.local_share = share->second.value;
    out.under_floor = share->second.under_floor;
  }
  return out;
}

int64_t SiteOrder::PointsOf(const HoldRecord& hold) const {
  return rules_ ? policy::PointsOf(*rules_, AskerOf(hold), largest_) : 0;
}

std::vector<schemas::PriorityRow> SiteOrder::RowsOf(const HoldRecord& hold) const {
  if (!rules_) return {};
  const policy::Asker asker = AskerOf(hold);
  const auto text = [&](Factor factor) -> std::string {
    if (factor == Factor::kFsGlobal) {
      const auto share = policy::LeastOf(standing_, asker.who, [](int64_t v) { return v; });
      return share == standing_.end() ? "no share is known" : share->first;
    }
    const auto share = policy::ShareOf(shares_, asker.who);
    if (share == shares_.end()) return "no share";
    const std::string has = share->second.part.counts
                                ? policy::PercentText(*share->second.part.counts) + " of this site"
                                : "nothing of this site";
    return share->first + " has " + has;
  };
  return policy::RowsOf(*rules_, asker, largest_, Factor::kFsLocal, text);
}

}  // namespace muster::site
