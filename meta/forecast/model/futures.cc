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

}  // namespace

uint64_t KinOf(const Shape& shape) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : shape.user) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
  return Mixed(Mixed(hash, static_cast<uint64_t>(shape.processors)),
               static_cast<uint64_t>(shape.asked.seconds));
}

double DrawOf(uint64_t seed, const Runner& runner, uint32_t sample) {
  const uint64_t future = Mixed(seed, sample + 1);
  const uint64_t own = Mixed(future, runner.request);
  if (runner.elapsed > Span{0}) return Uniform(own);
  const bool with_kin = Uniform(Mixed(own, 1)) < kKinShare;
  return Uniform(with_kin ? Mixed(future, runner.kin ^ 0x6b696e) : own);
}

Backfilling FutureOf(const Backfilling& plan, std::span<const Runner> runners, uint64_t seed,
                     uint32_t sample) {
  Backfilling out = plan;
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
