// On record these have windows of their own among those of users and groups.
#include "meta/requests/balance.h"

#include <algorithm>
#include <map>
#include <utility>

#include "meta/requests/homes.h"
#include "meta/requests/use_sums.h"
#include "policy/balance.h"

namespace muster::meta {
namespace {

int64_t ProcessorsOf(const Site& site) {
  if (!site.capacity) return 0;
  int64_t out = 0;
  for (const schemas::NodeClass& nodes : site.capacity->classes) {
    out += static_cast<int64_t>(nodes.count) * nodes.per_node.Get("ncpus");
  }
  return out;
}

}  // namespace

void WorkOutBalances(RequestsLayer& f, const Turn& t) {
  const Instant now = t.plan.Floor();
  if (!f.balances.IsDue(now)) return;
  const policy::FairshareRules* const rules = BalanceRules(f);
  if (!rules) return f.balances.Take(now, {});
  std::set<std::string> names;
  for (const std::string& site : f.site_names) names.insert({GaveName(site), TookName(site)});
  const UseSums sums(f, t.plan, *rules, names,
                     [&f](const Request& request, const std::string& site) {
                       return BalancesOf(f, request, site);
                     });
  std::map<std::string, GivenAndTaken> out;
  for (const std::string& site : f.site_names) {
    const policy::Use& given = sums.Of(GaveName(site));
    const policy::Use& taken = sums.Of(TookName(site));
    out[site] = {AmountOf(*rules, given), AmountOf(*rules, taken),
                 BalanceOf(*rules, given, taken, ProcessorsOf(f.sites.at(site)))};
  }
  f.balances.Take(now, std::move(out));
}

}  // namespace muster::meta
