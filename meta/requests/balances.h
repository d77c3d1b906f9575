// What sites gave each other: what a site gave users of other homes less what its own users took
// elsewhere. Whoever gave more than it took goes first where all else is equal. scheduling.md
// section 16.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/time.h"

namespace muster::meta {

// Processor-milliseconds, faded as shares are, with what is promised.
struct GivenAndTaken {
  int64_t given = 0;
  int64_t taken = 0;
  // (given - taken) / what the site has in one window, in thousandths, -1000 to 1000.
  int64_t value = 0;
};

// Worked out once a minute of plan time at most: as use and promises stood then.
class Balances {
 public:
  static constexpr Span kEvery{60};
  // Even, for comparisons between sites: these are not negative.
  static constexpr int64_t kEven = 1000;

  bool IsDue(Instant now) const { return !at_ || now < *at_ || now - *at_ >= kEvery; }
  void Take(Instant now, std::map<std::string, GivenAndTaken> sites) {
    at_ = now;
    sites_ = std::move(sites);
  }
  // The next turn works them out anew: the rules have changed.
  void Forget() { at_.reset(); }
  // By site; empty if nobody has a home.
  const std::map<std::string, GivenAndTaken>& all() const { return sites_; }
  // 0 to 2 * kEven, for R5.
  int64_t Of(const std::string& site) const { return kEven + ValueOf(site); }
  int64_t ValueOf(const std::string& site) const {
    const auto it = sites_.find(site);
    return it == sites_.end() ? 0 : it->second.value;
  }

 private:
  std::optional<Instant> at_;
  std::map<std::string, GivenAndTaken> sites_;
};

}  // namespace muster::meta
