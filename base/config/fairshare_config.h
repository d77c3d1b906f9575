// [fairshare] and [[share]] of meta.toml or site.toml. scheduling.md section 12.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"

namespace muster::config {

struct ShareConfig {
  std::string who;                    // "kim", "@weather"
  std::optional<int> target_percent;  // one of the three is set
  std::optional<int> floor_percent;
  std::optional<int> ceiling_percent;
  bool admission = false;   // enforce = "admission", of a ceiling; else "order"
  std::string parent = {};  // the share of which this is a part, in a tree; "": of all use
  bool operator==(const ShareConfig&) const = default;
};

struct FairshareConfig {
  Span window{86'400};  // divides a day, or is a whole number of days
  int64_t depth = 7;
  int64_t decay_thousandths = 800;
  std::string metric = "dedicated";  // or "used": processor time; or "charged": by [bank]
  int booked_percent = 100;          // what promised work counts of used work
  bool tree = false;                 // method = "tree"; else "share": each by itself
  std::vector<ShareConfig> shares;
  bool operator==(const FairshareConfig&) const = default;
};

}  // namespace muster::config
