// Waiting kin share a draw in some futures only, because their run times are similar but not equal.
#include "meta/forecast/model/futures.h"

#include <string>

#include "base/random.h"

namespace muster::forecast {
namespace {

// Share of futures in which a waiting request draws together with its kin. At 0, hundreds of like
// requests submitted together would average out to a false certainty.
constexpr double kKinShare = 0.6;

double Uniform(uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

// A draw for this future, from a stratum of its own among kSamples futures: each of these draws
// once from each thirty-second of [0, 1), in an order that depends on the key. So 32 futures tell
// as much as some more that draw freely.
double DrawFrom(uint64_t seed, uint64_t key, uint32_t sample) {
  static_assert(kSamples == 32, "five bits are shuffled");
  uint64_t keys = Mixed(Mixed(seed, sample / kSamples), key);
  uint64_t stratum = sample % kSamples;
  for (int round = 0; round < 3; ++round) {
    stratum = (stratum * (2 * (keys & 15) + 1) + ((keys >> 4) & 31)) & 31;
    stratum ^= stratum >> 2;
    keys >>= 9;
  }
  const double within = Uniform(Mixed(Mixed(seed, sample + 1), key));
  return (static_cast<double>(stratum) + within) / static_cast<double>(kSamples);
}

}  // namespace

uint64_t KinOf(const Shape& shape) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : shape.user) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
  return Mixed(Mixed(hash, static_cast<uint64_t>(shape.processors)),
               static_cast<uint64_t>(shape.asked.seconds));
}

double DrawOf(uint64_t seed, const Runner& runner, uint32_t sample) {
  if (runner.elapsed == Span{0}) {
    const uint64_t own = Mixed(Mixed(seed, sample + 1), runner.request);
    if (Uniform(Mixed(own, 1)) < kKinShare) return DrawFrom(seed, runner.kin ^ 0x6b696e, sample);
  }
  return DrawFrom(seed, runner.request, sample);
}

Backfilling FutureOf(const Backfilling& plan, std::span<const Runner> runners, uint64_t seed,
                     uint32_t sample) {
  Backfilling out = plan;
  out.RoundEnds();
  for (size_t i = 0; i < runners.size(); ++i) {
    const double draw = DrawOf(seed, runners[i], sample);
    const Runner& runner = runners[i];
    const Span elapsed{runner.elapsed.seconds * runner.speed / 1000};
    const Span runs = runner.run_time.Quantile(draw, elapsed);
    out.SetRuns(static_cast<Backfilling::Job>(i),
                {(runs.seconds * 1000 + runner.speed - 1) / runner.speed});
  }
  return out;
}

}  // namespace muster::forecast
