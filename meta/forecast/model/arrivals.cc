// Arrivals within an hour are a Poisson process with a constant rate.
#include "meta/forecast/model/arrivals.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/random.h"

namespace muster::forecast {
namespace {

constexpr int64_t kHour = 3600;
constexpr double kMostAnHour = 200;

int64_t HourOf(Instant t) {
  return t.seconds >= 0 ? t.seconds / kHour : (t.seconds - kHour + 1) / kHour;
}

size_t OfWeek(int64_t hour) {
  constexpr auto kHours = static_cast<int64_t>(Arrivals::kHours);
  return static_cast<size_t>((hour % kHours + kHours) % kHours);
}

uint64_t HashOf(const std::string& text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
  return hash;
}

double Uniform(Random& random) { return static_cast<double>(random.Next() >> 11) * 0x1p-53; }

}  // namespace

void Arrivals::Learn(const std::string& queue, Instant at, Newcomer who) {
  Queue& to = queues_[queue];
  to.first = to.all == 0 ? at : std::min(to.first, at);
  ++to.all;
  ++to.came[OfWeek(HourOf(at))];
  to.last.push_back(std::move(who));
  if (to.last.size() > kKept) to.last.pop_front();
}

double Arrivals::RateAt(const std::string& queue, Instant at, Instant now) const {
  const auto it = queues_.find(queue);
  if (it == queues_.end() || it->second.all < kLeast) return 0;
  const Queue& of = it->second;
  const double hours =
      std::max(1.0, static_cast<double>((now - of.first).seconds) / static_cast<double>(kHour));
  const double mean = of.all / hours;
  const double weeks = hours / static_cast<double>(kHours);
  return std::min(kMostAnHour, (of.came[OfWeek(HourOf(at))] + mean) / (weeks + 1));
}

std::vector<Arrival> Arrivals::Draw(const std::vector<std::string>& queues, uint64_t seed,
                                    uint32_t sample, Instant now, Instant until) const {
  std::vector<Arrival> out;
  if (now >= until) return out;
  for (const std::string& name : queues) {
    const auto it = queues_.find(name);
    if (it == queues_.end() || it->second.all < kLeast) continue;
    const std::deque<Newcomer>& last = it->second.last;
    const uint64_t own = Mixed(Mixed(seed, sample + 1), HashOf(name));
    size_t drawn = 0;
    for (int64_t hour = HourOf(now); drawn < kMost && hour * kHour < until.seconds; ++hour) {
      Random random(Mixed(own, static_cast<uint64_t>(hour)));
      const double rate = RateAt(name, Instant{hour * kHour}, now);
      // Gaps between arrivals are exponential. Arrivals before `now` are drawn but left out, so
      // that later ones get the same random numbers as before.
      for (double t = -std::log1p(-Uniform(random)); t < rate; t -= std::log1p(-Uniform(random))) {
        const Instant at{hour * kHour + static_cast<int64_t>(t / rate * kHour)};
        const Newcomer& who = last[random.Below(last.size())];
        const uint64_t draw = random.Next();
        if (at < now || at >= until) continue;
        out.push_back({at, name, who, draw});
        ++drawn;
      }
    }
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Arrival& a, const Arrival& b) { return a.at < b.at; });
  if (out.size() > kMost) out.resize(kMost);
  return out;
}

}  // namespace muster::forecast
