// The room of the service, the highest one: doors for people. What a core has is its layer.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "meta/forecast/layer.h"
#include "meta/service/dialogs.h"
#include "meta/service/event_log.h"
#include "meta/service/explaining.h"

namespace muster::meta {

struct ServiceLayer : ForecastLayer {
  using ForecastLayer::ForecastLayer;

  std::map<uint64_t, AskPending> asks;
  std::map<uint64_t, InspectPending> inspections;
  std::map<uint64_t, Explaining> explains;
  std::map<uint64_t, AlterPending> alters;
  std::vector<ReloadPending> reloads;
  std::map<FollowerKey, Follower> followers;
  std::map<RequestId, std::set<FollowerKey>> followed;
  EventLog events;
  std::map<FollowerKey, BootInstant> watchers;  // of events; until when without a keep-alive
  schemas::Kept<uint64_t, schemas::SteerRecord> steers;  // not answered yet
  schemas::Kept<std::string, schemas::KeyRecord> keys;   // that are not as the configuration says
  std::map<std::string, Moment> heard;                   // users, by their last message
  schemas::Kept<uint64_t, schemas::AuditRow> audit;
  bool disk_low = false;
};

}  // namespace muster::meta
