// U. Lublin, D. G. Feitelson, "The workload on parallel supercomputers: modeling the
// characteristics of rigid jobs", 2003. Gamma variates use the method of Marsaglia and Tsang; the
// incomplete gamma function uses its series and continued fraction. All draws come from muster's
// own generator, so equal seeds give equal traces on every machine.
#include "sim/replay/lublin.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/random.h"

namespace muster::sim {
namespace {

constexpr int kBuckets = 48;       // of a day, half an hour each
constexpr int kCyclicOffset = 11;  // buckets: the model's day begins with its quietest hour
constexpr double kBucketSeconds = 1800;
constexpr double kLongestRun = 12;      // exponent of e
constexpr double kLongestArrival = 13;  // exponent of e

struct Parameters {
  double serial, power_of_two;
  double low, medium, high, in_low;
  double a1, b1, a2, b2, pa, pb;
  double arrival_a, arrival_b, cycle_a, cycle_b, rush;
};

constexpr std::array<Parameters, 3> kParameters = {{
    {.serial = .244,
     .power_of_two = .576,
     .low = .8,
     .medium = 4.5,
     .high = 7,
     .in_low = .86,
     .a1 = 4.2,
     .b1 = .94,
     .a2 = 312,
     .b2 = .03,
     .pa = -.0054,
     .pb = .78,
     .arrival_a = 10.2303,
     .arrival_b = .4871,
     .cycle_a = 8.1737,
     .cycle_b = 3.9631,
     .rush = 1.0225},
    {.serial = .2927,
     .power_of_two = .6686,
     .low = 1.2,
     .medium = 5,
     .high = 7,
     .in_low = .875,
     .a1 = 6.57,
     .b1 = .823,
     .a2 = 639.1,
     .b2 = .0156,
     .pa = -.003,
     .pb = .6986,
     .arrival_a = 6.0415,
     .arrival_b = .8531,
     .cycle_a = 6.1271,
     .cycle_b = 5.2740,
     .rush = 1.0519},
    {.serial = .1541,
     .power_of_two = .625,
     .low = 1,
     .medium = 3,
     .high = 5.5,
     .in_low = .705,
     .a1 = 3.8351,
     .b1 = .6605,
     .a2 = 7.073,
     .b2 = .6856,
     .pa = -.0118,
     .pb = .9156,
     .arrival_a = 6.5510,
     .arrival_b = .6621,
     .cycle_a = 8.9186,
     .cycle_b = 3.6680,
     .rush = .9797},
}};

// Regularised lower incomplete gamma function.
double GammaShare(double a, double x) {
  if (x <= 0) return 0;
  const double front = std::exp(-x + a * std::log(x) - std::lgamma(a));
  constexpr int kTerms = 500;
  constexpr double kEnough = 1e-14;
  if (x < a + 1) {
    double term = 1 / a;
    double sum = term;
    for (int n = 1; n < kTerms && std::abs(term) > std::abs(sum) * kEnough; ++n) {
      term *= x / (a + n);
      sum += term;
    }
    return sum * front;
  }
  constexpr double kTiny = 1e-300;
  double b = x + 1 - a;
  double c = 1 / kTiny;
  double d = 1 / b;
  double h = d;
  for (int n = 1; n < kTerms; ++n) {
    const double an = -n * (n - a);
    b += 2;
    d = 1 / (std::abs(an * d + b) < kTiny ? kTiny : an * d + b);
    c = std::abs(b + an / c) < kTiny ? kTiny : b + an / c;
    h *= d * c;
    if (std::abs(d * c - 1) < kEnough) break;
  }
  return 1 - front * h;
}

class Draws {
 public:
  explicit Draws(uint64_t seed) : random_(seed) {}

  // Uniform in (0, 1).
  double Uniform() {
    constexpr double kSteps = 9007199254740992.0;  // 2^53
    return (static_cast<double>(random_.Next() >> 11) + 0.5) / kSteps;
  }
  double Between(double low, double high) { return low + (high - low) * Uniform(); }
  double Normal() {
    constexpr double kTwoPi = 6.283185307179586;
    return std::sqrt(-2 * std::log(Uniform())) * std::cos(kTwoPi * Uniform());
  }
  // REQUIRES: shape >= 1.
  double Gamma(double shape, double scale) {
    const double d = shape - 1.0 / 3;
    const double c = 1 / std::sqrt(9 * d);
    for (;;) {
      const double x = Normal();
      const double v = std::pow(1 + c * x, 3);
      if (v <= 0) continue;
      if (std::log(Uniform()) < x * x / 2 + d - d * v + d * std::log(v)) return scale * d * v;
    }
  }

