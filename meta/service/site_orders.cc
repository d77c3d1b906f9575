// A site that is not up gets its orders when it comes up.
#include "meta/service/site_orders.h"

#include <utility>

#include "meta/sites/say.h"

namespace muster::meta {

uint64_t GiveSteer(ServiceLayer& f, Turn& t, const std::string& site, schemas::Steer steer) {
  const uint64_t order = ++f.identity.Edit().last_order;
  steer.order = order;
  Site& to = f.sites.at(site);
  if (to.Up()) Say(f, t, to, steer);
  f.node_orders.Give(site, std::move(steer), t.plan);
  return order;
}

void RepeatSteers(ServiceLayer& f, Turn& t, Site& site) {
  if (!site.Up()) return;
  for (schemas::Steer& order : f.node_orders.To(site.name)) Say(f, t, site, std::move(order));
}

}  // namespace muster::meta
