// Messages from the meta to sites: wraps them in their envelope, and sends orders together.
#pragma once

#include "meta/sites/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Sends a message in its envelope; does nothing if the site has no connection.
void Say(SitesLayer& f, Turn& t, Site& site, decltype(schemas::ToSite::body) body,
         MessageNumber answers = {});
// Queues an order, sent with the others of this turn; does nothing if orders do not reach the site.
void GiveOrder(Turn& t, const Site& site, schemas::Order order);
// Sends this turn's orders, in as few messages as the limits allow.
void FlushOrders(SitesLayer& f, Turn& t);

}  // namespace muster::meta
