// Within a bucket all whole seconds are equally likely.
#include "meta/forecast/model/run_time.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace muster::forecast {
namespace {

const std::array<int64_t, kBuckets + 1>& Edges() {
  static const std::array<int64_t, kBuckets + 1> kEdges = [] {
    std::array<int64_t, kBuckets + 1> out{};
    for (size_t i = 0; i < out.size(); ++i) {
      out[i] = static_cast<int64_t>(std::ceil(std::exp2(static_cast<double>(i) / 4)));
    }
    return out;
  }();
  return kEdges;
}

}  // namespace

size_t BucketOf(Span ran) {
  const auto& edges = Edges();
  const int64_t seconds = std::max<int64_t>(1, ran.seconds);
  // Every fourth bucket begins at a power of two.
  size_t out = 4 * (static_cast<size_t>(std::bit_width(static_cast<uint64_t>(seconds))) - 1);
  while (out + 1 < kBuckets && edges[out + 1] <= seconds) ++out;
  return std::min(out, kBuckets - 1);
}

Span BucketBegin(size_t bucket) { return Span{Edges()[std::min(bucket, kBuckets)]}; }

Span OutcomeOf(Span ran, Span asked) { return std::clamp(ran, Span{1}, std::max(Span{1}, asked)); }

RunTime::RunTime(Span asked, const Chances& chances)
    : asked_(asked), top_(BucketOf(asked)), limit_(chances[kBuckets]) {
  double sum = 0;
  for (size_t b = 0; b <= top_; ++b) {
    sum += chances[b];
    up_to_[b] = sum;
  }
}

// Chance of an outcome of at most `ran`, without the limit.
double RunTime::Below(Span ran) const {
  if (ran.seconds < 1) return 0;
  const size_t b = BucketOf(ran);
  if (b > top_) return up_to_[top_];
  const double before = b == 0 ? 0 : up_to_[b - 1];
  const int64_t begin = BucketBegin(b).seconds;
  const int64_t end = b == top_ ? asked_.seconds + 1 : BucketBegin(b + 1).seconds;
  const double share =
      static_cast<double>(ran.seconds - begin + 1) / static_cast<double>(end - begin);
  return before + (up_to_[b] - before) * std::min(1.0, share);
}

Span RunTime::Quantile(double u, Span elapsed) const {
  if (elapsed >= asked_) return asked_;
  const double past = Below(elapsed);
  const double all = up_to_[top_] + limit_ - past;
  const double target = past + u * all;
  if (all <= 0 || target >= up_to_[top_]) return asked_;
  const auto at = std::upper_bound(up_to_.begin(),
                                   up_to_.begin() + static_cast<std::ptrdiff_t>(top_) + 1, target);
  const auto b = static_cast<size_t>(at - up_to_.begin());
  if (b > top_) return asked_;
  const double before = b == 0 ? 0 : up_to_[b - 1];
  const int64_t begin = BucketBegin(b).seconds;
  const int64_t end = b == top_ ? asked_.seconds + 1 : BucketBegin(b + 1).seconds;
  const double share = (target - before) / (up_to_[b] - before);
  const auto into = static_cast<int64_t>(share * static_cast<double>(end - begin));
  const Span out{std::min(begin + into, end - 1)};
  return std::clamp(out, elapsed + Span{1}, asked_);
}

double RunTime::Mean() const {
  double sum = limit_ * static_cast<double>(asked_.seconds);
  for (size_t b = 0; b <= top_; ++b) {
    const int64_t begin = BucketBegin(b).seconds;
    const int64_t end = b == top_ ? asked_.seconds + 1 : BucketBegin(b + 1).seconds;
    const double chance = up_to_[b] - (b == 0 ? 0 : up_to_[b - 1]);
    sum += chance * static_cast<double>(begin + end - 1) / 2;
  }
  const double all = up_to_[top_] + limit_;
  return all > 0 ? sum / all : static_cast<double>(asked_.seconds);
}

double RunTime::ChanceOf(Span ran) const {
  const double all = up_to_[top_] + limit_;
  if (all <= 0) return 0;
  if (ran >= asked_) return limit_ / all;
  const size_t b = std::min(BucketOf(ran), top_);
  return (up_to_[b] - (b == 0 ? 0 : up_to_[b - 1])) / all;
}

double RunTime::BitsOf(Span ran) const { return -std::log2(std::max(ChanceOf(ran), 0x1p-40)); }

}  // namespace muster::forecast
