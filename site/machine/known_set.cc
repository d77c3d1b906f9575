// Branch and bound over the placements of the request and of those after it, each at its earliest
// start. Earliest starts by the table alone are lower bounds, since more busy units never make a
// start earlier.
#include "site/machine/known_set.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace muster::machine {
namespace {

// The cost of looking at one placement, in units of the budget.
uint64_t CostOf(const Geometry& geometry) { return (geometry.unit_count() + 63) / 64; }

struct Box {  // placed by the search
  Bits units;
  Instant begin;
  Instant end;
};

// The table with the placements that the search has made on top of it.
class Future {
 public:
  Future(const Geometry& geometry, const Timetable& table) : geometry_(geometry), table_(table) {}

  Bits FreeFor(const Wanted& wanted, Instant start) const {
    const Instant begin = start + wanted.shift;
    const Instant end = begin + wanted.length;
    Bits free = wanted.hosts - table_.Busy(begin, end);
    for (const Box& box : boxes_) {
      if (box.begin < end && begin < box.end) free -= box.units;
    }
    return free;
  }
  Instant Earliest(const Wanted& wanted, Instant from) const {
    for (Instant t = from; t < kFarFuture;) {
      if (geometry_.FirstWithin(wanted.forms, FreeFor(wanted, t)).has_value()) return t;
      const Instant begin = t + wanted.shift;
      Instant next = table_.NextRelease(begin);
      for (const Box& box : boxes_) {
        if (box.end > begin) next = std::min(next, box.end);
      }
      t = next >= kFarFuture ? kFarFuture : next - wanted.shift;
    }
    return kFarFuture;
  }
  void Push(const Wanted& wanted, Instant start, const Placement& placement) {
    const Instant begin = start + wanted.shift;
    boxes_.push_back({geometry_.UnitsAt(placement), begin, begin + wanted.length});
  }
  void Pop() { boxes_.pop_back(); }

 private:
  const Geometry& geometry_;
  const Timetable& table_;
  std::vector<Box> boxes_;
};

// The room that a placement destroys. It is the sum over the smallest forms of each request that
// may come: the form's units times the number of places where the form no longer fits.
class Damage {
 public:
  Damage(const Geometry& geometry, const Bits& free, std::span<const Wanted> coming)
      : geometry_(geometry), free_(free) {
    for (const Wanted& one : coming) {
      for (const Form& form : one.forms) {
        if (form.units > one.forms.front().units) break;
        Add(form);
      }
    }
  }
  int64_t Of(const Placement& placement) const {
    const Bits left = free_ - geometry_.UnitsAt(placement);
    int64_t damage = 0;
    for (const Known& known : known_) {
      const size_t still = geometry_.Corners(known.form, left).Count();
      damage += known.times * known.form.units * static_cast<int64_t>(known.places - still);
    }
    return damage;
  }

 private:
  struct Known {
    Form form;
    int64_t times;
    size_t places;
  };
  void Add(const Form& form) {
    const auto at = std::find_if(known_.begin(), known_.end(),
                                 [&form](const Known& known) { return known.form == form; });
    if (at != known_.end()) {
      ++at->times;
      return;
    }
    const size_t places = geometry_.Corners(form, free_).Count();
    known_.push_back({form, 1, places});
  }

  const Geometry& geometry_;
  const Bits& free_;
  std::vector<Known> known_;
};

// Finds the placement of the first request after which the sum of all coming starts is least; none
// if the budget does not suffice, or if every placement leaves some coming request without a start.
class Together {
 public:
  Together(const Geometry& geometry, const Timetable& table, Instant start, const Wanted& first,
           std::span<const Wanted> coming, uint64_t nodes)
      : geometry_(geometry), future_(geometry, table), start_(start), left_(nodes) {
    const Instant end = start + first.shift + first.length;
    for (const Wanted& one : coming.first(std::min(coming.size(), kSearchedTogether - 1))) {
      if (one.forms.empty()) continue;
      const Instant earliest = future_.Earliest(one, start);
      if (earliest + one.shift >= end) continue;  // never at the same time as the first one
      all_.push_back(&one);
      least_.push_back(earliest - start);
    }
    // By k: the least sum of the starts of all_[k] and those after it.
    rest_.assign(all_.size() + 1, Span{0});
    for (size_t k = all_.size(); k > 0; --k) rest_[k - 1] = rest_[k] + least_[k - 1];
  }

