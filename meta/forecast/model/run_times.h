// Predicts run times from ended requests, as a distribution for each request rather than one
// number. Outcomes of the same user with the same shape say most; outcomes of all requests always
// say something. How much to trust each level is learned too, so that no workload needs tuning.
// scheduling.md section 6 (Predictor).
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"

namespace muster::forecast {

// What is known about a request before it runs.
struct Shape {
  std::string user;
  int64_t processors = 1;
  Span asked;  // requested time, the upper limit of the run time
  auto operator<=>(const Shape&) const = default;
};

// Run times fall into four buckets per octave, from 1 s on. The last bucket has no end.
inline constexpr size_t kBuckets = 100;
size_t BucketOf(Span ran);
// The first whole second of a bucket.
Span BucketBegin(size_t bucket);

// The distribution of one request's run time, from 1 s to the requested time. Being stopped at the
// limit is an outcome of its own.
class RunTime {
 public:
  // `chances`: weights by bucket, the limit last. They need not add up to one.
  RunTime(Span asked, const std::array<double, kBuckets + 1>& chances);

  // The u-quantile, u in [0, 1), of the outcomes longer than `elapsed`. If the requested time has
  // elapsed, the result is that time.
  Span Quantile(double u, Span elapsed = Span{0}) const;

 private:
  double Below(Span ran) const;

  Span asked_;
  size_t top_;                                // the bucket of asked_
  std::array<double, kBuckets + 1> up_to_{};  // chance of ending before the end of the bucket
  double limit_ = 0;
};

// Recent outcomes of one key; the newest weigh most. Integers, so that a stored copy is exact.
struct Outcomes {
  static constexpr uint32_t kOne = 1 << 16;  // weight of a new outcome
  // Pairs of bucket and weight, by bucket. Bucket kBuckets stands for the limit.
  std::vector<std::pair<uint8_t, uint32_t>> counts;
  uint32_t total = 0;
  bool operator==(const Outcomes&) const = default;
};

class RunTimes {
 public:
  // Levels of keys, fine to coarse: same user, requested time and processors; same user and octave
  // of processors; same bucket of requested time; all requests, whose run times count as shares of
  // the requested time.
  enum class Level : uint8_t { kSame = 0, kUser, kAsked, kAll };
  struct Key {
    Level level = Level::kAll;
    std::string user;
    int64_t processors = 0;
    int64_t asked = 0;
    auto operator<=>(const Key&) const = default;
  };

  class Running;
  RunTime Of(const Shape& shape) const;
  // The same, with the running requests counted as outcomes to come that exceed their elapsed time.
  // Without them a burst of like requests would be judged by the shortest, which end first.
  RunTime Of(const Shape& shape, const Running& running) const;
  // Adds an outcome. `ran` is clamped to [1 s, requested time].
  void Learn(const Shape& shape, Span ran);

  // All that was learned: outcomes and trust. Learn(shape) changes the outcomes of KeysOf(shape)
  // and the trust. The meta stores neither; it learns again from the requests on record.
  static std::array<Key, 4> KeysOf(const Shape& shape);
  const std::map<Key, Outcomes>& outcomes() const { return outcomes_; }
  // Trust in a level against the coarser ones, by level and by how many outcomes the key has seen,
  // in units of 1/Outcomes::kOne.
  using Trust = std::array<std::array<uint32_t, 5>, 4>;
  const Trust& trust() const { return trust_; }
  void Restore(const Key& key, Outcomes outcomes) { outcomes_[key] = std::move(outcomes); }
  void Restore(const Trust& trust) { trust_ = trust; }
  bool operator==(const RunTimes&) const = default;

 private:
  using Chances = std::array<double, kBuckets + 1>;
  struct Opinion {  // what one level predicts for a shape
    Key key;
    uint32_t total = 0;  // weight of its outcomes
    Chances chances{};
  };
  double TrustIn(const Opinion& opinion) const;
  std::vector<Opinion> OpinionsOf(const Shape& shape) const;  // coarse to fine

  std::map<Key, Outcomes> outcomes_;
  Trust trust_ = [] {
    Trust out{};
    for (auto& of_level : out) of_level.fill(Outcomes::kOne / 2);
    return out;
  }();
};

// The requests that run at one moment and their elapsed times, counted for the keys of a user's own
// levels.
class RunTimes::Running {
 public:
  using Elapsed = std::array<uint32_t, kBuckets>;  // running requests by bucket of elapsed time
  void Add(const Shape& shape, Span elapsed);
  // Null if no request of this key runs.
  const Elapsed* Find(const Key& key) const;

 private:
  std::map<Key, Elapsed> by_key_;
};

}  // namespace muster::forecast
