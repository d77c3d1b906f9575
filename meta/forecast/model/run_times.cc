// Each level keeps a histogram that forgets. The levels are mixed from coarse to fine, and each
// outcome moves the weights towards the level that predicted it better.
#include "meta/forecast/model/run_times.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace muster::forecast {
namespace {

constexpr double kNeighbours = 0.3;  // share of an outcome that counts for the buckets beside it
constexpr double kBaseLimit = 0.2;   // chance of running into the limit, as a first guess
constexpr double kTrustStep = 0.02;
constexpr double kTrustLeast = 0.02;
constexpr double kTrustMost = 0.9;  // leaves something for outcomes never seen at this level

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

// The weight that is left after one more outcome of the key. Outcomes of one user fade faster than
// outcomes of all users.
uint32_t Faded(uint32_t count, RunTimes::Level level) {
  const bool of_user = level <= RunTimes::Level::kUser;
  return of_user ? count - count / 14 : count - count / 512;
}

size_t SeenIndex(uint32_t total) {
  const double outcomes = static_cast<double>(total) / Outcomes::kOne;
  if (outcomes < 1.5) return 0;
  if (outcomes < 2.5) return 1;
  if (outcomes < 4.5) return 2;
  return outcomes < 8 ? 3 : 4;
}

void Count(Outcomes& outcomes, uint8_t bucket, RunTimes::Level level) {
  outcomes.total = 0;
  for (auto& [b, count] : outcomes.counts) count = Faded(count, level);
  // Drops nearly forgotten buckets, so that keys stay small.
  std::erase_if(outcomes.counts, [](const auto& at) { return at.second < Outcomes::kOne / 256; });
  const auto at = std::lower_bound(outcomes.counts.begin(), outcomes.counts.end(),
                                   std::pair<uint8_t, uint32_t>{bucket, 0});
  if (at != outcomes.counts.end() && at->first == bucket) {
    at->second += Outcomes::kOne;
  } else {
    outcomes.counts.insert(at, {bucket, Outcomes::kOne});
  }
  for (const auto& [b, count] : outcomes.counts) outcomes.total += count;
}

}  // namespace

size_t BucketOf(Span ran) {
  const auto& edges = Edges();
  const auto after =
      std::upper_bound(edges.begin(), edges.end(), std::max<int64_t>(1, ran.seconds));
  return std::min<size_t>(kBuckets - 1, static_cast<size_t>(after - edges.begin()) - 1);
}

Span BucketBegin(size_t bucket) { return Span{Edges()[std::min(bucket, kBuckets)]}; }

RunTime::RunTime(Span asked, const std::array<double, kBuckets + 1>& chances)
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

std::array<RunTimes::Key, 4> RunTimes::KeysOf(const Shape& shape) {
  const auto octave = static_cast<int64_t>(
      std::bit_width(static_cast<uint64_t>(std::max<int64_t>(1, shape.processors))));
  return {Key{Level::kSame, shape.user, shape.processors, shape.asked.seconds},
          Key{Level::kUser, shape.user, octave, 0},
          Key{Level::kAsked, {}, 0, static_cast<int64_t>(BucketOf(shape.asked))}, Key{}};
}

std::vector<RunTimes::Opinion> RunTimes::OpinionsOf(const Shape& shape) const {
  std::vector<Opinion> out;
  const size_t top = BucketOf(shape.asked);
  const std::array<Key, 4> keys = KeysOf(shape);
  for (size_t k = keys.size(); k-- > 0;) {
    const auto found = outcomes_.find(keys[k]);
    if (found == outcomes_.end()) continue;
    const Outcomes& outcomes = found->second;
    Opinion opinion{keys[k], outcomes.total, {}};
    for (const auto& [bucket, count] : outcomes.counts) {
      const double share = static_cast<double>(count) / outcomes.total;
      if (bucket == kBuckets) {
        opinion.chances[kBuckets] += share;
        continue;
      }
      // On the level of all requests `bucket` is the distance below the bucket of the requested
      // time, so it stands for a share of that time.
      const bool of_all = keys[k].level == Level::kAll;
      if (!of_all && bucket > top) {
        opinion.chances[kBuckets] += share;
        continue;
      }
      const size_t b = of_all ? top - std::min<size_t>(top, bucket) : bucket;
      opinion.chances[b] += share * (1 - kNeighbours);
      opinion.chances[b == 0 ? 0 : b - 1] += share * kNeighbours / 2;
      opinion.chances[std::min(b + 1, top)] += share * kNeighbours / 2;
    }
    out.push_back(std::move(opinion));
  }
  return out;
}

