// Turns sampled waits into an interval that holds as often as it claims. Calibrated run times do
// not give calibrated starts, so the start itself is scored: its distance from the median of its
// samples, in units of their spread on that side. An interval is the shortest one that leaves no
// more than a certain share of past scores outside. That share, the level, adapts to the observed
// misses. scheduling.md section 6 (Calibration).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"

namespace muster::forecast {

// How one forecast came out. Integers, so that a stored copy is exact.
struct Score {
  int32_t band = 0;  // class by distance of the bound from the median; within a band
                     // forecasts err alike
  // Distance of the start from the median, in thousandths of the spread on its side; positive if
  // later.
  int32_t thousandths = 0;
  uint64_t voice = 0;  // VoiceOf its user and time
  bool operator==(const Score&) const = default;
};

// A forecast of a wait, and what its score needs once the wait is known.
struct Forecast {
  Span low;
  Span median;
  Span high;
  int32_t band = 0;
  int32_t centre_thousandths = 0;  // median of ln(sampled wait + 60 s)
  int32_t below_thousandths = 0;   // spread of the same logarithms below their median
  int32_t above_thousandths = 0;   // and above it
  bool operator==(const Forecast&) const = default;
  // True if the interval is wider than 60 s. Narrower ones belong to requests that start almost at
  // once, or whose start is as good as certain, and say nothing about how well intervals hold.
  bool Counts() const { return high - low > Span{60}; }
  bool Holds(Span waited) const { return low <= waited && waited <= high; }
};

// Scores with the same voice, which is a user on a day, together weigh as one.
uint64_t VoiceOf(const std::string& user, Instant at);

class Calibration {
 public:
  static constexpr size_t kScores = 2000;     // scores kept over all bands
  static constexpr size_t kBandScores = 400;  // newest scores used of one band
  static constexpr size_t kJudged = 1000;     // newest judgements that the miss rate is taken over

  // `confidence`: share of intervals that should hold, 0.5 to 0.99.
  explicit Calibration(double confidence = 0.9);

  // Changes the confidence, and starts the level again at it. Scores and misses stay.
  void Aim(double confidence);

  // The forecast for these sampled waits. No figure exceeds `bound`, the longest possible wait.
  // REQUIRES: `samples` ascending and not empty.
  Forecast Of(std::span<const Span> samples, Span bound) const;

  // Counts an interval as held or missed. Call once per interval, for a miss as soon as the wait
  // passes the upper end. REQUIRES: the forecast Counts().
  void Judge(bool held);
  // A wait ended for which `said` was forecast.
  void Learn(const Forecast& said, uint64_t voice, Span waited);

  double confidence() const { return 1 - miss_target_; }

  // All that was learned. The meta does not store it.
  struct State {
    int64_t level_millionths = 0;  // share of scores that an interval leaves outside now
    std::deque<Score> scores;      // oldest first
    std::deque<uint8_t> misses;    // 1 for a miss; the last kJudged, oldest first
    bool operator==(const State&) const = default;
  };
  const State& state() const { return state_; }
  void Restore(State state);
  bool operator==(const Calibration&) const = default;

 private:
  struct Weighed {
    double score = 0;
    double up_to = 0;  // summed weight up to and including this score
    bool operator==(const Weighed&) const = default;
  };
  std::vector<Weighed> ScoresOf(int32_t band) const;
  void Prepare(int32_t band);

  double miss_target_;
  State state_;
  std::map<int32_t, std::vector<Weighed>> prepared_;  // ScoresOf bands that borrow none
};

}  // namespace muster::forecast
