// What the records say about one request's run, for making and judging forecasts: its shape, its
// start, and its run time.
#pragma once

#include <optional>
#include <string>

#include "base/time.h"
#include "meta/forecast/model/run_time.h"
#include "schemas/request.h"

namespace muster::meta {

struct ForecastLayer;
class Request;

// The request runs, has ended, or its state is unknown.
bool HasStarted(const Request& request);
// The shape under which the request's run time is learned.
forecast::Shape KindOf(const Request& request);
forecast::Shape KindOf(const schemas::RequestSpec& spec, const std::string& user);
// When the request started, by the sites' clocks: the latest start of a part less its offset, over
// the parts that have started. None if no part has started.
std::optional<Moment> StartOf(const ForecastLayer& f, const Request& request);
// When it ended, by the sites' clocks: the latest end of a part. None if one has not ended.
std::optional<Moment> EndOf(const ForecastLayer& f, const Request& request);
// Run time of the longest ended part, converted to reference speed. None if no part has ended.
std::optional<Span> RanFor(const ForecastLayer& f, const Request& request);

}  // namespace muster::meta
