// Two counters see run times as shares of the requested time: there a bucket is the distance below
// the bucket of that time.
#include "meta/forecast/model/counters.h"

#include <algorithm>
#include <bit>

namespace muster::forecast {
namespace {

constexpr double kNeighbours = 0.3;  // share of an outcome that counts for the buckets beside it
constexpr double kPrior = 0.4;       // weight of the base hazard beside the outcomes of a counter
constexpr double kBaseEnded = 0.1;   // the base hazard before any outcome is
constexpr double kBaseReached = 2;   // kBaseEnded / kBaseReached

struct Sort {
  bool user = false;
  bool processors = false;  // the number itself
  bool octave = false;      // of processors
  bool asked = false;       // the requested time itself
  bool about = false;       // the bucket of the requested time
  bool shares = false;      // run times as shares of the requested time
  uint32_t kept = 0;        // share of older outcomes left after one more, in 1/1000
};

constexpr size_t kAll = 7;  // the counter that gives the base hazard
constexpr std::array<Sort, Counters::kCounters> kSorts = {{
    {.user = true, .processors = true, .asked = true, .kept = 930},
    {.user = true, .processors = true, .asked = true, .kept = 600},
    {.user = true, .kept = 930},
    {.user = true, .kept = 600},
    {.user = true, .asked = true, .kept = 930},
    {.user = true, .octave = true, .kept = 930},
    {.octave = true, .about = true, .kept = 997},
    {.shares = true, .kept = 998},
    {.user = true, .shares = true, .kept = 930},
}};

int64_t OctaveOf(int64_t processors) {
  return std::bit_width(static_cast<uint64_t>(std::max<int64_t>(1, processors)));
}

}  // namespace

// One of the kin, as all counters see it.
struct Counters::Runs {
  int64_t processors;
  int64_t octave;  // of processors
  Span asked;
  size_t bucket;       // of the elapsed time
  size_t below_limit;  // distance of this bucket from that of the requested time
};

// The weights of ended and running outcomes by bucket of the shape asked about.
struct Counters::Sight {
  std::array<double, kBuckets + 1> ended{};    // the last one: at the limit or later
  std::array<double, kBuckets + 1> running{};  // by bucket of elapsed time
  size_t top = 0;

  size_t ShareOf(size_t distance) const { return top - std::min(top, distance); }

  void AddEnded(const Histogram& histogram, bool shares) {
    for (const auto& [bucket, count] : histogram.counts) {
      const double weight = static_cast<double>(count) / kOne;
      if (bucket == kBuckets || (!shares && bucket > top)) {
        ended[kBuckets] += weight;
        continue;
      }
      const size_t b = shares ? ShareOf(bucket) : bucket;
      ended[b] += weight * (1 - kNeighbours);
      ended[b == 0 ? 0 : b - 1] += weight * kNeighbours / 2;
      ended[std::min(b + 1, top)] += weight * kNeighbours / 2;
    }
  }

