// What every daemon checks of a client's message before it looks at what is asked: the envelope,
// the client key, and whether a request is one at all. Refusals are for people: what was wrong,
// with the value, and what would be right. protocol.md section 2b; cli.md section 1.10.
#pragma once

#include <optional>
#include <string>

#include "base/validities.h"
#include "schemas/client.h"

namespace muster::verifier {

using Fault = std::optional<schemas::Refused>;

inline constexpr Span kDurationMost{int64_t{3660} * 86400};  // ten years, of a job or an offset

// Version, federation (an empty name on either side fits), expiry.
Fault CheckEnvelope(const schemas::ClientMessage& message, const std::string& federation,
                    Moment now);
// Its length; a generated one must be younger than kDedupeKeep, since it may have run already.
Fault CheckKey(const schemas::ClientKey& key, Moment now);

// Whether somebody may submit or ask at this time.
Fault CheckCounts(const Validities& all, const Member& who, Moment now);

// Of a request, what can be told without knowing any site: its name; one part's chunks and offset,
// `name` being what the part is called ("part 2"); its times, defaults filled in; what it runs.
// After CheckTimes no arithmetic on its times overflows.
Fault CheckName(const schemas::RequestSpec& spec);
Fault CheckPart(const schemas::PartSpec& part, const std::string& name);
Fault CheckTimes(const schemas::RequestSpec& spec, Moment now);
// Whether its window has room for so long a run: its duration, or what that is at the fastest site.
// After CheckTimes.
Fault CheckWindow(const schemas::RequestSpec& spec, Span length, Moment now);
Fault CheckPayload(const schemas::RequestSpec& spec);
// Its notice before the end, if it has one. After CheckTimes.
Fault CheckNotice(const schemas::RequestSpec& spec);
// The notice before an earlier start that its user says, if any: it must lie inside of the window,
// of a run of this length.
Fault CheckStartNotice(const schemas::RequestSpec& spec, Span length, Moment now);
// What a reservation may be: parts at sites of their own that run nothing and begin together.
Fault CheckReservation(const schemas::RequestSpec& spec);

// A refusal with code `usage`; nothing was submitted.
schemas::Refused Usage(std::string message, std::string help = "");

}  // namespace muster::verifier
