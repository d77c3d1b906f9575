// The run time of a request that has not ended, as a distribution. scheduling.md section 6
// (Predictor).
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>

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
// `ran` as an outcome of a request that asked for `asked`: within [1 s, asked].
Span OutcomeOf(Span ran, Span asked);

// Chances by bucket; the last one is the chance of being stopped at the requested time.
using Chances = std::array<double, kBuckets + 1>;

// The distribution of one request's run time, from 1 s to the requested time. Being stopped at the
// limit is an outcome of its own.
class RunTime {
 public:
  // `chances` need not add up to one.
  RunTime(Span asked, const Chances& chances);

  // The u-quantile, u in [0, 1), of the outcomes longer than `elapsed`. If the requested time has
  // elapsed, the result is that time.
  Span Quantile(double u, Span elapsed = Span{0}) const;
  // The mean run time, in seconds.
  double Mean() const;
  // The chance of the bucket of this outcome, or of the limit; they add up to one.
  double ChanceOf(Span ran) const;
  // The bits that this outcome takes: -log2 of its chance, at most 40.
  double BitsOf(Span ran) const;

 private:
  double Below(Span ran) const;

  Span asked_;
  size_t top_;        // the bucket of asked_
  Chances up_to_{};   // chance of ending before the end of the bucket
  double limit_ = 0;  // chance of being stopped at the limit
};

}  // namespace muster::forecast
