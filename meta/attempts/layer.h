// The room of the attempts: what the commit protocol needs besides their records.
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "meta/requests/layer.h"

namespace muster::meta {

struct AttemptsLayer : RequestsLayer {
  using RequestsLayer::RequestsLayer;

  std::set<std::pair<BootInstant, Fence>> attempt_timers;
  std::vector<Secret> secrets;
};

}  // namespace muster::meta
