// The values are those of the order, which are worked out once in each time of the grid.
#include "meta/requests/told_shares.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>

#include "meta/requests/fairshare.h"
#include "meta/sites/say.h"
#include "schemas/limits.h"

namespace muster::meta {
namespace {

using Values = std::map<std::string, int64_t>;

bool Weighs(const Site& site) { return site.Up() && site.Can(schemas::kWeighsShares); }

// Of as many as a site is told, by name.
Values ValuesOf(const SharesNow& shares) {
  Values out;
  for (const auto& [who, standing] : shares) {
    if (out.size() == schemas::kStandingRows) break;
    out.emplace(who, standing.value);
  }
  return out;
}

bool HasMoved(const Values& before, const Values& now) {
  return !std::equal(before.begin(), before.end(), now.begin(), now.end(),
                     [](const auto& a, const auto& b) {
                       return a.first == b.first && std::abs(a.second - b.second) < kShareMoved;
                     });
}

Moment GridOf(const RequestsLayer& f, Moment now) {
  const Span every = f.options.priority ? f.options.priority->tick : kSharesTold;
  return Moment{now.milliseconds / (every.seconds * 1000) * every.seconds * 1000};
}

void Tell(RequestsLayer& f, Turn& t, Site& site, const Values& values) {
  schemas::Standing standing;
  for (const auto& [who, value] : values) standing.rows.push_back({who, value});
  Say(f, t, site, std::move(standing));
  site.told_shares = values;
}

}  // namespace

void TellShares(RequestsLayer& f, Turn& t) {
  const bool anybody = std::any_of(f.sites.begin(), f.sites.end(),
                                   [](const auto& site) { return Weighs(site.second); });
  if (!anybody) return;
  const Moment grid = GridOf(f, t.plan);
  if (f.shares_for_sites.at != grid) {
    f.shares_for_sites = {grid, ValuesOf(SharesAt(f, grid))};
  }
  for (auto& [name, site] : f.sites) {
    if (!Weighs(site)) continue;
    const Values& now = f.shares_for_sites.values;
    const Values before = site.told_shares.value_or(Values{});
    const bool anew = !site.told_shares && !now.empty();
    if (anew || HasMoved(before, now)) Tell(f, t, site, now);
  }
}

}  // namespace muster::meta
