// The reservations that standing ones have made (meta/requests/standing.h): found by the id that
// each has on record of the one it is of.
#pragma once

#include <optional>
#include <vector>

#include "meta/requests/layer.h"

namespace muster::meta {

inline bool IsStanding(const Request& request) {
  return request.record().spec.reserves && request.record().spec.reserves->every;
}

// Those of this standing reservation that have not ended, ascending.
std::vector<RequestId> UnfinishedOccurrences(const RequestsLayer& f, const Request& request);

// These, and with each standing one its reservations that have not begun.
std::vector<RequestId> WithOccurrences(const RequestsLayer& f, const std::vector<RequestId>& ids);

// The next of its reservations that has not ended; none if there is none.
std::optional<RequestId> NextOccurrence(const RequestsLayer& f, const Request& request);

}  // namespace muster::meta
