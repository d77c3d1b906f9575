// Limits over all sites: which starts they leave to a request, and whether it may be promised or
// submitted at all. Maui Sect. III (Throttling Policies); scheduling.md section 15.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "meta/requests/layer.h"
#include "verifier/client_checks.h"

namespace muster::meta {

// A limited request may start this much later than where it is sought: "now" passes on. Until it
// has its start it counts for so much longer.
inline constexpr Span kLimitedLater{10};

// Notes what the attempt has booked at the site from `start` on, and that it has nothing there any
// more.
void CountBooking(RequestsLayer& f, const Request& request, const Attempt& attempt,
                  const std::string& site, Instant start);

// Of the allowed starts those that the limits on what runs leave, for a run of `length` (its
// longest part). `apart`: a request whose own bookings do not count.
IntervalSet StartsUnderLimits(const RequestsLayer& f, const schemas::RequestSpec& spec,
                              const std::string& user, RequestId apart, Span length, Moment now,
                              IntervalSet allowed);
// Whether a limit on what runs binds the request: its sites do not know it, so they may not move
// its start, and the meta does.
bool IsLimited(const RequestsLayer& f, const Request& request, Moment now);

// Why a limit on promised requests lets it not be promised yet; none: it may.
std::optional<schemas::Reason> WhyNotPromised(const RequestsLayer& f, const Request& request,
                                              Moment now);
// Why a limit binds the request's start: at `start`, one second less would exceed it. For explain.
std::optional<schemas::Reason> WhyLimited(const RequestsLayer& f, const Request& request,
                                          Instant start, Moment now);

// Why the limits on what runs do not let a request that runs become this one; none: they do.
std::optional<schemas::Reason> WhyNoMore(const RequestsLayer& f, const Request& request,
                                         const Attempt& attempt, const schemas::RequestSpec& next,
                                         Moment now);

// Why the limits on what runs leave none of the starts that its window and its user allow; none:
// they leave some.
std::optional<schemas::Reason> WhyNoStart(const RequestsLayer& f, const schemas::RequestSpec& spec,
                                          const std::string& user, RequestId apart, Moment now);

// Refuses a request that no limit on what runs will ever let start ("never").
verifier::Fault CheckNeverLimited(const RequestsLayer& f, const schemas::RequestSpec& spec,
                                  const std::string& user, Moment now);
// Refuses a request that one on open requests does not let in ("busy"). `count`: the requests that
// it makes.
verifier::Fault CheckOpen(const RequestsLayer& f, const schemas::RequestSpec& spec,
                          const std::string& user, size_t count, Moment now);
// Under which limits on open requests such a request counts.
std::vector<LimitUse::Key> OpenUnder(const RequestsLayer& f, const schemas::RequestSpec& spec,
                                     const std::string& user, Moment now);
// The request is open from now on, or counts under other limits.
void CountOpen(RequestsLayer& f, const Request& request, Moment now);

// A limit that binds this user, and what counts under it now. For `muster limits`.
struct LimitStands {
  const policy::Limit* limit = nullptr;
  std::string consumer;
  int64_t used = 0;
};
// Counts all anew: the limits have changed, or whom they bind.
void RecountLimits(RequestsLayer& f, Moment now);

std::vector<LimitStands> LimitsOf(const RequestsLayer& f, const Credentials& who, Moment now);

}  // namespace muster::meta
