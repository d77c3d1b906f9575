// What the meta tells a site: messages in their envelope, orders together.
#pragma once

#include "meta/sites/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// A message to a site, in its envelope; nothing if the site has no connection.
void Say(SitesLayer& f, Turn& t, Site& site, decltype(schemas::ToSite::body) body,
         MessageNumber answers = {});
// An order, sent with the others of this turn; nothing if orders do not reach the site.
void GiveOrder(Turn& t, const Site& site, schemas::Order order);
// Sends this turn's orders, in as few messages as the limits allow.
void FlushOrders(SitesLayer& f, Turn& t);

}  // namespace muster::meta
