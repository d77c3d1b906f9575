// How far sites are from each other: bandwidth and latency of the links between them. Requests do
// not say how much their parts exchange, so distances are compared by the time one reference volume
// takes; they break ties and never delay a start. CCS Sect. 5, scheduling.md sections 1 (R5) and 4.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/time.h"

namespace muster::partitioner {

class TransferMatrix {
 public:
  // A link works both ways; one between the same sites replaces it. InvalidArgument: a bandwidth
  // that is not above 0, a negative latency, a link of a site to itself.
  absl::Status Set(const std::string& a, const std::string& b, int64_t mbit_per_s,
                   BootSpan latency);

  bool empty() const { return milliseconds_.empty(); }
  // Milliseconds of kReferenceBytes from one to the other: 0 for the same site, for sites without a
  // listed link as much as over the slowest one that is listed, 0 while none is.
  int64_t Between(const std::string& a, const std::string& b) const;
  // Of all pairs of an assignment's sites (of each part, in part order).
  int64_t Among(const std::vector<std::string>& part_sites) const;

  bool operator==(const TransferMatrix&) const = default;
  static constexpr int64_t kReferenceBytes = int64_t{1} << 30;

 private:
  std::map<std::pair<std::string, std::string>, int64_t> milliseconds_;  // by names, ascending
  int64_t slowest_ = 0;
};

}  // namespace muster::partitioner
