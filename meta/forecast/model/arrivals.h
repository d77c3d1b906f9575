// Model of arrivals: how many requests an hour, by hour of the week, and what the latest ones asked
// for. Sampled futures draw their arrivals from it. Draws are keyed by (seed, queue, sample, hour),
// so that figures change only when something happened. scheduling.md section 6 (Forward).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/resources.h"
#include "base/time.h"
#include "meta/forecast/model/run_times.h"

namespace muster::forecast {

// A past arrival: its shape, and the pieces that it was booked at its sites.
struct Newcomer {
  struct Piece {
    std::string site;
    ResourceSet amounts;
    Span offset;
    Span length;  // booked length
  };
  Shape shape;
  std::vector<Piece> pieces;
};

struct Arrival {
  Instant at;
  std::string queue;
  Newcomer who;
  uint64_t draw = 0;  // random bits from which its run time is drawn
};

class Arrivals {
 public:
  static constexpr size_t kKept = 512;   // latest arrivals kept and drawn from, per queue
  static constexpr uint32_t kLeast = 8;  // a queue with fewer known arrivals gets none drawn
  static constexpr size_t kMost = 64;    // most arrivals in one draw
  static constexpr size_t kHours = 7 * 24;

  // Counts an arrival at this queue. Calls need not be in order of time.
  void Learn(const std::string& queue, Instant at, Newcomer who);
  // Expected arrivals in the hour of `at`, as of `now`: the mean over that hour of all weeks so
  // far, with the mean over all hours added as one more week. 0 with fewer than kLeast arrivals.
  double RateAt(const std::string& queue, Instant at, Instant now) const;
  // The arrivals of these queues in [now, until) in one future, by time; at most kMost.
  std::vector<Arrival> Draw(const std::vector<std::string>& queues, uint64_t seed, uint32_t sample,
                            Instant now, Instant until) const;

 private:
  struct Queue {
    std::array<uint32_t, kHours> came{};
    uint32_t all = 0;
    Instant first;
    std::deque<Newcomer> last;
  };
  std::map<std::string, Queue> queues_;
};

}  // namespace muster::forecast
