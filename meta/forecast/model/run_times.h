// How long requests really run, learned from those that ended: a distribution for each request,
// not a number. A request's own user with the very same shape says most, all requests together say
// something always; how much each is believed is learned too, so that no log has to be tuned for.
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

// What is known of a request before it runs.
struct Shape {
  std::string user;
  int64_t processors = 1;
  Span asked;  // it never runs longer
  auto operator<=>(const Shape&) const = default;
};

// Four buckets an octave, from one second on; the last one has no end.
inline constexpr size_t kBuckets = 100;
size_t BucketOf(Span ran);
// The first whole second of a bucket.
Span BucketBegin(size_t bucket);

// The distribution of how long one request runs: 1 s to what it asked for. Running into its limit
// is an outcome of its own.
class RunTime {
 public:
  // `chances` by bucket, last the limit; they need not add up to one.
  RunTime(Span asked, const std::array<double, kBuckets + 1>& chances);

  // The u-quantile, u in [0, 1), of those outcomes that are longer than `elapsed`; what has run for
  // as long as it asked ends now.
  Span Quantile(double u, Span elapsed = Span{0}) const;

 private:
  double Below(Span ran) const;

  Span asked_;
  size_t top_;                                // the bucket of asked_
  std::array<double, kBuckets + 1> up_to_{};  // chance of running less than the bucket's end
  double limit_ = 0;
};

// Recent outcomes of one key, the newest counts most. Integers, so that what is stored is exact.
struct Outcomes {
  static constexpr uint32_t kOne = 1 << 16;          // what an outcome counts when it is new
  std::vector<std::pair<uint8_t, uint32_t>> counts;  // by bucket, ascending; kBuckets: the limit
  uint32_t total = 0;
  bool operator==(const Outcomes&) const = default;
};

class RunTimes {
 public:
  // Fine to coarse: the same user, time asked for and processors; the same user and octave of
  // processors; the same bucket of time asked for; all, as shares of the time asked for.
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
  // The same when those that run now are counted too: each as an outcome still to come, longer than
  // it has run. Of a burst of like requests the shortest end first, and are not all there is.
  RunTime Of(const Shape& shape, const Running& running) const;
  // It ran that long. `ran` is cut to 1 s .. asked.
  void Learn(const Shape& shape, Span ran);

  // All that is learned, for the store: what Learn(shape) changed are KeysOf(shape) and the trust.
  static std::array<Key, 4> KeysOf(const Shape& shape);
  const std::map<Key, Outcomes>& outcomes() const { return outcomes_; }
  // How far a level is believed against the coarser ones, by level and by how much it has seen; of
  // Outcomes::kOne.
  using Trust = std::array<std::array<uint32_t, 5>, 4>;
  const Trust& trust() const { return trust_; }
  void Restore(const Key& key, Outcomes outcomes) { outcomes_[key] = std::move(outcomes); }
  void Restore(const Trust& trust) { trust_ = trust; }
  bool operator==(const RunTimes&) const = default;

 private:
  using Chances = std::array<double, kBuckets + 1>;
  struct Opinion {  // of one level about one shape
    Key key;
    uint32_t total = 0;  // of its outcomes
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

// Who runs at one moment, and for how long, as a user's own levels tell them apart.
class RunTimes::Running {
 public:
  using Elapsed = std::array<uint32_t, kBuckets>;  // how many run for so long
  void Add(const Shape& shape, Span elapsed);
  // None if nobody of this key runs.
  const Elapsed* Find(const Key& key) const;

 private:
  std::map<Key, Elapsed> by_key_;
};

}  // namespace muster::forecast