 private:
  Random random_;
};

// One machine's stream of jobs.
class Stream {
 public:
  Stream(const Parameters& parameters, int64_t processors, uint64_t seed)
      : p_(parameters),
        processors_(processors),
        high_(std::log2(static_cast<double>(processors))),
        // The published parameters were fitted to machines of 2^high processors, so `medium` is
        // shifted.
        medium_(std::clamp(parameters.medium - parameters.high + high_, parameters.low, high_)),
        draws_(seed) {
    double sum = 0;
    for (int i = 0; i < kBuckets; ++i) {
      const double at = i + 0.5;
      weights_[i] = GammaShare(p_.cycle_a, (at + 0.5) / p_.cycle_b) -
                    GammaShare(p_.cycle_a, (at - 0.5) / p_.cycle_b);
      sum += weights_[i];
    }
    for (double& weight : weights_) weight *= kBuckets / sum;
  }

  SwfJob Next() {
    Arrive();
    SwfJob job;
    job.submitted = static_cast<int64_t>(clock_);
    job.processors = Size();
    job.ran = Runs(job.processors);
    job.asked = job.ran;
    return job;
  }

 private:
  // Advances the clock to the next arrival: points are spent on time buckets, each of which costs
  // its weight.
  void Arrive() {
    double exponent = 0;
    do {
      exponent = draws_.Gamma(p_.arrival_a * p_.rush, p_.arrival_b);
    } while (exponent > kLongestArrival);
    double points = std::exp(exponent) / kBucketSeconds;
    for (;;) {
      const auto whole = static_cast<int64_t>(clock_ / kBucketSeconds);
      const double weight = weights_[static_cast<size_t>((whole + kCyclicOffset) % kBuckets)];
      const double left = (static_cast<double>(whole + 1) - clock_ / kBucketSeconds) * weight;
      if (points < left) {
        clock_ += points / weight * kBucketSeconds;
        return;
      }
      points -= left;
      clock_ = static_cast<double>(whole + 1) * kBucketSeconds;
    }
  }

  int64_t Size() {
    if (draws_.Uniform() < p_.serial) return 1;
    const double log2_size = draws_.Uniform() < p_.in_low ? draws_.Between(p_.low, medium_)
                                                          : draws_.Between(medium_, high_);
    const bool round = draws_.Uniform() < p_.power_of_two;
    const double size = round ? std::exp2(std::round(log2_size)) : std::round(std::exp2(log2_size));
    return std::clamp(static_cast<int64_t>(size), int64_t{1}, processors_);
  }

  int64_t Runs(int64_t size) {
    const double first = std::clamp(p_.pa * static_cast<double>(size) + p_.pb, 0.0, 1.0);
    double exponent = 0;
    do {
      exponent = draws_.Uniform() < first ? draws_.Gamma(p_.a1, p_.b1) : draws_.Gamma(p_.a2, p_.b2);
    } while (exponent > kLongestRun);
    return std::max<int64_t>(1, static_cast<int64_t>(std::exp(exponent)));
  }

  const Parameters& p_;
  const int64_t processors_;
  const double high_;
  const double medium_;
  Draws draws_;
  std::array<double, kBuckets> weights_{};
  double clock_ = 0;
};

}  // namespace

std::optional<LublinKind> ParseLublinKind(std::string_view text) {
  if (text == "all") return LublinKind::kAll;
  if (text == "batch") return LublinKind::kBatch;
  if (text == "interactive") return LublinKind::kInteractive;
  return std::nullopt;
}

SwfTrace LublinTrace(const Lublin& model, uint64_t seed) {
  const Parameters& parameters = kParameters[static_cast<size_t>(model.kind)];
  std::vector<Stream> streams;
  std::vector<SwfJob> next;
  for (uint32_t home = 0; home < model.homes; ++home) {
    streams.emplace_back(parameters, model.processors, seed * 1000 + home);
    next.push_back(streams.back().Next());
  }
  SwfTrace out;
  Random users(seed ^ 0x75736572);
  constexpr uint64_t kUsers = 100;  // users per machine; the model has none
  while (out.jobs.size() < model.jobs) {
    size_t first = 0;
    for (size_t home = 1; home < next.size(); ++home) {
      if (next[home].submitted < next[first].submitted) first = home;
    }
    SwfJob job = next[first];
    next[first] = streams[first].Next();
    job.number = static_cast<int64_t>(out.jobs.size() + 1);
    job.user = static_cast<int64_t>(users.Below(kUsers) + first * kUsers);
    job.group = static_cast<int64_t>(first);
    job.partition = static_cast<int64_t>(first + 1) * 100;
    out.jobs.push_back(job);
  }
  out.counts.lines = out.jobs.size();
  return out;
}

}  // namespace muster::sim
