// What an alteration makes of a request, as values: the changed spec, words about it, and what of
// it a running job can follow. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "schemas/client.h"

namespace muster::verifier {

// `spec` with the changes, or what is wrong with them. Its times are not compared with any clock.
std::variant<schemas::RequestSpec, schemas::Refused> Changed(schemas::RequestSpec spec,
                                                             const schemas::Alteration& changes);

// "20m (was 30m), part 3: 1:ncpus=2 (was 1:ncpus=2:ngpus=1)"; "" if nothing differs.
std::string ChangeText(const schemas::RequestSpec& before, const schemas::RequestSpec& after);

// True if what is booked for `before` at `start` will not do for `after`, which lasts so long
// there, or `after` might get more.
bool NeedsAnotherPlace(const schemas::RequestSpec& before, const schemas::RequestSpec& after,
                       Instant start, Span length);

// True if the notice before an earlier start is another one, or the window that it must lie in.
bool OtherNotice(const schemas::RequestSpec& before, const schemas::RequestSpec& after);

// What is asked of parts that run: more time for all, other counts of malleable chunks by part
// (from 1).
struct RunningChange {
  Span longer;
  std::vector<std::pair<uint32_t, std::vector<uint64_t>>> counts;
};
// None if a running job cannot follow.
std::optional<RunningChange> ChangeOfRunning(const schemas::RequestSpec& before,
                                             const schemas::RequestSpec& after);

}  // namespace muster::verifier
