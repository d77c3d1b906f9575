// The layer of the forecast room: it adds the record of how promises and forecasts came out.
#pragma once

#include <string>

#include "meta/forecast/promise_record.h"
#include "meta/search/layer.h"
#include "schemas/home_fare.h"
#include "schemas/kept.h"

namespace muster::meta {

struct ForecastLayer : SearchLayer {
  using SearchLayer::SearchLayer;

  Outcomes outcomes;
  // How users of each home fared, by site: the newest window (meta/forecast/faring.h).
  schemas::Kept<std::string, schemas::FareRecord> fares;
};

}  // namespace muster::meta
