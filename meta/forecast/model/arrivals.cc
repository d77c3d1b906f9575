// Requests that are still alive are left out of the past: they are in the plan already.
#include "meta/forecast/model/arrivals.h"

#include <algorithm>

#include "base/random.h"

namespace muster::forecast {
namespace {

constexpr Span kOneDay{86'400};
constexpr Span kWeek{7 * 86'400};

}  // namespace

void Arrivals::Erase(std::map<Key, Past>::iterator at) {
  came_.erase(at->first.second);
  past_.erase(at);
}

void Arrivals::Learn(Job job, Instant at, Newcomer who) {
  Forget(job);
  past_.emplace(Key{at, job}, Past{std::move(who), std::nullopt});
  came_.emplace(job, at);
  // One week more than can come again, so that a future still finds what follows.
  const Instant oldest = past_.rbegin()->first.first - Span{kWeek.seconds * (kWeeks + 1)};
  while (past_.size() > kMostKept || past_.begin()->first.first < oldest) Erase(past_.begin());
}

void Arrivals::Ended(Job job, Span ran) {
  const auto came = came_.find(job);
  if (came != came_.end()) past_.at({came->second, job}).ran = ran;
}

void Arrivals::Forget(Job job) {
  const auto came = came_.find(job);
  if (came != came_.end()) Erase(past_.find({came->second, job}));
}

std::optional<Span> Arrivals::ShiftOf(uint64_t seed, uint32_t sample, Instant now) const {
  if (past_.empty()) return std::nullopt;
  const Span known = now - past_.begin()->first.first;
  const bool weeks = known >= kWeek;
  const Span unit = weeks ? kWeek : kOneDay;
  const int64_t most = std::min(known.seconds / unit.seconds, weeks ? kWeeks : int64_t{6});
  if (most < 1) return std::nullopt;
  // Neighbouring futures take different weeks, so that each week comes equally often.
  const uint64_t draw = (Mixed(seed, 0x7765656b) + sample) % static_cast<uint64_t>(most);
  return Span{(static_cast<int64_t>(draw) + 1) * unit.seconds};
}

const std::pair<const Arrivals::Key, Arrivals::Past>* Arrivals::After(const Key& key) const {
  for (auto at = past_.upper_bound(key); at != past_.end(); ++at) {
    if (at->second.ran) return &*at;
  }
  return nullptr;
}

}  // namespace muster::forecast
