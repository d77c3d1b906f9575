// Times here are those of booked windows, so that orders with other offsets compare.
#include "site/plan/frontier.h"

#include <algorithm>

namespace muster::plan {

std::optional<Frontier::Asked> Frontier::AskedBy(const Order& order, const Shape& shape) {
  if (shape.parts.size() != 1 || shape.parts.front().groups.size() != 1) return std::nullopt;
  const PartShape& part = shape.parts.front();
  const Part& ordered = order.parts.front();
  if (ordered.chunks.size() != 1 || !ordered.group.empty()) return std::nullopt;
  const Group& group = part.groups.front();
  return Asked{{group.needs, ordered.chunks.front().properties, part.place, part.exclusive},
               group.count,
               part.shift,
               part.length};
}

// A window that begins no later than that does not reach what was released.
Instant Frontier::Shown::Bound(Span of_length) const {
  return std::min(until, released - of_length + Span{1});
}

Instant Frontier::Known(const Asked& asked, Instant from, Instant given) const {
  const auto it = known_.find(asked.kind);
  if (it == known_.end()) return from;
  const Instant begin = from + asked.shift;
  Instant known = begin;
  for (const Shown& shown : it->second) {
    if (shown.count > asked.count || shown.length > asked.length || shown.from > begin) continue;
    Instant bound = shown.Bound(asked.length);
    if (given < kFarFuture) bound = std::min(bound, given - asked.length + Span{1});
    known = std::max(known, bound);
  }
  return known - asked.shift;
}

void Frontier::Learn(const Asked& asked, Instant from, Instant until) {
  if (from >= until) return;
  if (known_.size() >= kMostKinds && !known_.contains(asked.kind)) known_.clear();
  std::vector<Shown>& all = known_[asked.kind];
  const Shown now{asked.count, asked.length, from + asked.shift, until + asked.shift, kFarFuture};
  // What says nothing more than this.
  std::erase_if(all, [&now](const Shown& s) {
    return s.count >= now.count && s.length >= now.length && s.from >= now.from &&
           s.Bound(s.length) <= now.until;
  });
  const bool said = std::any_of(all.begin(), all.end(), [&now](const Shown& s) {
    return s.count <= now.count && s.length <= now.length && s.from <= now.from &&
           s.Bound(now.length) >= now.until;
  });
  if (said) return;
  if (all.size() >= kMostShown) {
    const auto least = std::min_element(all.begin(), all.end(), [](const Shown& a, const Shown& b) {
      return a.Bound(a.length) < b.Bound(b.length);
    });
    all.erase(least);
  }
  all.push_back(now);
}

void Frontier::Release(Instant begin) {
  for (auto& [kind, all] : known_) {
    for (Shown& shown : all) shown.released = std::min(shown.released, begin);
  }
}

}  // namespace muster::plan
