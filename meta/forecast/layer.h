// The layer of the forecast room: it adds the record of how promises and forecasts came out.
#pragma once

#include "meta/forecast/promise_record.h"
#include "meta/search/layer.h"

namespace muster::meta {

struct ForecastLayer : SearchLayer {
  using SearchLayer::SearchLayer;

  Outcomes outcomes;
};

}  // namespace muster::meta
