// Layer of the service room, the highest one: the services for users and operators. With the layers
// below it, it holds the state of a core, except the forecasts (meta/forecast/forecasts.h).
#pragma once

#include <vector>

#include "meta/forecast/layer.h"
#include "meta/service/audit_log.h"
#include "meta/service/dialogs.h"
#include "meta/service/event_log.h"
#include "meta/service/explaining.h"
#include "meta/service/followers.h"
#include "meta/service/key_ring.h"
#include "meta/service/node_orders.h"
#include "meta/service/open_what_if.h"
#include "meta/service/site_views.h"

namespace muster::meta {

struct ServiceLayer : ForecastLayer {
  using ForecastLayer::ForecastLayer;

  Quotes asks;
  SiteQueries inspections;
  Explanations explains;
  Alterings alters;
  OpenWhatIf what_if;
  std::vector<Client> reloads;  // clients that wait for the configuration to be read again
  SiteViews views;
  Followers followers;
  Watchers watchers;
  EventLog events;
  NodeOrders node_orders;
  KeyRing keys;
  AuditLog audit;
  bool disk_low = false;
};

}  // namespace muster::meta
