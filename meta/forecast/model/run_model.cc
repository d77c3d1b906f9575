// Mixing in the log domain counts several views of the same outcomes only once: their logits are
// summed with weights that are learned together.
#include "meta/forecast/model/run_model.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace muster::forecast {
namespace {

constexpr double kFixedOne = 4294967296.0;
constexpr double kFirstWeight = 0.15;
constexpr double kWeightStep = 0.003;   // of learning weights
constexpr double kLeastStep = 0.1;      // share of kWeightStep that is left after many outcomes
constexpr double kStepOutcomes = 300;   // outcomes after which steps get smaller
constexpr double kBaseStep = 0.3;       // share of a step for the base and the constants
constexpr double kWorkStep = 0.0005;    // of the correction of expected work
constexpr double kWorkError = 20;       // largest error counted, in means of an outcome's work
constexpr double kWorkMost = 1;         // largest correction
constexpr double kWorkOutcomes = 1000;  // outcomes over which the mean work is taken
constexpr float kLogitMost = 15.9F;
constexpr double kBaseScale = 2048;    // of stored logits
constexpr double kCounterScale = 256;  // of stored distances from the base
constexpr int kClassBits = 3;
constexpr size_t kFirstMinute = 24;  // the bucket that begins at 64 s
constexpr size_t kNearLimit = 3;     // buckets below the limit

int64_t FixedOf(double value) { return std::llround(value * kFixedOne); }
double ValueOf(int64_t fixed) { return static_cast<double>(fixed) / kFixedOne; }
double Sigmoid(double logit) { return 1 / (1 + std::exp(-logit)); }
float Logit(float chance) {
  chance = std::clamp(chance, 1e-7F, 1 - 1e-7F);
  return std::clamp(std::log(chance / (1 - chance)), -kLogitMost, kLogitMost);
}
// std::lround for what is far from the ends of the type, several times as fast.
int32_t Rounded(double value) {
  return static_cast<int32_t>(value < 0 ? value - 0.5 : value + 0.5);
}

size_t ZoneOf(size_t bucket, size_t top) {
  if (bucket + kNearLimit > top) return 0;
  return bucket < kFirstMinute ? 1 : 2;
}

uint16_t ClassOf(double reached) {
  constexpr std::array<double, 6> kBelow = {1.2, 2.2, 4.2, 8.5, 20, 80};
  if (reached <= 0) return 0;
  size_t out = 1;
  for (const double below : kBelow) {
    if (reached >= below) ++out;
  }
  return static_cast<uint16_t>(out);
}

// A distance in the upper bits, a class in the lower ones.
uint16_t Packed(double distance, uint16_t of_class) {
  const auto steps = Rounded(distance * kCounterScale);
  return static_cast<uint16_t>(
      static_cast<uint32_t>(std::clamp(steps, -4096, 4095) + 4096) << kClassBits | of_class);
}
double DistanceOf(uint16_t packed) {
  return (static_cast<int32_t>(packed >> kClassBits) - 4096) / kCounterScale;
}
size_t ClassIn(uint16_t packed) { return packed & ((1u << kClassBits) - 1); }

}  // namespace

RunModel::Weights RunModel::FirstWeights() {
  Weights out{};
  for (auto& of_counter : out.counters) {
    for (size_t of_class = 1; of_class < kClasses; ++of_class) {
      of_counter[of_class].fill(FixedOf(kFirstWeight));
    }
  }
  out.base.fill(FixedOf(1));
  return out;
}