namespace {

std::array<double, kBuckets + 1> FirstGuess(size_t top) {
  std::array<double, kBuckets + 1> out{};
  for (size_t b = 0; b <= top; ++b) out[b] = (1 - kBaseLimit) / static_cast<double>(top + 1);
  out[kBuckets] = kBaseLimit;
  return out;
}

using Shares = std::array<double, kBuckets + 1>;

Shares Mix(double trust, const Shares& of, const Shares& others) {
  Shares out;
  for (size_t b = 0; b < out.size(); ++b) out[b] = trust * of[b] + (1 - trust) * others[b];
  return out;
}

// Adds running jobs, whose outcomes lie beyond their elapsed times, by the estimator of Kaplan and
// Meier: per bucket, the share that ended there of all that reached it. `expected` counts as one
// more outcome, and decides alone where nothing else is left.
Shares WithRunning(const Shares& chances, double outcomes,
                   const RunTimes::Running::Elapsed& running, const Shares& expected) {
  double came = std::accumulate(running.begin(), running.end(), outcomes);
  double left = 1;
  double expected_left = std::accumulate(expected.begin(), expected.end(), 0.0);
  Shares out;
  for (size_t b = 0; b < out.size(); ++b) {
    if (b < running.size()) came -= running[b];
    const double ended = chances[b] * outcomes;
    const double likely = expected_left > 1e-9 ? std::min(1.0, expected[b] / expected_left) : 1;
    out[b] = left * std::min(1.0, (ended + likely) / (came + 1));
    left -= out[b];
    came = std::max(0.0, came - ended);
    expected_left -= expected[b];
  }
  return out;
}

}  // namespace

RunTime RunTimes::Of(const Shape& shape) const { return Of(shape, Running()); }

RunTime RunTimes::Of(const Shape& shape, const Running& running) const {
  Chances chances = FirstGuess(BucketOf(shape.asked));
  for (const Opinion& opinion : OpinionsOf(shape)) {
    const double trust = TrustIn(opinion);
    const Chances mixed = Mix(trust, opinion.chances, chances);
    const Running::Elapsed* elapsed = running.Find(opinion.key);
    const double outcomes = static_cast<double>(opinion.total) / Outcomes::kOne;
    chances = elapsed ? Mix(trust, WithRunning(opinion.chances, outcomes, *elapsed, mixed), chances)
                      : mixed;
  }
  return RunTime(shape.asked, chances);
}

double RunTimes::TrustIn(const Opinion& opinion) const {
  const auto level = static_cast<size_t>(opinion.key.level);
  return static_cast<double>(trust_[level][SeenIndex(opinion.total)]) / Outcomes::kOne;
}

void RunTimes::Running::Add(const Shape& shape, Span elapsed) {
  for (const Key& key : KeysOf(shape)) {
    if (key.level <= Level::kUser) ++by_key_[key][BucketOf(elapsed)];
  }
}

const RunTimes::Running::Elapsed* RunTimes::Running::Find(const Key& key) const {
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? nullptr : &found->second;
}

void RunTimes::Learn(const Shape& shape, Span ran) {
  ran = std::clamp(ran, Span{1}, std::max(Span{1}, shape.asked));
  const size_t top = BucketOf(shape.asked);
  const bool limit = ran >= shape.asked;
  const size_t bucket = limit ? kBuckets : BucketOf(ran);
  double expected = FirstGuess(top)[bucket];
  for (const Opinion& opinion : OpinionsOf(shape)) {
    const double weight = TrustIn(opinion);
    const double mixed = weight * opinion.chances[bucket] + (1 - weight) * expected;
    const double due = mixed > 0 ? weight * opinion.chances[bucket] / mixed : weight;
    const double next = std::clamp(weight + kTrustStep * (due - weight), kTrustLeast, kTrustMost);
    trust_[static_cast<size_t>(opinion.key.level)][SeenIndex(opinion.total)] =
        static_cast<uint32_t>(std::lround(next * Outcomes::kOne));
    expected = mixed;
  }
  for (const Key& key : KeysOf(shape)) {
    const size_t counted = limit || key.level != Level::kAll ? bucket : top - std::min(top, bucket);
    Count(outcomes_[key], static_cast<uint8_t>(counted), key.level);
  }
}

}  // namespace muster::forecast
