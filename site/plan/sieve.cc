// A pass over rows costs as much as looking at a handful of nodes. So a pass is made only for
// starts that the running sum of sets, updated at each release, does not rule out.
#include "site/plan/sieve.h"

#include <algorithm>
#include <cmath>

#include "site/plan/row_loops.h"

namespace muster::plan {
namespace {

// Up to this many hosts, looking at each one is faster than a pass over rows.
constexpr size_t kFewHosts = 48;
// Maximum number of sets that the sieve tells apart per node. It skips groups that want more of one
// node, and needs below kLeastUnits units: in rows their sets could exceed kMostSets.
constexpr int64_t kMostSets = 32000;
constexpr double kLeastUnits = 1.0 / 15;
// A pass over rows counts as one look per this many nodes.
constexpr size_t kNodesALook = 64;
constexpr size_t kShortsOfALine = 32;
// Steps of Walk before the search checks the machine's sums again.
constexpr int kSteps = 8;

int16_t Least(int16_t a, int16_t b) { return std::min(a, b); }

double ShareOf(int64_t amount, int64_t total) {
  return static_cast<double>(amount) / static_cast<double>(std::max<int64_t>(total, 1));
}

// In a resource that only shows whether nodes are empty, each unit counts as this many sets.
constexpr int16_t kSetsAUnit = 16;
// Does a resource that the group does not need show whether a node is empty, without limiting the
// node's sets?
bool TellsEmpty(const NodeRows::Row& empty, int64_t most) {
  const auto least = std::min_element(empty.begin(), empty.end());
  return least != empty.end() && int64_t{*least} * kSetsAUnit >= most;
}

int64_t SetsAskedOf(const PartShape& part, const Group& group) {
  return part.place == Place::kFree ? group.count : 1;
}

}  // namespace

bool Sieve::FindsOne(const Group& group) {
  return group.count == 1 && group.hosts.size() > kFewHosts;
}

Sieve::Sieve(const Occupancy& occupancy, const PartShape& part, const Group& group, bool by_starts)
    : occupancy_(occupancy),
      part_(part),
      group_(group),
      most_(SetsAskedOf(part, group)),
      how_(How::kRows),
      by_starts_(by_starts && group.hosts.size() > kFewHosts &&
                 (group.count == 1 || !occupancy.lent().empty())) {
  for (const auto& [resource, amount] : group.needs) AskFor(resource, amount);
  // The need with the greatest share of the machine comes first: it rules out most.
  const machine::Machine& machine = occupancy.machine();
  std::stable_sort(needs_.begin(), needs_.end(), [&machine](const Need& a, const Need& b) {
    return ShareOf(a.amount, machine.Total(a.resource)) >
           ShareOf(b.amount, machine.Total(b.resource));
  });
  for (const Need& need : needs_) resources_.push_back(need.resource);
  if (part.exclusive) {
    // An exclusive part needs empty nodes, whatever it asks for.
    for (uint32_t r = 0; r < occupancy.share() && needs_.size() < 2; ++r) {
      const bool asked = std::find(resources_.begin(), resources_.end(), r) != resources_.end();
      if (!asked && occupancy.rows().Everywhere(r) &&
          TellsEmpty(occupancy.rows().Empty(r), most_)) {
        needs_.push_back({r, 0, 0, kSetsAUnit});
        resources_.push_back(r);
      }
    }
  }
  if (group.hosts.size() <= kFewHosts) how_ = How::kFew;
  const bool rows = occupancy.rows().usable() && !needs_.empty();
  if (most_ > kMostSets || (how_ != How::kFew && !rows)) how_ = How::kNotAtAll;
}

void Sieve::AskFor(uint32_t resource, int64_t amount) {
  const NodeRows& rows = occupancy_.rows();
  const double units = rows.InUnits(resource, amount);
  if (units < kLeastUnits) return;
  Need need{resource, amount};
  if (units <= 1) {
    need.factor = static_cast<int16_t>(std::ceil(1 / units));
  } else {
    need.part = static_cast<uint16_t>(std::min(65535.0, std::floor(65536 / units) + 1));
  }
  if (!rows.Everywhere(resource)) how_ = How::kHosts;
  needs_.push_back(need);
}

bool Sieve::MayTake(uint32_t node, Span length, Instant from, Instant until) const {
  if (!Hosts(node)) return false;
  const auto leap = [&](uint32_t dimension, int64_t items) {
    const Instant fit = occupancy_.Of(node, dimension).EarliestFit(items, length, from);
    const bool moved = fit > from;
    from = fit;
    return moved;
  };
  if (part_.exclusive) leap(occupancy_.share(), kWholeNode);
  bool moved = false;
  // Scarce resources come first. All are looked at again only if one of them moved `from`.
  do {
    moved = false;
    for (const Need& need : needs_) {
      if (need.amount > 0 && from < until) moved |= leap(need.resource, need.amount);
    }
  } while (moved && needs_.size() > 1 && from < until);
  return from < until;
}

bool Sieve::Hosts(uint32_t node) const {
  return std::all_of(group_.needs.begin(), group_.needs.end(), [&](const auto& need) {
    return need.second <= occupancy_.Capacity(node, need.first);
  });
}

Instant Sieve::Rise(uint32_t node, int64_t sets, Instant t, Span length) const {
  if (sets >= most_) return kFarFuture;
  Instant begin = t + part_.shift;
  const auto leap = [&](uint32_t dimension, int64_t items) {
    const Instant fit = occupancy_.Of(node, dimension).EarliestFit(items, length, begin);
    const bool moved = fit > begin;
    begin = fit;
    return moved;
  };
  for (bool moved = true; moved && begin < kFarFuture;) {
    moved = leap(occupancy_.share(), part_.exclusive ? kWholeNode : 1);
    for (const auto& [resource, amount] : group_.needs) {
      const int64_t items = SaturatingProduct(amount, sets + 1);
      if (begin >= kFarFuture || items > occupancy_.Capacity(node, resource)) return kFarFuture;
      moved |= leap(resource, items);
    }
  }
  return begin >= kFarFuture ? kFarFuture : begin - part_.shift;
}

// Lowers the sets of all nodes, or of all hosts, to those for which `left` holds enough of one
// need. Returns the sum of the hosts' sets.
int64_t Sieve::TakeRow(const Need& need, NodeRows::Row& left, NodeRows::Row& sets) {
  const NodeRows& rows = occupancy_.rows();
  const bool first = &need == needs_.data();
  const int16_t most = static_cast<int16_t>(most_);
  if (part_.exclusive) {
    const NodeRows::Row& empty = rows.Empty(need.resource);
    for (size_t i = 0; i < left.size(); ++i) left[i] = left[i] < empty[i] ? int16_t{0} : left[i];
  }
  if (need.factor == 0) {
    Divide(left.data(), left.size(), need.part, most);
  } else {
    Multiply(left.data(), left.size(), need.factor, most);
  }
  if (how_ == How::kHosts) {
    if (first) sets.assign(group_.hosts.size(), most);
    int64_t sum = 0;
    for (size_t h = 0; h < sets.size(); ++h) {
      const int16_t here = left[rows.PlaceOf(group_.hosts[h], need.resource)];
      sets[h] = Least(sets[h], here);
      sum += sets[h];
    }
    return sum;
  }
  if (first) {
    sets.swap(left);
  } else {
    Lower(sets.data(), left.data(), sets.size());
  }
  if (group_.hosts.size() == sets.size()) return SumOf(sets.data(), sets.size());
  int64_t sum = 0;
  for (const uint32_t node : group_.hosts) sum += sets[node];
  return sum;
}

// Counts the sets at t, need by need, until too few are left.
void Sieve::Evaluate(Instant t) {
  at_ = t;
  known_ = true;
  exact_ = true;
  const Instant begin = t + part_.shift;
  for (const Need& need : needs_) {
    occupancy_.Look(1 + occupancy_.machine().node_count() / kNodesALook);
    occupancy_.rows().Least(need.resource, begin, begin + part_.length, least_, scratch_);
    sum_ = TakeRow(need, least_, sets_);
    exact_ = sum_ >= group_.count;
    if (!exact_) return;
  }
}

// Tries to rule out, by one need, all windows that begin before `until`, which it sets. Takes the
// pieces of common_ from the latest to the earliest. Once too little is free throughout those taken
// so far, all windows that begin before the earliest of them are ruled out. What is free where
// windows begin is taken last, together with the sets that earlier needs left.
bool Sieve::RulesOutCommon(const Need& need, Instant& until) {
  const NodeRows& rows = occupancy_.rows();
  const size_t width = rows.Empty(need.resource).size();
  const size_t offset = rows.OffsetOf(need.resource);
  const ToSets to_sets{need.part, need.factor, static_cast<int16_t>(most_),
                       part_.exclusive ? rows.Empty(need.resource).data() : nullptr};
  const bool alone = &need == needs_.data() && how_ == How::kRows && group_.hosts.size() == width;
  const auto prefetch = [&](const RowPiece& piece) {
    for (size_t i = 0; i < width; i += kShortsOfALine) {
      __builtin_prefetch(piece.row->data() + offset + i);
      if (piece.more != nullptr) __builtin_prefetch(piece.more->data() + offset + i);
    }
  };
  const auto lower = [&](const RowPiece& piece, NodeRows::Row& left) {
    const int16_t* more = piece.more == nullptr ? nullptr : piece.more->data() + offset;
    const int16_t* row = piece.row->data() + offset;
    until = piece.at;
    if (alone) return LowerAndCount(left.data(), row, more, width, to_sets) < group_.count;
    if (more == nullptr) {
      Lower(left.data(), row, width);
    } else {
      LowerToSum(left.data(), row, more, width);
    }
    return false;
  };
  occupancy_.Look(1 + occupancy_.machine().node_count() / kNodesALook);
  least_.assign(width, INT16_MAX);
  for (size_t i = 0; i < common_.beyond; ++i) {
    if (i + 1 < common_.least.size()) prefetch(common_.least[i + 1]);
    if (lower(common_.least[i], least_)) return true;
  }
  if (common_.block.at > common_.stretch.at) {
    scratch_ = least_;
    if (lower(common_.block, scratch_)) return true;
    if (TakeRow(need, scratch_, in_block_) < group_.count) return true;
  }
  for (size_t i = common_.beyond; i < common_.least.size(); ++i) {
    prefetch(i + 1 < common_.least.size() ? common_.least[i + 1] : common_.stretch);
    if (lower(common_.least[i], least_)) return true;
  }
  if (lower(common_.stretch, least_)) return true;
  sum_ = TakeRow(need, least_, sets_);
  return sum_ < group_.count;
}

// Tries to rule out, by bounds, all starts from t up to the end of some stretch or block. On
// success at_ becomes that end, else looked_until_ does.
bool Sieve::SkipFrom(Instant t) {
  occupancy_.rows().FindCommon(t + part_.shift, part_.length, common_);
  known_ = false;
  Instant end;
  const bool ruled_out = std::any_of(needs_.begin(), needs_.end(),
                                     [&](const Need& need) { return RulesOutCommon(need, end); });
  if (!ruled_out) bound_.swap(sets_);
  const Instant next = end >= kFarFuture ? kFarFuture : end - part_.shift;
  (ruled_out ? at_ : looked_until_) = next;
  return ruled_out;
}

// Looks at hosts one by one. A host that can take no set is not looked at again before it could
// take one.
Instant Sieve::LeapOfFew(Instant t) {
  const size_t hosts = group_.hosts.size();
  sets_.resize(hosts);
  counted_.resize(hosts, Instant{INT64_MIN});
  rises_.resize(hosts, Instant{INT64_MIN});
  int64_t most = 0;
  for (size_t h = 0; h < hosts; ++h) most += rises_[h] > t ? sets_[h] : group_.count;
  if (most >= group_.count) {
    int64_t sum = 0;
    for (size_t h = 0; h < hosts; ++h) {
      const bool surely_none = rises_[h] > t && sets_[h] == 0;
      if (counted_[h] != t && !surely_none) {
        sets_[h] = static_cast<int16_t>(std::min(Count(group_.hosts[h], t), kMostSets));
        counted_[h] = t;
        rises_[h] = Instant{INT64_MIN};
        occupancy_.Look(1);
      }
      sum += sets_[h];
    }
    if (sum >= group_.count) return t;
  }
  Instant next = kFarFuture;
  for (size_t h = 0; h < hosts; ++h) {
    if (rises_[h] <= t) {
      rises_[h] = Rise(group_.hosts[h], sets_[h], t);
      occupancy_.Look(1);
    }
    next = std::min(next, rises_[h]);
  }
  return next;
}

// An upper bound of the sets that the node can take at at_. It leaves out resources that rows do
// not count exactly: rows would not show when their amount rises. Numbers up to `enough` are not
// told apart.
int64_t Sieve::CountByRows(uint32_t node, int64_t enough) const {
  const Instant begin = at_ + part_.shift;
  const Instant end = begin + part_.length;
  int64_t sets = most_;
  for (const Need& need : needs_) {
    if (!occupancy_.rows().Exact(need.resource)) continue;
    const int64_t free = occupancy_.Of(node, need.resource).FreeIn(begin, end);
    if (part_.exclusive && free < occupancy_.Capacity(node, need.resource)) return 0;
    if (need.amount == 0) continue;
    sets = std::min(sets, std::max<int64_t>(free, 0) / need.amount);
    if (sets <= enough) break;
  }
  return sets;
}

// An upper bound, by rows, of the sets that the node can take after it got something back.
int16_t Sieve::SetsOf(const NodeRows::Given& given) const {
  const NodeRows& rows = occupancy_.rows();
  const Need& need = needs_[given.which];
  const int16_t most = static_cast<int16_t>(std::min(most_, kMostSets));
  if (!rows.Exact(need.resource)) return most;
  const int16_t empty = rows.Empty(need.resource)[rows.PlaceOf(given.node, need.resource)];
  return SetsIn(given.least, empty, part_.exclusive, {need.part, need.factor, most, nullptr});
}

// Counts anew the sets of a node that got something back. Mostly the node loses it again within the
// window, and then `given.least` shows that no further set fits, without a look at the node.
void Sieve::Recount(const NodeRows::Given& given) {
  const uint32_t node = given.node;
  size_t at = node;
  if (how_ != How::kRows || group_.hosts.size() != sets_.size()) {
    if (place_.empty()) {
      place_.resize(occupancy_.machine().node_count(), -1);
      for (size_t h = 0; h < group_.hosts.size(); ++h) {
        place_[group_.hosts[h]] = static_cast<int32_t>(h);
      }
    }
    if (place_[node] < 0) return;
    if (how_ == How::kHosts) at = static_cast<size_t>(place_[node]);
  }
  if (bound_[at] <= sets_[at]) return;
  int16_t now = SetsOf(given);
  if (now > sets_[at] && !(given.whole && needs_.size() == 1)) {
    occupancy_.Look(1);
    now = static_cast<int16_t>(std::min(CountByRows(node, sets_[at]), kMostSets));
  }
  sum_ += now - sets_[at];
  sets_[at] = now;
}

// Goes on along given_ to the next start that sum_ does not rule out; false if there is none.
bool Sieve::NextGiven() {
  exact_ = false;
  while (next_given_ < given_.size()) {
    const Instant given = given_[next_given_].at;
    at_ = given - part_.shift;
    for (; next_given_ < given_.size() && given_[next_given_].at == given; ++next_given_) {
      Recount(given_[next_given_]);
    }
    if (sum_ >= group_.count) return true;
  }
  at_ = looked_until_;
  known_ = false;
  return false;
}

// Goes on from at_, where the group cannot start. Within a stretch it goes along the instants at
// which nodes get something back. Nodes that lose something meanwhile still count as before until
// Evaluate counts anew.
Instant Sieve::Walk(Instant until) {
  const NodeRows& rows = occupancy_.rows();
  bool listed = false;
  for (int i = 0; i < kSteps && at_ < until; ++i) {
    if (at_ >= looked_until_) {
      listed = false;
      if (SkipFrom(at_)) continue;
    } else {
      if (!listed) {
        rows.GivenWithin(resources_, {at_ + part_.shift, looked_until_ + part_.shift, part_.length},
                         given_, levels_);
        next_given_ = 0;
        listed = true;
      }
      if (!NextGiven()) continue;
    }
    Evaluate(at_);
    if (sum_ >= group_.count) return at_;
  }
  return at_;
}

// For several sets the result is only a bound. Then it is computed once, and only if a booking is
// being planned again (lent() is not empty): mostly that booking stays where it is, and the bound
// alone shows it.
Instant Sieve::LeapByStarts(Instant t, Instant until) {
  if (!by_starts_ || t < found_) return std::max(t, found_);
  if (host_ != SIZE_MAX && t == found_) return t;
  if (found_ > Instant{INT64_MIN} && group_.count > 1) return t;
  const Instant end = until >= kFarFuture ? kFarFuture : until + part_.shift;
  const std::optional<NodeStarts::First> first =
      occupancy_.starts().Find(occupancy_, {group_, part_.exclusive, part_.place != Place::kFree,
                                            part_.length, t + part_.shift, end, occupancy_.lent()});
  by_starts_ = first.has_value();
  if (!by_starts_) return t;
  found_ = first->start >= kFarFuture ? kFarFuture : std::max(t, first->start - part_.shift);
  host_ = first->host;
  return found_;
}

Instant Sieve::Leap(Instant t, Instant until) {
  if (IsExact()) {
    const Instant leap = LeapByStarts(t, until);
    if (IsExact()) return leap;
  }
  if (how_ == How::kNotAtAll) return t;
  if (how_ == How::kFew) return LeapOfFew(t);
  if (at_ == t && known_ && exact_ && sum_ >= group_.count) return t;
  if (at_ != t) {
    known_ = false;
    at_ = t;
  }
  if (!known_ && t < looked_until_) {
    Evaluate(t);
    if (sum_ >= group_.count) return t;
  }
  return Walk(until);
}

}  // namespace muster::plan
