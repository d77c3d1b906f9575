// Two simple ways to guess run times, which a forecast has to beat: the mean of the user's last two
// runs (P3), and one of the user's recent runs drawn at random (P7).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "base/time.h"
#include "meta/forecast/model/run_time.h"

namespace muster::sim {

class RecentRuns {
 public:
  static constexpr size_t kKept =
      10;  // recent runs of a user, or of its like requests, that may be drawn

  void Learn(const forecast::Shape& shape, Span ran);
  // The mean of the last two runs; the requested time for a user without one, and for a request
  // that has run for longer than that mean. At most the requested time.
  Span LastTwo(const forecast::Shape& shape, Span elapsed) const;
  // One of the recent runs longer than `elapsed`, at the position u in [0, 1): of this user's like
  // requests, or of all of this user's if these have none; the requested time if none is longer. At
  // most the requested time.
  Span Drawn(const forecast::Shape& shape, Span elapsed, double u) const;

 private:
  std::map<std::string, std::deque<Span>> of_user_;  // oldest first
  std::map<forecast::Shape, std::deque<Span>> of_shape_;
};

}  // namespace muster::sim