RunModel RunModel::Recalled(std::vector<PastRun> past) {
  std::sort(past.begin(), past.end(), [](const PastRun& a, const PastRun& b) {
    return std::pair(a.submitted, a.job) < std::pair(b.submitted, b.job);
  });
  // The order in which what happened in one moment is learned.
  enum class Happened : uint8_t { kSubmitted, kStarted, kEnded };
  std::vector<std::tuple<Moment, Happened, size_t>> steps;
  for (size_t i = 0; i < past.size(); ++i) {
    const PastRun& one = past[i];
    const bool newest = past.size() - i <= kRecalled;
    if (!newest && one.ended) continue;
    if (newest) steps.emplace_back(one.submitted, Happened::kSubmitted, i);
    // Clocks of several machines may tell an end before its start.
    const Moment started = std::max(one.submitted, one.started.value_or(one.submitted));
    if (one.started) steps.emplace_back(started, Happened::kStarted, i);
    if (one.ended) steps.emplace_back(std::max(started, *one.ended), Happened::kEnded, i);
  }
  std::sort(steps.begin(), steps.end());
  RunModel out;
  for (const auto& [at, step, i] : steps) {
    const PastRun& one = past[i];
    switch (step) {
      case Happened::kSubmitted:
        out.Submit(one.job, one.shape, at.Floor());
        break;
      case Happened::kStarted:
        if (!out.ShapeOf(one.job)) out.Submit(one.job, one.shape, at.Floor());
        out.Start(one.job, at.Floor(), one.speed);
        break;
      case Happened::kEnded:
        if (one.ran) {
          out.End(one.job, *one.ran);
        } else {
          out.Forget(one.job);
        }
        break;
    }
  }
  return out;
}

std::vector<Kin> RunModel::KinOf(const std::string& user, Instant now) const {
  std::vector<Kin> out;
  const auto running = running_.find(user);
  if (running == running_.end()) return out;
  for (const Job job : running->second) {
    const Live& live = live_.at(job);
    const Span elapsed{(now - *live.since).seconds * live.speed / 1000};
    out.push_back(
        {live.shape.processors, live.shape.asked, std::clamp(elapsed, Span{0}, live.shape.asked)});
  }
  return out;
}

RunModel::Terms RunModel::TermsOf(const Shape& shape, Instant now) const {
  const Counters::Opinions opinions = counters_.Of(shape, KinOf(shape.user, now));
  Terms out;
  out.base.reserve(opinions.base.size());
  out.counters.reserve(opinions.base.size() * Counters::kCounters);
  for (size_t b = 0; b < opinions.base.size(); ++b) {
    const double base = Logit(opinions.base[b]);
    out.base.push_back(static_cast<int16_t>(Rounded(base * kBaseScale)));
    for (const auto& of : opinions.of) {
      const uint16_t of_class = ClassOf(of[b].reached);
      out.counters.push_back(Packed(of_class == 0 ? 0 : Logit(of[b].hazard) - base, of_class));
    }
  }
  return out;
}

// The logit of ending in this bucket, without the correction of work.
double RunModel::LogitOf(const Terms& terms, size_t bucket, size_t zone) const {
  double out = ValueOf(weights_.base[zone]) * (terms.base[bucket] / kBaseScale) +
               ValueOf(weights_.constant[zone]);
  const uint16_t* of = terms.counters.data() + bucket * Counters::kCounters;
  for (size_t i = 0; i < Counters::kCounters; ++i) {
    out += ValueOf(weights_.counters[i][ClassIn(of[i])][zone]) * DistanceOf(of[i]);
  }
  return out;
}

// The logits of ending in each bucket, as they are stored.
std::vector<int16_t> RunModel::Mix(const Terms& terms) const {
  const size_t top = terms.base.size() - 1;
  std::vector<int16_t> out;
  out.reserve(top + 1);
  for (size_t b = 0; b <= top; ++b) {
    const double logit = LogitOf(terms, b, ZoneOf(b, top)) + ValueOf(work_);
    out.push_back(static_cast<int16_t>(
        Rounded(std::clamp<double>(logit, -kLogitMost, kLogitMost) * kBaseScale)));
  }
  return out;
}

RunTime RunModel::RunTimeOf(const Shape& shape, const std::vector<int16_t>& logits) {
  Chances chances{};
  double left = 1;
  for (size_t b = 0; b < logits.size(); ++b) {
    chances[b] = left * Sigmoid(logits[b] / kBaseScale);
    left -= chances[b];
  }
  chances[kBuckets] = left;
  return RunTime(shape.asked, chances);
}

RunTime RunModel::Of(const Shape& shape, Instant now) const {
  return RunTimeOf(shape, Mix(TermsOf(shape, now)));
}

