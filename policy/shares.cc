// Sums go through 128 bits, so that no amount overflows.
#include "policy/shares.h"

#include <algorithm>

#include "policy/fading.h"
#include "policy/share_tree.h"

namespace muster::policy {
namespace {

constexpr int64_t kThousand = 1000;

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

// A course as time goes on: what is coming falls into the windows in which it lies.
class Rolling {
 public:
  Rolling(const FairshareRules& rules, const Course& course, Instant now)
      : rules_(rules), course_(course), now_(now), by_window_(course.by_window) {}

  // The present window, from `begin` on, is over at `end`: another one is the present one.
  void Roll(Instant begin, Instant end) {
    if (by_window_.empty()) by_window_.push_back(0);
    for (const Coming& coming : course_.coming) {
      by_window_.front() += Within(coming, std::max(begin, now_), end);
    }
    by_window_.insert(by_window_.begin(), 0);
    const auto depth = static_cast<size_t>(std::max(rules_.depth, 1));
    if (by_window_.size() > depth) by_window_.resize(depth);
  }
  Use At(Instant at) const {
    Use out{.by_window = by_window_};
    for (const Coming& coming : course_.coming) {
      if (coming.from < at + rules_.window) out.booked += Within(coming, at, coming.to);
    }
    return out;
  }

 private:
  const FairshareRules& rules_;
  const Course& course_;
  const Instant now_;
  std::vector<int64_t> by_window_;
};

// Roll-overs that are looked at besides those by which all of today has faded.
constexpr int kMostRolls = 366;

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
  return {.counts = Millionths(FadedWithBooked(rules, own), FadedWithBooked(rules, all)),
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
  const int64_t most = share.ceiling.value_or(kThousand) * kThousand;
  Rolling of_own(rules, own, now);
  Rolling of_all(rules, all, now);
  const auto fits = [&](Instant at) {
    return PartOf(rules, of_own.At(at), of_all.At(at)).counts.value_or(0) <= most;
  };
  if (fits(now)) return now;
  Instant begin = WindowOf(rules, zone, now);
  for (int rolled = 0; rolled < rules.depth + kMostRolls; ++rolled) {
    const Instant next = NextWindow(rules, zone, begin);
    of_own.Roll(begin, next);
    of_all.Roll(begin, next);
    begin = next;
    if (fits(begin)) break;
  }
  return begin;
}

bool UnderFloor(const Share& share, const Part& part) {
  return share.floor && part.counts.value_or(0) < *share.floor * kThousand;
}

std::vector<Standing> StandingsOf(const FairshareRules& rules, const Uses& uses) {
  std::vector<Standing> out;
  std::vector<int64_t> counts;
  for (size_t i = 0; i < rules.shares.size(); ++i) {
    const Share& share = rules.shares[i];
    const Part part = PartOf(rules, uses.own[i], uses.all);
    counts.push_back(part.counts.value_or(0));
    out.push_back({part, ShareValue(share, part), UnderFloor(share, part)});
  }
  if (!rules.tree) return out;
  const std::vector<int64_t> values = TreeValues(rules.shares, counts);
  for (size_t i = 0; i < out.size(); ++i) out[i].value = values[i];
  return out;
}

}  // namespace muster::policy
