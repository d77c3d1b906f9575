// Distances between sites, from bandwidth and latency of their links. Requests do not say how much
// data their parts exchange, so distance is the transfer time of one reference volume. It breaks
// ties and never delays a start. CCS Sect. 5, scheduling.md sections 1 (R5) and 4.
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
  // Sets a link in both directions, replacing an earlier one between these sites. InvalidArgument:
  // a bandwidth not above 0, a negative latency, or a link of a site to itself.
  absl::Status Set(const std::string& a, const std::string& b, int64_t mbit_per_s,
                   BootSpan latency);

  bool empty() const { return milliseconds_.empty(); }
  // Milliseconds to transfer kReferenceBytes. 0 within a site. Between sites without a link: the
  // time over the slowest known link, or 0 if no link is known.
  int64_t Between(const std::string& a, const std::string& b) const;
  // Sum over all pairs of an assignment (site of each part, in part order).
  int64_t Among(const std::vector<std::string>& part_sites) const;

  bool operator==(const TransferMatrix&) const = default;
  static constexpr int64_t kReferenceBytes = int64_t{1} << 30;

 private:
  // By the pair of names, ascending.
  std::map<std::pair<std::string, std::string>, int64_t> milliseconds_;
  int64_t slowest_ = 0;
};

}  // namespace muster::partitioner
