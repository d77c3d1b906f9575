// What is on record of one request's run, as forecasts are made from it and judged by it: of what
// kind it is, when it started, how long it ran.
#pragma once

#include <optional>
#include <string>

#include "base/time.h"
#include "meta/forecast/model/run_times.h"
#include "schemas/request.h"

namespace muster::meta {

struct ForecastLayer;
class Request;

// It runs, or is past that.
bool HasStarted(const Request& request);
// What its run time is learned by.
forecast::Shape KindOf(const Request& request);
forecast::Shape KindOf(const schemas::RequestSpec& spec, const std::string& user);
// When the last of its parts that started did, its offset taken off, as their sites told; none:
// none did.
std::optional<Moment> StartOf(const ForecastLayer& f, const Request& request);
// How long it ran, as the reference would have taken; none: no part of it has ended.
std::optional<Span> RanFor(const ForecastLayer& f, const Request& request);
// What lasts so long for it, as the reference would take.
Span AsReference(const ForecastLayer& f, const Request& request, Span length);

}  // namespace muster::meta
