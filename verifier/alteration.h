// Effects of an alteration on a request: the changed spec, the change in words, whether it needs
// another place, and what it means for a running job. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "schemas/client.h"

namespace muster::verifier {

// Returns `spec` with the changes applied, or what is wrong with them. Does not compare its times
// with the present.
std::variant<schemas::RequestSpec, schemas::Refused> Changed(schemas::RequestSpec spec,
                                                             const schemas::Alteration& changes);

// Describes the change: "20m (was 30m), part 3: 1:ncpus=2 (was 1:ncpus=2:ngpus=1)"; "" if nothing
// differs.
std::string ChangeText(const schemas::RequestSpec& before, const schemas::RequestSpec& after);

// Whether the altered request must be placed again: either the booking for `before` at `start` does
// not satisfy `after`, or `after` might start earlier. `length` is the duration of `after` at the
// site of the booking.
bool NeedsAnotherPlace(const schemas::RequestSpec& before, const schemas::RequestSpec& after,
                       Instant start, Span length);

// Whether the start notice differs, or anything that decides the window into which it must fit.
bool OtherNotice(const schemas::RequestSpec& before, const schemas::RequestSpec& after);

// A change of a running job: more time for all parts, and the new counts of sets per chunk of each
// part that changes (part numbers from 1).
struct RunningChange {
  Span longer;
  std::vector<std::pair<uint32_t, std::vector<uint64_t>>> counts;
};
// None if a running job cannot follow the change.
std::optional<RunningChange> ChangeOfRunning(const schemas::RequestSpec& before,
                                             const schemas::RequestSpec& after);

}  // namespace muster::verifier