  std::optional<Placement> Best(const Wanted& first, const std::vector<Placement>& placements) {
    if (all_.empty()) return placements.front();
    std::optional<Placement> best;
    for (const Placement& placement : placements) {
      const Span before = best_;
      if (!Try(first, start_, placement, 0, Span{0})) return std::nullopt;
      if (best_ < before) best = placement;
      if (best_ == rest_[0]) break;
    }
    return best;
  }
  uint64_t left() const { return left_; }

 private:
  // False if the budget is used up, which ends the search.
  bool Try(const Wanted& wanted, Instant start, const Placement& placement, size_t next, Span sum) {
    const uint64_t cost = CostOf(geometry_);
    if (left_ < cost) return false;
    left_ -= cost;
    future_.Push(wanted, start, placement);
    const bool goes_on = Place(next, sum);
    future_.Pop();
    return goes_on;
  }
  bool Place(size_t k, Span sum) {
    if (sum + rest_[k] >= best_) return true;
    if (k == all_.size()) {
      best_ = sum;
      return true;
    }
    const Wanted& wanted = *all_[k];
    const Instant start = future_.Earliest(wanted, start_);
    if (start >= kFarFuture) return true;
    const Span with = sum + (start - start_);
    if (with + rest_[k + 1] >= best_) return true;
    for (const Placement& p : geometry_.LeastWaste(wanted.forms, future_.FreeFor(wanted, start))) {
      if (!Try(wanted, start, p, k + 1, with)) return false;
      if (with + rest_[k + 1] >= best_) break;
    }
    return true;
  }

  const Geometry& geometry_;
  Future future_;
  const Instant start_;
  uint64_t left_;
  std::vector<const Wanted*> all_;
  std::vector<Span> least_;
  std::vector<Span> rest_;
  Span best_{INT64_MAX / 4};
};

}  // namespace

Placement Choose(const Geometry& geometry, const Timetable& table, Instant start,
                 const Wanted& wanted, const Bits& free, std::span<const Wanted> coming, Choice how,
                 uint64_t& nodes) {
  if (how == Choice::kFirstFit || coming.empty()) return *geometry.FirstWithin(wanted.forms, free);
  std::vector<Placement> placements = geometry.LeastWaste(wanted.forms, free);
  const uint64_t cost = placements.size() * CostOf(geometry);
  if (placements.size() == 1 || nodes < cost) return placements.front();
  nodes -= cost;
  const Damage damage(geometry, free, coming.first(std::min(coming.size(), kLookAhead)));
  std::vector<std::pair<int64_t, size_t>> ranked;
  for (size_t i = 0; i < placements.size(); ++i) ranked.emplace_back(damage.Of(placements[i]), i);
  std::sort(ranked.begin(), ranked.end());
  const Placement least = placements[ranked.front().second];
  if (how == Choice::kLeastDamage) return least;
  std::vector<Placement> in_order;
  for (const auto& [amount, i] : ranked) in_order.push_back(placements[i]);
  const uint64_t most = std::min(nodes, kSearchNodes);
  Together together(geometry, table, start, wanted, coming, most);
  const std::optional<Placement> best = together.Best(wanted, in_order);
  nodes -= most - together.left();
  return best.value_or(least);
}

Instant EarliestStart(const Geometry& geometry, const Timetable& table, const Wanted& wanted,
                      Instant from) {
  return Future(geometry, table).Earliest(wanted, from);
}

}  // namespace muster::machine
