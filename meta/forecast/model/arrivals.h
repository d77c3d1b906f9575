// Who comes: how many an hour, by hour of the week, and what the last ones asked for. From that,
// arrivals that a future may have. Draws are keyed by (seed, queue, sample, hour), so that figures
// move because something happened. scheduling.md section 6 (Forward).
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

// What one that came asked for, where it was placed.
struct Newcomer {
  struct Piece {
    std::string site;
    ResourceSet amounts;
    Span offset;
    Span length;  // that it is booked for
  };
  Shape shape;
  std::vector<Piece> pieces;
};

struct Arrival {
  Instant at;
  std::string queue;
  Newcomer who;
  uint64_t draw = 0;  // its own, for how long it runs
};

class Arrivals {
 public:
  static constexpr size_t kKept = 512;   // the last ones of a queue: what they asked for is drawn
  static constexpr uint32_t kLeast = 8;  // of fewer nothing is said
  static constexpr size_t kMost = 64;    // of one draw
  static constexpr size_t kHours = 7 * 24;

  // One came to this queue. They need not be told in order.
  void Learn(const std::string& queue, Instant at, Newcomer who);
  // Arrivals an hour that are expected in the hour of `at`, as of `now`: what that hour of the week
  // saw, and with as little weight as one week has what all hours saw.
  double RateAt(const std::string& queue, Instant at, Instant now) const;
  // Who comes to any of these queues in [now, until) in this future, by time; the first kMost.
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
