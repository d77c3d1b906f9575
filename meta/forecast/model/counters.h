// Nine views of past run times: of the same user, shape or size, with long and with short memory.
// For a request and each bucket of run time a counter answers: of those that came so far, how many
// ended here? scheduling.md section 6 (Predictor).
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "meta/forecast/model/run_time.h"

namespace muster::forecast {

// A request of the same user that runs now.
struct Kin {
  int64_t processors = 1;
  Span asked;
  Span elapsed;
};

class Counters {
 public:
  static constexpr size_t kCounters = 9;
  // Most histograms kept. When there are more, the half that learned longest ago is forgotten.
  static constexpr size_t kMostKept = 100'000;
  // Requests that run and share a key count as at most this many outcomes together: requests
  // started together are one observation, not many.
  static constexpr double kMostKin = 10;

  // What one counter says of one bucket.
  struct Opinion {
    float hazard = 0;   // chance of ending in this bucket, for those that came so far
    float reached = 0;  // weight of the outcomes that came so far
  };
  // By counter and bucket, up to the bucket of the requested time.
  struct Opinions {
    std::vector<float> base;  // hazards of all requests, by share of the requested time
    std::array<std::vector<Opinion>, kCounters> of;
  };

  // `kin`: the running requests of this user. Their outcomes lie beyond their elapsed times.
  Opinions Of(const Shape& shape, std::span<const Kin> kin) const;
  // Adds an outcome. `ran` is clamped to [1 s, requested time].
  void Learn(const Shape& shape, Span ran);

  size_t kept() const { return histograms_.size(); }
  bool operator==(const Counters&) const = default;

 private:
  // Fixed-point weights, so that equal outcomes give equal bytes.
  static constexpr uint32_t kOne = 1 << 16;
  struct Key {
    uint8_t counter = 0;
    uint32_t user = 0;  // 0: of all users
    int64_t processors = 0;
    int64_t asked = 0;
    auto operator<=>(const Key&) const = default;
  };
  struct Histogram {
    // Pairs of bucket and weight, by bucket. Bucket kBuckets stands for the limit.
    std::vector<std::pair<uint8_t, uint32_t>> counts;
    uint64_t learned = 0;  // number of the last outcome
    bool operator==(const Histogram&) const = default;
  };
  struct Runs;
  struct Sight;
  static Key KeyOf(size_t counter, const Shape& shape, uint32_t user);
  uint32_t UserOf(const std::string& user) const;
  void Forget();

  std::map<std::string, uint32_t> users_;  // numbered from 1 as they came
  std::map<Key, Histogram> histograms_;
  uint64_t learned_ = 0;
};

}  // namespace muster::forecast
