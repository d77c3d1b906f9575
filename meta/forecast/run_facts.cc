// The run time of a request is that of its longest part, by the clock of the part's site, converted
// to reference speed.
#include "meta/forecast/run_facts.h"

#include <algorithm>

#include "meta/forecast/layer.h"
#include "meta/requests/attempt_facts.h"
#include "meta/requests/site_speeds.h"
#include "partitioner/split.h"

namespace muster::meta {

bool HasStarted(const Request& request) {
  const schemas::RequestState state = request.state();
  return state == schemas::RequestState::kRunning || state == schemas::RequestState::kEnded ||
         state == schemas::RequestState::kUnknown;
}

forecast::Shape KindOf(const Request& request) {
  return KindOf(request.record().spec, request.record().requester.user);
}

forecast::Shape KindOf(const schemas::RequestSpec& spec, const std::string& user) {
  int64_t processors = 0;
  for (const schemas::PartSpec& part : spec.parts) {
    processors += partitioner::AmountsOf(part).Get("ncpus");
  }
  return {user, std::max<int64_t>(1, processors), spec.duration};
}

std::optional<Moment> StartOf(const ForecastLayer& f, const Request& request) {
  if (!request.record().attempt) return std::nullopt;
  const auto attempt = f.attempts.find(*request.record().attempt);
  if (attempt == f.attempts.end()) return std::nullopt;
  std::optional<Moment> out;
  for (size_t i = 0; i < attempt->second.record().part_sites.size(); ++i) {
    const schemas::MirrorPart* part = PartAt(f, attempt->second, i);
    if (!part || !part->started_at) continue;
    const Span offset = request.record().spec.parts[i].offset;
    const Moment start{part->started_at->milliseconds - offset.seconds * 1000};
    out = out ? std::max(*out, start) : start;
  }
  return out;
}

std::optional<Moment> EndOf(const ForecastLayer& f, const Request& request) {
  if (!request.record().attempt) return std::nullopt;
  const auto attempt = f.attempts.find(*request.record().attempt);
  if (attempt == f.attempts.end()) return std::nullopt;
  std::optional<Moment> out;
  for (size_t i = 0; i < attempt->second.record().part_sites.size(); ++i) {
    const schemas::MirrorPart* part = PartAt(f, attempt->second, i);
    if (!part || !part->ended_at) return std::nullopt;
    out = out ? std::max(*out, *part->ended_at) : *part->ended_at;
  }
  return out;
}

std::optional<Span> RanFor(const ForecastLayer& f, const Request& request) {
  if (!request.record().attempt) return std::nullopt;
  const auto attempt = f.attempts.find(*request.record().attempt);
  if (attempt == f.attempts.end()) return std::nullopt;
  std::optional<Span> out;
  for (size_t i = 0; i < attempt->second.record().part_sites.size(); ++i) {
    const schemas::MirrorPart* part = PartAt(f, attempt->second, i);
    if (!part || !part->started_at || !part->ended_at) continue;
    const schemas::RequestSpec& spec = request.record().spec;
    const std::string& site = attempt->second.record().part_sites[i];
    Span ran = part->ended_at->Floor() - part->started_at->Floor();
    const Span booked = BookedLength(f, spec, attempt->second, i);
    if (booked > Span{0})
      ran.seconds = ran.seconds * AskedAt(f, spec, site).seconds / booked.seconds;
    ran = ReferenceOf(f, spec, site, ran);
    out = out ? std::max(*out, ran) : ran;
  }
  return out;
}

}  // namespace muster::meta
