// The rules of common.capnp that concern more than one field: reasons to refuse a decoded struct
// although each of its fields is well-formed.
#pragma once

#include <string_view>
#include <vector>

#include "base/interval.h"
#include "base/resources.h"
#include "schemas/hold.h"
#include "schemas/request.h"
#include "schemas/site_link.h"

namespace muster::schemas::codec {

inline constexpr int64_t kAmountBound = int64_t{1}  // Exact in a double, and so in JSON.
                                        << 53;

// Why the value is refused; empty if it is not.
template <class T>
std::string_view Refusal(const T&) {
  return "";
}

inline std::string_view NegativeRefusal(const ResourceSet& set) {
  for (const ResourceSet::Entry& entry : set.entries()) {
    if (entry.second < 0) return "negative amount";
  }
  return "";
}
inline std::string_view Refusal(const Chunk& chunk) { return NegativeRefusal(chunk.resources); }
inline std::string_view Refusal(const ChunkPlace& place) {
  return NegativeRefusal(place.resources);
}

// protocol.md section 5: a change of a promise without a cause is a protocol error.
inline std::string_view Refusal(const Moved& moved) {
  return moved.cause.code == CauseCode::kNone ? "moved without a cause" : "";
}
inline std::string_view Refusal(const HoldChanged& change) {
  const bool dropped = change.closed_as == ClosedAs::kDropped;
  return dropped && change.cause.code == CauseCode::kNone ? "dropped without a cause" : "";
}

// Rules for the unique form of sets, applied to decoded lists.
inline std::string_view ListRefusal(const std::vector<ResourceSet::Entry>& entries) {
  for (size_t i = 0; i < entries.size(); ++i) {
    if (i > 0 && entries[i - 1].first >= entries[i].first) return "names not ascending";
    if (entries[i].second == 0) return "zero amount";
    if (entries[i].second > kAmountBound || entries[i].second < -kAmountBound)
      return "amount beyond 2^53";
  }
  return "";
}
inline std::string_view ListRefusal(const std::vector<Interval>& intervals) {
  for (size_t i = 0; i < intervals.size(); ++i) {
    if (intervals[i].begin >= intervals[i].end) return "empty interval";
    if (i > 0 && intervals[i - 1].end >= intervals[i].begin)
      return "intervals not ascending and apart";
  }
  return "";
}
inline std::string_view ListRefusal(const std::vector<std::pair<std::string, std::string>>& pairs) {
  for (size_t i = 1; i < pairs.size(); ++i) {
    if (pairs[i - 1].first >= pairs[i].first) return "names not ascending";
  }
  return "";
}

}  // namespace muster::schemas::codec