std::optional<RunTime> RunModel::AsSubmitted(Job job) const {
  const auto at = live_.find(job);
  if (at == live_.end()) return std::nullopt;
  return RunTimeOf(at->second.shape, at->second.noted->said);
}

const Shape* RunModel::ShapeOf(Job job) const {
  const auto at = live_.find(job);
  return at == live_.end() ? nullptr : &at->second.shape;
}

void RunModel::Submit(Job job, const Shape& shape, Instant at) {
  Forget(job);
  if (at != noted_at_) noted_.clear();
  noted_at_ = at;
  std::shared_ptr<const Noted>& noted = noted_[shape];
  if (!noted) {
    Terms terms = TermsOf(shape, at);
    std::vector<int16_t> said = Mix(terms);
    const double expected = RunTimeOf(shape, said).Mean();
    noted = std::make_shared<const Noted>(Noted{std::move(terms), std::move(said), expected});
  }
  Live& live = live_[job];
  live.shape = shape;
  live.noted = noted;
}

void RunModel::Start(Job job, Instant at, int64_t speed) {
  const auto live = live_.find(job);
  if (live == live_.end()) return;
  live->second.since = at;
  live->second.speed = speed;
  running_[live->second.shape.user].insert(job);
  noted_.clear();
}

void RunModel::Stop(Job job) {
  const auto live = live_.find(job);
  if (live == live_.end() || !live->second.since) return;
  live->second.since.reset();
  const auto running = running_.find(live->second.shape.user);
  running->second.erase(job);
  if (running->second.empty()) running_.erase(running);
  noted_.clear();
}

void RunModel::Forget(Job job) {
  Stop(job);
  live_.erase(job);
}

void RunModel::End(Job job, Span ran) {
  const auto at = live_.find(job);
  if (at == live_.end()) return;
  Stop(job);
  const Live live = std::move(at->second);
  live_.erase(at);
  ran = OutcomeOf(ran, live.shape.asked);
  LearnWork(live, ran);
  LearnWeights(live, ran);
  ++learned_;
  counters_.Learn(live.shape, ran);
  noted_.clear();
}

void RunModel::LearnWeights(const Live& live, Span ran) {
  const Terms& terms = live.noted->terms;
  const size_t top = terms.base.size() - 1;
  const bool limit = ran >= live.shape.asked;
  const size_t end = limit ? top : std::min(top, BucketOf(ran));
  const double smaller = 1 / std::sqrt(1 + static_cast<double>(learned_) / kStepOutcomes);
  const double step = kWeightStep * std::max(kLeastStep, smaller);
  for (size_t b = 0; b <= end; ++b) {
    const size_t zone = ZoneOf(b, top);
    const double chance = Sigmoid(LogitOf(terms, b, zone));
    const double by = step * ((b == end && !limit ? 1 : 0) - chance);
    weights_.base[zone] += FixedOf(kBaseStep * by * (terms.base[b] / kBaseScale));
    weights_.constant[zone] += FixedOf(kBaseStep * by);
    const uint16_t* of = terms.counters.data() + b * Counters::kCounters;
    for (size_t i = 0; i < Counters::kCounters; ++i) {
      weights_.counters[i][ClassIn(of[i])][zone] += FixedOf(by * DistanceOf(of[i]));
    }
  }
}

void RunModel::LearnWork(const Live& live, Span ran) {
  const auto processors = static_cast<double>(live.shape.processors);
  const double work = processors * static_cast<double>(ran.seconds);
  const double expected = processors * live.noted->expected;
  expected_work_ += expected;
  ran_work_ += work;
  const double outcomes = std::min(static_cast<double>(learned_ + 1), kWorkOutcomes);
  mean_work_ += (work - mean_work_) / outcomes;
  const double error = std::clamp((expected - work) / mean_work_, -kWorkError, kWorkError);
  work_ = std::clamp(work_ + FixedOf(kWorkStep * error), FixedOf(-kWorkMost), FixedOf(kWorkMost));
}

}  // namespace muster::forecast