  void AddRunning(const Shape& shape, const Sort& sort, std::span<const Runs> kin) {
    const int64_t octave = OctaveOf(shape.processors);
    const auto akin = [&](const Runs& one) {
      return (!sort.processors || one.processors == shape.processors) &&
             (!sort.octave || one.octave == octave) && (!sort.asked || one.asked == shape.asked);
    };
    const auto many = static_cast<double>(std::count_if(kin.begin(), kin.end(), akin));
    if (many == 0) return;
    const double weight = std::min(many, kMostKin) / many;
    for (const Runs& one : kin) {
      if (!akin(one)) continue;
      const size_t bucket = sort.shares ? ShareOf(one.below_limit) : one.bucket;
      running[std::min(bucket, kBuckets)] += weight;
    }
  }
};

uint32_t Counters::UserOf(const std::string& user) const {
  const auto found = users_.find(user);
  return found == users_.end() ? 0 : found->second;
}

Counters::Key Counters::KeyOf(size_t counter, const Shape& shape, uint32_t user) {
  const Sort& sort = kSorts[counter];
  Key out{.counter = static_cast<uint8_t>(counter), .user = sort.user ? user : 0};
  if (sort.processors) out.processors = shape.processors;
  if (sort.octave) out.processors = OctaveOf(shape.processors);
  if (sort.asked) out.asked = shape.asked.seconds;
  if (sort.about) out.asked = static_cast<int64_t>(BucketOf(shape.asked));
  return out;
}

Counters::Opinions Counters::Of(const Shape& shape, std::span<const Kin> kin) const {
  Opinions out;
  const uint32_t user = UserOf(shape.user);
  const size_t top = BucketOf(shape.asked);
  std::vector<Runs> runs;
  runs.reserve(kin.size());
  for (const Kin& one : kin) {
    const size_t bucket = BucketOf(one.elapsed);
    const size_t limit = BucketOf(one.asked);
    runs.push_back({one.processors, OctaveOf(one.processors), one.asked, bucket,
                    limit - std::min(limit, bucket)});
  }
  const auto seen = [&](size_t counter) {
    Sight sight{.top = top};
    if (!kSorts[counter].user || user != 0) {
      const auto found = histograms_.find(KeyOf(counter, shape, user));
      if (found != histograms_.end()) sight.AddEnded(found->second, kSorts[counter].shares);
    }
    if (kSorts[counter].user) sight.AddRunning(shape, kSorts[counter], runs);
    return sight;
  };
  const auto fill = [top](const Sight& sight, const auto& take) {
    double reached = sight.ended[kBuckets];
    for (size_t b = top + 1; b <= kBuckets; ++b) reached += sight.running[b];
    for (size_t b = top + 1; b-- > 0;) {
      reached += sight.ended[b];
      take(b, sight.ended[b], reached);
      reached += sight.running[b];  // those of this bucket came no further
    }
  };
  out.base.resize(top + 1);
  const Sight all = seen(kAll);
  fill(all, [&](size_t b, double ended, double reached) {
    out.base[b] = static_cast<float>((ended + kBaseEnded) / (reached + kBaseReached));
  });
  for (size_t i = 0; i < kCounters; ++i) {
    out.of[i].resize(top + 1);
    fill(i == kAll ? all : seen(i), [&](size_t b, double ended, double reached) {
      out.of[i][b] = {static_cast<float>((ended + kPrior * out.base[b]) / (reached + kPrior)),
                      static_cast<float>(reached)};
    });
  }
  return out;
}

void Counters::Learn(const Shape& shape, Span ran) {
  ran = OutcomeOf(ran, shape.asked);
  const size_t top = BucketOf(shape.asked);
  const uint32_t user =
      users_.try_emplace(shape.user, static_cast<uint32_t>(users_.size() + 1)).first->second;
  ++learned_;
  for (size_t i = 0; i < kCounters; ++i) {
    Histogram& histogram = histograms_[KeyOf(i, shape, user)];
    histogram.learned = learned_;
    auto& counts = histogram.counts;
    for (auto& [b, count] : counts) {
      count = static_cast<uint32_t>(uint64_t{count} * kSorts[i].kept / 1000);
    }
    // Drops nearly forgotten buckets, so that histograms stay small.
    std::erase_if(counts, [](const auto& at) { return at.second < kOne / 256; });
    const size_t of_limit = kSorts[i].shares ? top - std::min(top, BucketOf(ran)) : BucketOf(ran);
    const auto bucket = static_cast<uint8_t>(ran >= shape.asked ? kBuckets : of_limit);
    const auto at =
        std::lower_bound(counts.begin(), counts.end(), std::pair<uint8_t, uint32_t>{bucket, 0});
    if (at != counts.end() && at->first == bucket) {
      at->second += kOne;
    } else {
      counts.insert(at, {bucket, kOne});
    }
  }
  if (histograms_.size() > kMostKept) Forget();
}

void Counters::Forget() {
  std::vector<uint64_t> ages;
  ages.reserve(histograms_.size());
  for (const auto& [key, histogram] : histograms_) ages.push_back(histogram.learned);
  const auto middle = ages.begin() + static_cast<std::ptrdiff_t>(ages.size() / 2);
  std::nth_element(ages.begin(), middle, ages.end());
  std::erase_if(histograms_, [&](const auto& at) { return at.second.learned < *middle; });
}

}  // namespace muster::forecast
