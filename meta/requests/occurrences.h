// Occurrences: the reservations that a standing reservation has made (meta/requests/standing.h).
// The record of each names its standing reservation.
#pragma once

#include <optional>
#include <vector>

#include "meta/requests/layer.h"

namespace muster::meta {

inline bool IsStanding(const Request& request) {
  return request.record().spec.reserves && request.record().spec.reserves->every;
}

// Unfinished occurrences of this standing reservation, ascending.
std::vector<RequestId> UnfinishedOccurrences(const RequestsLayer& f, const Request& request);

// `ids`, and for each standing reservation its occurrences that have not begun.
std::vector<RequestId> WithOccurrences(const RequestsLayer& f, const std::vector<RequestId>& ids);

// The unfinished occurrence with the earliest time; nullopt if there is none.
std::optional<RequestId> NextOccurrence(const RequestsLayer& f, const Request& request);

}  // namespace muster::meta
