// Checks that every daemon applies to a client's message before acting on it: the envelope, the
// client key, and whether a request is well-formed. Refusals are written for people: what is wrong,
// with the value, and what would be right. protocol.md section 2b; cli.md section 1.10.
#pragma once

#include <optional>
#include <string>

#include "base/validities.h"
#include "schemas/client.h"

namespace muster::verifier {

using Fault = std::optional<schemas::Refused>;

// Ten years: the most that a duration or an offset may be.
inline constexpr Span kDurationMost{int64_t{3660} * 86400};

// Checks version, federation (an empty name matches any) and expiry.
Fault CheckEnvelope(const schemas::ClientMessage& message, const std::string& federation,
                    Moment now);
// Checks the length of the key's text. A generated key must not be older than kDedupeKeep, since
// the request of an older one may have run already.
Fault CheckKey(const schemas::ClientKey& key, Moment now);

// Checks that the user may submit or ask at this time (base/validities.h).
Fault CheckCounts(const Validities& all, const Member& who, Moment now);

// Checks of a request that need no knowledge of sites: its name; one part's chunks and offset
// (`name` is shown for the part: "part 2"); its times with defaults filled in; its payload. After
// CheckTimes has passed, no arithmetic on the request's times overflows.
Fault CheckName(const schemas::RequestSpec& spec);
Fault CheckPart(const schemas::PartSpec& part, const std::string& name);
Fault CheckTimes(const schemas::RequestSpec& spec, Moment now);
// Checks that the request's window has room for a run of `length`, the duration requested or what
// it takes at the fastest site. Call after CheckTimes.
Fault CheckWindow(const schemas::RequestSpec& spec, Span length, Moment now);
Fault CheckPayload(const schemas::RequestSpec& spec);
// Checks the notice before the end, if any. Call after CheckTimes.
Fault CheckNotice(const schemas::RequestSpec& spec);
// Checks the start notice that the user set, if any: it must fit into the window of a run of
// `length`.
Fault CheckStartNotice(const schemas::RequestSpec& spec, Span length, Moment now);
// Checks a reservation, if the request is one: it is no array, depends on nothing, lies in no other
// reservation, has no notice and runs nothing; its parts are at different sites and begin together;
// its list of users and its time to confirm are in range.
Fault CheckReservation(const schemas::RequestSpec& spec);

// A refusal with code `usage` that says that nothing was submitted.
schemas::Refused Usage(std::string message, std::string help = "");

}  // namespace muster::verifier
