// Scores of one user and day share a voice. Requests submitted together come out alike, so a burst
// of them counts as one observation.
#include "meta/forecast/model/calibration.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace muster::forecast {
namespace {

constexpr int64_t kDay = 86'400;
constexpr double kSoftening = 60;      // s, added to each wait: a minute hardly matters
constexpr double kLeastSpread = 0.15;  // added to the spread: equal samples may all be wrong
// With fewer scores, the two of kUnheard included, the samples' logarithms are taken as normal.
constexpr size_t kFewScores = 20;
// A band with fewer scores borrows those of others until it has twice this many.
constexpr size_t kBandLeast = 80;
constexpr double kUnheard = 3.5;  // Two scores of weight 1 at +-kUnheard stand for what was not
                                  // seen yet: after n voices the next one lies outside with
                                  // probability 2 / (n + 1).
constexpr double kNormalTenth = 1.28;  // 10 % lie above it
constexpr double kStep = 0.01;         // change of the level per judgement
constexpr double kPull = 3;            // how strongly the level reacts to past misses
constexpr double kMostLevel = 1.2;     // the highest level, as a multiple of the misses wanted
constexpr double kByChance = 1;        // spreads by which past medians may be off by chance
constexpr int kSplits = 20;            // tried divisions of the misses between both ends

double LogOf(Span wait) { return std::log(static_cast<double>(wait.seconds) + kSoftening); }
double WaitOf(double log) { return std::exp(log) - kSoftening; }

double QuantileOf(std::span<const double> ascending, double share) {
  const double at = share * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<size_t>(at);
  if (below + 1 >= ascending.size()) return ascending.back();
  const double part = at - static_cast<double>(below);
  return ascending[below] * (1 - part) + ascending[below + 1] * part;
}

// So much of a normal distribution lies below the result, in standard deviations.
double NormalQuantile(double share) {
  double low = -6;
  double high = 6;
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(-middle / std::sqrt(2.0)) / 2 < share ? low : high) = middle;
  }
  return low;
}

int64_t Millionths(double value) { return std::llround(value * 1e6); }
int32_t Thousandths(double value) {
  return static_cast<int32_t>(std::lround(std::clamp(value, -1e5, 1e5) * 1e3));
}

}  // namespace

uint64_t VoiceOf(const std::string& user, Instant at) {
  // FNV-1a: the same on every machine.
  uint64_t hash = 0xcbf29ce484222325u;
  const auto mix = [&hash](uint8_t byte) { hash = (hash ^ byte) * 0x100000001b3u; };
  for (const char c : user) mix(static_cast<uint8_t>(c));
  auto day = static_cast<uint64_t>(at.seconds / kDay);
  for (int i = 0; i < 4; ++i, day >>= 8) mix(static_cast<uint8_t>(day));
  return hash;
}

Calibration::Calibration(double confidence) : miss_target_(1 - std::clamp(confidence, 0.5, 0.99)) {
  state_.level_millionths = Millionths(miss_target_);
}

void Calibration::Aim(double confidence) {
  const double target = 1 - std::clamp(confidence, 0.5, 0.99);
  if (target == miss_target_) return;
  miss_target_ = target;
  state_.level_millionths = Millionths(miss_target_);
}

void Calibration::Restore(State state) {
  state_ = std::move(state);
  prepared_.clear();
  for (const Score& score : state_.scores) {
    if (!prepared_.contains(score.band)) Prepare(score.band);
  }
}

std::vector<Calibration::Weighed> Calibration::ScoresOf(int32_t band) const {
  std::vector<const Score*> chosen;
  size_t of_band = 0;
  for (auto it = state_.scores.rbegin(); it != state_.scores.rend(); ++it) {
    if (it->band != band || of_band == kBandScores) continue;
    ++of_band;
    chosen.push_back(&*it);
  }
  if (of_band < kBandLeast) {
    for (auto it = state_.scores.rbegin();
         it != state_.scores.rend() && chosen.size() < 2 * kBandLeast; ++it) {
      if (it->band != band) chosen.push_back(&*it);
    }
  }
  std::vector<uint64_t> voices;
  voices.reserve(chosen.size());
  for (const Score* score : chosen) voices.push_back(score->voice);
  std::sort(voices.begin(), voices.end());
  std::vector<Weighed> out;
  out.reserve(chosen.size());
  for (const Score* score : chosen) {
    const auto [first, last] = std::equal_range(voices.begin(), voices.end(), score->voice);
    out.push_back({score->thousandths / 1e3, 1 / static_cast<double>(last - first)});
  }
  if (!out.empty()) out.insert(out.end(), {{-kUnheard, 1}, {kUnheard, 1}});
  std::sort(out.begin(), out.end(),
            [](const Weighed& a, const Weighed& b) { return a.score < b.score; });
  double sum = 0;
  for (Weighed& weighed : out) weighed.up_to = sum += weighed.up_to;
  return out;
}

