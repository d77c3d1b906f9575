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

bool UnderFloor(const Share& share, const Part& part) {
  return share.floor && part.counts.value_or(0) < *share.floor * kThousand;
}

}  // namespace muster::policy
