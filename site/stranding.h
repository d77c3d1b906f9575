// What a configuration read again leaves without its place: bookings on nodes that are gone, or
// that their new conditions keep them from (OpenCCS Sect. 5.4). Bookings that only break a limit,
// a pool or a share that came later stay: they were promised.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "schemas/hold.h"
#include "site/options.h"

namespace muster::site {

struct Stranding {
  std::string node;
  bool gone = false;  // else it is there and does not take such chunks
  std::string why;    // "g1 is gone", "g1 takes only ngpus >= 1"
  bool operator==(const Stranding&) const = default;
};

// REQUIRES that the options outlive it.
class Strandings {
 public:
  explicit Strandings(const Options& options);

  // The first place of the hold that cannot stay; none if all can.
  std::optional<Stranding> Of(const schemas::HoldRecord& hold) const;

 private:
  const Options& options_;
  std::map<std::string_view, size_t> nodes_;  // places in Options::nodes
};

}  // namespace muster::site
