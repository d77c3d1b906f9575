// All times here are those of booked windows, not starts, so that orders with different offsets can
// be compared.
#include "site/plan/frontier.h"

#include <algorithm>
#include <utility>

#include "site/plan/partition.h"

namespace muster::plan {
namespace {

// A release on more nodes than this counts without looking at whether they could take a set.
constexpr size_t kMostAsked = 8;

}  // namespace

std::optional<Frontier::Asked> Frontier::AskedBy(const Order& order, const Shape& shape) {
  if (shape.parts.size() != 1 || shape.parts.front().groups.size() != 1) return std::nullopt;
  const PartShape& part = shape.parts.front();
  const Part& ordered = order.parts.front();
  if (ordered.chunks.size() != 1 || ordered.set || part.restricted) return std::nullopt;
  const Group& group = part.groups.front();
  // `needs` leaves out what the machine has no word for: it would be taken for an order without it.
  if (group.hosts.empty()) return std::nullopt;
  const uint32_t units = part.partition.has_value() ? UnitsWanted(*part.partition) : 0;
  return Asked{{group.needs, ordered.chunks.front().properties, part.place, part.exclusive, units},
               group.count,
               part.shift,
               part.length};
}

void Frontier::Release(Interval booked, std::vector<uint32_t> nodes, const MostFree& most) {
  if (known_.empty() || booked.begin >= booked.end) return;
  releases_.Add({booked, std::move(nodes), most});
  releases_.KeepNewest(kMostReleases);
}

size_t Frontier::PlaceOf(const Kind& kind) const {
  const auto before = [](const std::shared_ptr<Known>& known, const Kind& k) {
    return known->kind < k;
  };
  const auto at = std::lower_bound(known_.begin(), known_.end(), kind, before);
  return static_cast<size_t>(at - known_.begin());
}

Frontier::Known& Frontier::Mutable(size_t place) {
  std::shared_ptr<Known>& known = known_[place];
  if (known.use_count() > 1) known = std::make_shared<Known>(*known);
  return *known;
}

void Frontier::AddReleased(Shown& shown, const Interval& booked) {
  std::vector<Interval>& all = shown.released;
  const auto ends_before = [](const Interval& a, Instant t) { return a.end < t; };
  const auto low = std::lower_bound(all.begin(), all.end(), booked.begin, ends_before);
  auto high = low;
  Interval joined = booked;
  for (; high != all.end() && high->begin <= booked.end; ++high) {
    joined.begin = std::min(joined.begin, high->begin);
    joined.end = std::max(joined.end, high->end);
  }
  if (low == high) {
    all.insert(low, joined);
  } else {
    *low = joined;
    all.erase(low + 1, high);
  }
  if (all.size() <= kMostReleased) return;
  size_t nearest = 0;
  for (size_t i = 1; i + 1 < all.size(); ++i) {
    const auto gap = [&all](size_t at) { return all[at + 1].begin - all[at].end; };
    if (gap(i) < gap(nearest)) nearest = i;
  }
  all[nearest].end = all[nearest + 1].end;
  all.erase(all.begin() + static_cast<long>(nearest) + 1);
}

// Applies all releases since the last call, and drops proofs that missed some. A release counts
// against a proof if one of its nodes could now take a set in a window of the proof's length that
// meets the release. Then it also counts against all proofs of lesser lengths. Proofs of longer
// lengths stay: such windows do not fit there until something else is released, which then counts
// itself.
void Frontier::CatchUp(Known& known, const Takes& takes) const {
  const Kind& kind = known.kind;
  std::vector<Shown>& all = known.shown;
  if (known.stamp < releases_.first()) all.clear();
  Instant last{INT64_MIN};
  for (const Shown& shown : all) {
    last = std::max(last, shown.until >= kFarFuture ? kFarFuture : shown.until + shown.length);
  }
  for (; known.stamp < releases_.end() && !all.empty(); ++known.stamp) {
    const Given& given = releases_[known.stamp];
    if (given.booked.begin >= last || !MayFit(kind.needs, given.most)) continue;
    const auto counts = [&](const Shown& shown) {
      return given.nodes.size() > kMostAsked ||
             std::any_of(given.nodes.begin(), given.nodes.end(),
                         [&](uint32_t node) { return takes(node, shown.length, given.booked); });
    };
    const auto longer = std::partition_point(all.begin(), all.end(), counts);
    if (longer == all.begin()) continue;
    for (auto shown = all.begin(); shown != longer; ++shown) AddReleased(*shown, given.booked);
    // Drops proofs of which more than half is open again.
    std::erase_if(all, [](const Shown& shown) {
      return OpenWithin(shown, shown.length).seconds > (shown.until - shown.from).seconds / 2;
    });
  }
  known.stamp = releases_.end();
}

// How much of a proof is open again for windows of that length.
Span Frontier::OpenWithin(const Shown& shown, Span length) {
  Span open{0};
  Instant at = shown.from;
  for (const Interval& r : shown.released) {
    const Instant begin = std::max(at, r.begin - length + Span{1});
    const Instant end = std::min(shown.until, r.end);
    if (begin >= end) continue;
    open = open + (end - begin);
    at = end;
  }
  return open;
}

IntervalSet Frontier::Open(const Asked& asked, Instant from, std::optional<Interval> given,
                           const Takes& takes) {
  const size_t place = PlaceOf(asked.kind);
  if (place == known_.size() || known_[place]->kind != asked.kind) return IntervalSet::From(from);
  Known& known = Mutable(place);
  CatchUp(known, takes);
  const Instant begin = from + asked.shift;
  const Shown* best = nullptr;
  Span most{0};
  for (const Shown& shown : known.shown) {
    if (shown.count > asked.count || shown.length > asked.length || shown.from > begin) continue;
    const Span closed = shown.until - begin - OpenWithin(shown, asked.length);
    if (closed <= most) continue;
    best = &shown;
    most = closed;
  }
  if (best == nullptr) return IntervalSet::From(from);
  std::vector<Interval> open{{best->until, kFarFuture}};
  const auto add = [&](const Interval& r) {
    open.push_back({std::max(begin, r.begin - asked.length + Span{1}), std::max(begin, r.end)});
  };
  for (const Interval& r : best->released) add(r);
  if (given.has_value() && given->begin < given->end) open.push_back(*given);
  return IntervalSet(std::move(open)).Shifted(Span{0} - asked.shift);
}

void Frontier::Learn(const Asked& asked, Instant from, Instant until, const Takes& takes) {
  if (from >= until) return;
  size_t place = PlaceOf(asked.kind);
  if (place == known_.size() || known_[place]->kind != asked.kind) {
    if (known_.size() >= kMostKinds) {
      known_.clear();
      place = 0;
    }
    auto own = std::make_shared<Known>();
    own->kind = asked.kind;
    own->stamp = releases_.end();
    known_.insert(known_.begin() + static_cast<long>(place), std::move(own));
  }
  Known& known = Mutable(place);
  CatchUp(known, takes);
  std::vector<Shown>& all = known.shown;
  const Shown now{asked.count, asked.length, from + asked.shift, until + asked.shift, {}};
  // Drops proofs that the new one implies.
  std::erase_if(all, [&now](const Shown& s) {
    return s.count >= now.count && s.length >= now.length && s.from >= now.from &&
           s.until <= now.until;
  });
  if (all.size() >= kMostShown) {
    const auto closed = [](const Shown& s) { return s.until - s.from - OpenWithin(s, s.length); };
    all.erase(std::min_element(all.begin(), all.end(), [&](const Shown& a, const Shown& b) {
      return closed(a) < closed(b);
    }));
  }
  const auto shorter = [](const Shown& a, const Shown& b) { return a.length < b.length; };
  all.insert(std::upper_bound(all.begin(), all.end(), now, shorter), now);
}

}  // namespace muster::plan
