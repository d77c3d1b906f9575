// Computed from the present start, the time, and what the user asked for.
#include "meta/search/move_gain.h"

#include <algorithm>

#include "verifier/start_notice.h"

namespace muster::meta {
namespace {

constexpr Span kLeastLater{60};      // least gain of a joint move to a start that is not immediate
constexpr int64_t kLaterShare = 50;  // and at least 1/50 of the remaining wait
constexpr int64_t kGainShare = 10;   // 1/10 of the remaining wait, for a move to another site

}  // namespace

Interval WorthGoing(const RechoiceOptions& options, const Request& request, Instant start,
                    Instant now, Gain gain) {
  const Instant noticed = verifier::EarliestMove(request.record().spec, ToMoment(now));
  const Instant from = std::max(request.nearest, noticed);
  Instant last = std::min(now + kAtOnceWithin, start - kLeastAtOnce);
  if (gain == Gain::kClear) {
    const Span least = std::max(options.least_gain, Span{(start - now).seconds / kGainShare});
    last = std::max(last, start - least);
  }
  return {from, last + Span{1}};
}

Interval WorthAJointMove(const SearchLayer& f, const Turn& t, const Request& request,
                         Instant start) {
  const Instant now = t.NowCeiling();
  const Instant soon = now + Span{f.options.values.lead.milliseconds / 1000} + kAtOnceWithin;
  const Instant at_once = std::min(soon, start - kLeastAtOnce);
  const Span gain = std::max(kLeastLater, Span{(start - now).seconds / kLaterShare});
  return {std::max(request.nearest, verifier::EarliestMove(request.record().spec, ToMoment(now))),
          std::max(at_once, start - gain) + Span{1}};
}

std::optional<Instant> WorthAJointMoveFrom(const SearchLayer& f, Instant start, Instant earlier) {
  const Span gain = start - earlier;
  if (gain < kLeastAtOnce) return std::nullopt;
  const Instant soon = earlier - Span{f.options.values.lead.milliseconds / 1000} - kAtOnceWithin;
  if (gain < kLeastLater) return soon;
  return std::min(soon, start - Span{kLaterShare * (gain.seconds + 1) - 1});
}

bool IsWorthAMove(const SearchLayer& f, const Turn& t, const Request& request, Instant start,
                  Instant elsewhere) {
  const Interval worth =
      request.record().spec.parts.size() == 1
          ? WorthGoing(f.options.rechoice, request, start, t.NowCeiling(), Gain::kClear)
          : WorthAJointMove(f, t, request, start);
  return worth.begin <= elsewhere && elsewhere < worth.end;
}

Instant LastToGiveWay(const SearchLayer& f, const Attempt& place, const std::string& site) {
  const auto slack = [&f](const std::string& name) {
    const Site& at = f.sites.at(name);
    return at.capacity ? at.capacity->start_slack : Span{0};
  };
  const Span more = slack(site) - slack(place.record().members[0]);
  return place.record().start - std::max(more, Span{0});
}

}  // namespace muster::meta
