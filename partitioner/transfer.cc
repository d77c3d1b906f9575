// Transfer times per pair of sites, and their sums.
#include "partitioner/transfer.h"

#include <algorithm>

namespace muster::partitioner {

absl::Status TransferMatrix::Set(const std::string& a, const std::string& b, int64_t mbit_per_s,
                                 BootSpan latency) {
  const std::string link = "the link between " + a + " and " + b;
  if (a == b) return InvalidArgument("a link of " + a + " to itself");
  if (mbit_per_s <= 0) {
    return InvalidArgument(link + " has a bandwidth of " + std::to_string(mbit_per_s) +
                           " Mbit/s; it is above 0");
  }
  if (latency < BootSpan{0}) {
    return InvalidArgument(link + " has a latency of " + std::to_string(latency.milliseconds) +
                           " ms; it is not negative");
  }
  // kReferenceBytes in units of 1,000 bits: divided by Mbit/s this gives milliseconds.
  constexpr int64_t kMilliMegabits = kReferenceBytes * 8 / 1000;
  milliseconds_[std::minmax(a, b)] = latency.milliseconds + kMilliMegabits / mbit_per_s;
  slowest_ = 0;
  for (const auto& [sites, time] : milliseconds_) slowest_ = std::max(slowest_, time);
  return absl::OkStatus();
}

int64_t TransferMatrix::Between(const std::string& a, const std::string& b) const {
  if (a == b) return 0;
  const auto it = milliseconds_.find(std::minmax(a, b));
  return it == milliseconds_.end() ? slowest_ : it->second;
}

int64_t TransferMatrix::Among(const std::vector<std::string>& part_sites) const {
  int64_t out = 0;
  for (size_t i = 0; i < part_sites.size(); ++i) {
    for (size_t j = i + 1; j < part_sites.size(); ++j) out += Between(part_sites[i], part_sites[j]);
  }
  return out;
}

}  // namespace muster::partitioner
