// From sampled futures to an interval that holds as often as it says. Calibrated run times do not
// give calibrated starts, so what is scored is the start itself: how far from the middle of its
// samples, in their spread, each start came out. An interval is the shortest that holds the stated
// share of such scores; one level follows the misses. scheduling.md section 6 (Calibration).
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

// How one forecast came out. Integers, so that what is stored is exact.
struct Score {
  int32_t band = 0;         // how far its bound lay behind its samples: such forecasts err alike
  int32_t thousandths = 0;  // of the spread, after (+) or before (-) the middle
  uint64_t voice = 0;
  bool operator==(const Score&) const = default;
};

// A forecast of a wait, and what its score needs once the wait is known.
struct Forecast {
  Span low;
  Span median;
  Span high;
  int32_t band = 0;
  int32_t centre_thousandths = 0;  // of the logarithm of a wait
  int32_t spread_thousandths = 0;
  bool operator==(const Forecast&) const = default;
  // Narrower ones start at once, or as good as: they say nothing of how well intervals hold.
  bool Counts() const { return high - low > Span{60}; }
  bool Holds(Span waited) const { return low <= waited && waited <= high; }
};

// Who speaks: scores with the same voice count as one.
uint64_t VoiceOf(const std::string& user, Instant at);

class Calibration {
 public:
  static constexpr size_t kScores = 2000;     // remembered, all bands together
  static constexpr size_t kBandScores = 400;  // of one band looked at, the newest
  static constexpr size_t kJudged = 1000;     // intervals the miss rate is of

  // `confidence`: the share of intervals that are to hold, 0.5 to 0.99.
  explicit Calibration(double confidence = 0.9);

  // Another share from now on; what was learned stays.
  void Aim(double confidence);

  // REQUIRES: `samples` are waits, ascending, at least one. None of the figures lies beyond
  // `bound`, the longest wait there can be.
  Forecast Of(std::span<const Span> samples, Span bound) const;

  // An interval that counts held or not. A miss is told the moment the wait passes the upper end,
  // and once.
  void Judge(bool held);
  // A wait of which this was said is over.
  void Learn(const Forecast& said, uint64_t voice, Span waited);

  double confidence() const { return 1 - miss_target_; }

  // For the store.
  struct State {
    int64_t level_millionths = 0;  // of misses aimed at now
    std::deque<Score> scores;      // the oldest first
    std::deque<uint8_t> misses;    // of the last kJudged, the oldest first
    bool operator==(const State&) const = default;
  };
  const State& state() const { return state_; }
  void Restore(State state);
  bool operator==(const Calibration&) const = default;

 private:
  struct Weighed {
    double score = 0;
    double up_to = 0;  // weight of this and all before it
    bool operator==(const Weighed&) const = default;
  };
  std::vector<Weighed> ScoresOf(int32_t band) const;
  void Prepare(int32_t band);

  double miss_target_;
  State state_;
  std::map<int32_t, std::vector<Weighed>> prepared_;  // of bands that need not borrow
};

}  // namespace muster::forecast