void Calibration::Prepare(int32_t band) {
  const auto known =
      static_cast<size_t>(std::count_if(state_.scores.begin(), state_.scores.end(),
                                        [band](const Score& score) { return score.band == band; }));
  if (known >= kBandLeast) {
    prepared_[band] = ScoresOf(band);
  } else {
    prepared_.erase(band);
  }
}

Forecast Calibration::Of(std::span<const Span> samples, Span bound) const {
  std::vector<double> logs;
  logs.reserve(samples.size());
  for (const Span wait : samples) logs.push_back(LogOf(std::clamp(wait, Span{0}, bound)));
  Forecast out;
  const double centre = QuantileOf(logs, 0.5);
  const double below = (centre - QuantileOf(logs, 0.1)) / kNormalTenth + kLeastSpread;
  const double above = (QuantileOf(logs, 0.9) - centre) / kNormalTenth + kLeastSpread;
  out.centre_thousandths = Thousandths(centre);
  out.below_thousandths = Thousandths(below);
  out.above_thousandths = Thousandths(above);
  out.band = static_cast<int32_t>(std::floor(4 * (LogOf(bound) - centre)));
  const auto at = [&](double score) {
    return WaitOf(centre + score * (score < 0 ? below : above));
  };

  const auto within = [&](double wait) {
    return std::clamp(wait, 0.0, static_cast<double>(bound.seconds));
  };

  const auto ready = prepared_.find(out.band);
  const std::vector<Weighed> scores =
      ready == prepared_.end() ? ScoresOf(out.band) : std::vector<Weighed>();
  const std::vector<Weighed>& known = ready == prepared_.end() ? scores : ready->second;
  double middle = 0;
  double before = NormalQuantile(miss_target_ / 2);
  double after = -before;
  if (known.size() >= kFewScores) {
    const auto quantile = [&known](double share) {
      const double weight = share * known.back().up_to * (1 - 1e-12);
      const auto found =
          std::lower_bound(known.begin(), known.end(), weight,
                           [](const Weighed& at, double value) { return at.up_to < value; });
      return found == known.end() ? known.back().score : found->score;
    };
    middle = quantile(0.5);
    const double level = static_cast<double>(state_.level_millionths) / 1e6;
    double shortest = 1e300;
    for (int split = 0; split <= kSplits; ++split) {
      const double early = level * split / kSplits;
      const double low = quantile(early);
      const double high = quantile(1 - level + early);
      const double length = within(at(high)) - within(at(low));
      if (length >= shortest) continue;
      shortest = length;
      before = low;
      after = high;
    }
  }
  // Deviations of up to kByChance spreads count as chance.
  const double off = middle - std::clamp(middle, -kByChance, kByChance);
  const auto told = [&](double score) { return Span{std::llround(within(at(score)))}; };
  out.low = told(before);
  out.high = told(after);
  out.median = std::clamp(told(off), out.low, out.high);
  return out;
}

void Calibration::Judge(bool held) {
  state_.misses.push_back(held ? 0 : 1);
  if (state_.misses.size() > kJudged) state_.misses.pop_front();
  size_t missed = 0;
  for (const uint8_t miss : state_.misses) missed += miss;
  const double rate = static_cast<double>(missed) / static_cast<double>(state_.misses.size());
  const double goal = std::max(miss_target_ / 5, miss_target_ - kPull * (rate - miss_target_));
  const double level =
      static_cast<double>(state_.level_millionths) / 1e6 + kStep * (goal - (held ? 0 : 1));
  // Hardly above the target: a run of easy forecasts must not make intervals too narrow for the
  // next burst.
  state_.level_millionths =
      Millionths(std::clamp(level, miss_target_ / 50, kMostLevel * miss_target_));
}

void Calibration::Learn(const Forecast& said, uint64_t voice, Span waited) {
  const double off = LogOf(std::max(Span{0}, waited)) - said.centre_thousandths / 1e3;
  const int32_t spread = off < 0 ? said.below_thousandths : said.above_thousandths;
  if (spread <= 0) return;
  const double score = off / (spread / 1e3);
  state_.scores.push_back({said.band, Thousandths(score), voice});
  if (state_.scores.size() > kScores) {
    const int32_t oldest = state_.scores.front().band;
    state_.scores.pop_front();
    if (oldest != said.band) Prepare(oldest);
  }
  Prepare(said.band);
}

}  // namespace muster::forecast
