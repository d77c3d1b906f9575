// Sums go through 128 bits, so that no amount overflows.
#include "policy/shares.h"

#include <algorithm>

namespace muster::policy {
namespace {

__extension__ using Wide = __int128;
constexpr int64_t kThousand = 1000;

// Σ δ^k · use of window k, in millionths of the unit.
Wide Faded(const FairshareRules& rules, const std::vector<int64_t>& by_window) {
  Wide sum = 0;
  Wide weight = kMillion;
  const size_t depth = static_cast<size_t>(std::max(rules.depth, 1));
  for (size_t k = 0; k < std::min(by_window.size(), depth); ++k) {
    sum += weight * by_window[k];
    weight = weight * rules.decay / kThousand;
  }
  return sum;
}

std::optional<int64_t> Millionths(Wide own, Wide all) {
  if (all <= 0) return std::nullopt;
  return static_cast<int64_t>(std::clamp<Wide>(own * kMillion / all, 0, kMillion));
}

Instant NextWindow(const FairshareRules& rules, const Zone& zone, Instant begin) {
  // Half a window behind its end, so that a day of 25 hours is one day.
  return WindowOf(rules, zone, begin + rules.window + Span{rules.window.seconds / 2});
}

// The part of it that lies in the interval.
int64_t Within(const Coming& coming, Instant from, Instant to) {
  const Instant begin = std::max(coming.from, from);
  const Instant end = std::min(coming.to, to);
  if (begin >= end) return 0;
  const Wide share =
      Wide{coming.amount} * (end - begin).seconds / (coming.to - coming.from).seconds;
  return static_cast<int64_t>(share);
}

// The use as it will be at a begin of a window, `rolled` windows after the present one. `begins`:
// of the present window and the next ones.
Use At(const FairshareRules& rules, const Course& course, const std::vector<Instant>& begins,
       size_t rolled, Instant now) {
  Use out;
  out.by_window.resize(rolled + course.by_window.size());
  std::copy(course.by_window.begin(), course.by_window.end(),
            out.by_window.begin() + static_cast<std::ptrdiff_t>(rolled));
  const Instant at = rolled == 0 ? now : begins[rolled];
  for (const Coming& coming : course.coming) {
    for (size_t w = 0; w < rolled; ++w) {
      out.by_window[rolled - w] += Within(coming, std::max(begins[w], now), begins[w + 1]);
    }
    if (coming.from < at + rules.window) out.booked += Within(coming, at, coming.to);
  }
  return out;
}

}  // namespace

Instant WindowOf(const FairshareRules& rules, const Zone& zone, Instant at) {
  const int64_t local = (at + zone.OffsetAt(at)).seconds;
  const int64_t length = std::max<int64_t>(rules.window.seconds, 1);
  const int64_t begin = (local - (local % length + length) % length);
  return zone.FirstShowing(Instant{begin});
}

std::vector<Instant> WindowsAt(const FairshareRules& rules, const Zone& zone, Instant at) {
  std::vector<Instant> out{WindowOf(rules, zone, at)};
  while (out.size() < static_cast<size_t>(std::max(rules.depth, 1))) {
    out.push_back(WindowOf(rules, zone, out.back() - Span{1}));
  }
  return out;
}

Part PartOf(const FairshareRules& rules, const Use& own, const Use& all) {
  const Wide used = Faded(rules, own.by_window);
  const Wide all_used = Faded(rules, all.by_window);
  const Wide booked = Wide{own.booked} * rules.booked * kThousand;
  const Wide all_booked = Wide{all.booked} * rules.booked * kThousand;
  return {.counts = Millionths(used + booked, all_used + all_booked),
          .used = Millionths(used, all_used),
          .booked = Millionths(own.booked, all.booked)};
}

int64_t ShareValue(const Share& share, const Part& part) {
  const int64_t wanted = std::max<int64_t>(share.Wanted(), 1) * kThousand;
  int64_t value = kThousand;
  if (part.counts) {
    value = std::clamp((wanted - *part.counts) * kThousand / wanted, -kThousand, kThousand);
  }
  if (share.floor) return std::max<int64_t>(value, 0);
  if (share.ceiling) return std::min<int64_t>(value, 0);
  return value;
}

Instant AdmittedFrom(const FairshareRules& rules, const Zone& zone, const Share& share,
                     const Course& own, const Course& all, Instant now) {
  std::vector<Instant> begins{WindowOf(rules, zone, now)};
  const int64_t most = share.ceiling.value_or(kThousand) * kThousand;
  const auto fits = [&](size_t rolled) {
    const Part part =
        PartOf(rules, At(rules, own, begins, rolled, now), At(rules, all, begins, rolled, now));
    return part.counts.value_or(0) <= most;
  };
  if (fits(0)) return now;
  // Once all windows of today are gone and all that is coming is over, nothing is known.
  Instant last = begins.front();
  for (const Coming& coming : all.coming) last = std::max(last, coming.to);
  for (size_t rolled = 1;; ++rolled) {
    begins.push_back(NextWindow(rules, zone, begins.back()));
    if (fits(rolled)) return begins.back();
    const auto depth = static_cast<size_t>(std::max(rules.depth, 1));
    if (begins.back() > last && rolled > 2 * depth) return begins.back();
  }
}

bool UnderFloor(const Share& share, const Part& part) {
  return share.floor && part.counts.value_or(0) < *share.floor * kThousand;
}

}  // namespace muster::policy
