// Closed levels neither grow nor lose bookings, so recorded free lengths stay upper bounds. If a
// level refuses a booking that its record allows, its record is updated.
#include "meta/search/packing/levels.h"

#include <algorithm>
#include <utility>

namespace muster::packing {
namespace {

constexpr int64_t kExactBelow = 24;  // larger amounts share a row per class

int64_t KeyOf(int64_t amount) {
  return amount < kExactBelow ? amount : rusv::Frontier::ClassOf(amount, 1).items;
}

// The longest booking of `amount`, in seconds.
int64_t LongestOf(const std::vector<Stretch::Run>& runs, int64_t amount) {
  const auto it =
      std::lower_bound(runs.begin(), runs.end(), amount,
                       [](const Stretch::Run& run, int64_t least) { return run.amount < least; });
  return it == runs.end() ? 0 : it->longest.seconds;
}

}  // namespace

void RowOfMost::Raise(size_t node) {
  for (node /= 2; node > 0; node /= 2) {
    const int64_t most = std::max(most_[2 * node], most_[2 * node + 1]);
    if (most_[node] == most) return;
    most_[node] = most;
  }
}

void RowOfMost::Append(int64_t value) {
  if (size_ == leaves_) {
    const size_t leaves = std::max<size_t>(2 * leaves_, 16);
    std::vector<int64_t> most(2 * leaves, -1);
    for (size_t i = 0; i < size_; ++i) most[leaves + i] = most_[leaves_ + i];
    for (size_t i = leaves - 1; i > 0; --i) most[i] = std::max(most[2 * i], most[2 * i + 1]);
    most_ = std::move(most);
    leaves_ = leaves;
  }
  most_[leaves_ + size_] = value;
  Raise(leaves_ + size_++);
}

void RowOfMost::Lower(size_t i, int64_t value) {
  if (value >= most_[leaves_ + i]) return;
  most_[leaves_ + i] = value;
  Raise(leaves_ + i);
}

size_t RowOfMost::FirstFrom(size_t from, int64_t least) const {
  if (from >= size_) return size_;
  size_t node = leaves_ + from;
  while (most_[node] < least) {
    // Go to the next subtree on the right; there is none after the last.
    while (node % 2 == 1) node /= 2;
    if (node == 0) return size_;
    ++node;
  }
  while (node < leaves_) {
    node *= 2;
    if (most_[node] < least) ++node;
  }
  return std::min(node - leaves_, size_);
}

Levels::Level::Room& Levels::RoomOf(const Bin& bin, Level& level, size_t resource) {
  const Instant begin = level.begin - bin.turnover();
  const auto it = level.rooms.find(resource);
  if (it == level.rooms.end()) {
    Level::Room room{.free = bin.StretchOf(resource, begin, level.end), .runs = {}};
    room.runs = room.free.Runs(gaps_);
    room.learned = true;
    return level.rooms.emplace(resource, std::move(room)).first->second;
  }
  if (std::exchange(it->second.stale, false)) {
    it->second.free = bin.StretchOf(resource, begin, level.end);
    it->second.learned = false;
  }
  return it->second;
}

std::optional<Instant> Levels::OfferInClosed(Level& level, const Bin& bin, const Bin::Need& need,
                                             Instant from, Span length) {
  if (!gaps_ && level.begin < from) return std::nullopt;
  const Span whole = bin.turnover() + length;
  const Instant first = std::max(level.begin, from) - bin.turnover();
  Instant t = first;
  for (size_t agreed = 0, r = 0; agreed < need.size(); r = (r + 1) % need.size()) {
    const auto fit = RoomOf(bin, level, need[r].first).free.EarliestFit(need[r].second, whole, t);
    if (!fit || (!gaps_ && *fit != first)) return std::nullopt;
    agreed = *fit == t ? agreed + 1 : 1;
    t = *fit;
  }
  return t + bin.turnover();  // R1 at the beginning, else R2
}

std::optional<Instant> Levels::OfferInNewest(const Bin& bin, const Bin::Need& need, Instant from,
                                             Span length) const {
  const Level& in = levels_.back();
  const bool may_grow = in.begin >= from;
  if (!may_grow && std::max(in.begin, from) + length > in.end) return std::nullopt;
  if (!gaps_) {
    if (in.begin < from || !bin.Fits(need, in.begin, length)) return std::nullopt;
    return in.begin;  // R1
  }
  const std::optional<Instant> fit = bin.EarliestFit(need, std::max(in.begin, from), length);
  if (!fit || (*fit + length > in.end && !(may_grow && *fit == in.begin))) return std::nullopt;
  return fit;  // R1 at the beginning, else R2
}

RowOfMost& Levels::Known(const Bin& bin, size_t resource, int64_t amount) {
  RowOfMost& row = known_[resource][KeyOf(amount)];
  while (row.size() + 1 < levels_.size()) {
    row.Append(LongestOf(RoomOf(bin, levels_[row.size()], resource).runs, KeyOf(amount)));
  }
  return row;
}

size_t Levels::FirstLong(const Bin& bin, const Bin::Need& need, size_t from, Span length) {
  const int64_t whole = (bin.turnover() + length).seconds;
  size_t level = from;
  for (size_t agreed = 0, r = 0; agreed < need.size(); r = (r + 1) % need.size()) {
    const size_t next = Known(bin, need[r].first, need[r].second).FirstFrom(level, whole);
    agreed = next == level ? agreed + 1 : 1;
    level = next;
  }
  return level;
}

void Levels::Learn(Level& level, const Bin& bin, const Bin::Need& need) {
  const auto index = static_cast<size_t>(&level - levels_.data());
  for (const auto& [resource, amount] : need) {
    Level::Room& room = RoomOf(bin, level, resource);
    if (!std::exchange(room.learned, true)) room.runs = room.free.Runs(gaps_);
    auto run = room.runs.begin();
    std::map<int64_t, RowOfMost>& rows = known_[resource];
    for (auto it = rows.find(KeyOf(amount)); it != rows.end(); ++it) {
      if (it->second.size() <= index) continue;
      while (run != room.runs.end() && run->amount < it->first) ++run;
      const int64_t longest = run == room.runs.end() ? 0 : run->longest.seconds;
      // If one row does not change, those of greater amounts seldom do. They stay upper bounds.
      if (it->second[index] <= longest) break;
      it->second.Lower(index, longest);
    }
  }
}

std::optional<Instant> Levels::Offer(const Bin& bin, const Bin::Need& need, Instant from,
                                     Span length, Instant until) {
  if (levels_.empty()) return bin.EarliestFit(need, from, length);
  const size_t newest = levels_.size() - 1;
  // The first level that ends late enough.
  const auto open =
      std::lower_bound(levels_.begin(), levels_.end(), from + length,
                       [](const Level& level, Instant least) { return level.end < least; });
  auto level = static_cast<size_t>(open - levels_.begin());
  while (level < newest) {
    level = FirstLong(bin, need, level, length);
    if (level >= newest || levels_[level].begin > until) break;
    if (const auto offer = OfferInClosed(levels_[level], bin, need, from, length)) return offer;
    Learn(levels_[level], bin, need);
    ++level;
  }
  if (levels_[std::min(level, newest)].begin > until) return std::nullopt;
  if (const auto offer = OfferInNewest(bin, need, from, length)) return offer;
  return bin.EarliestFit(need, std::max(from, levels_[newest].end), length);  // R4
}

void Levels::BookInClosed(const Bin& bin, Instant start, Span length,
                          const std::optional<Bin::Need>& need) {
  const Instant begin = start - bin.turnover();
  const Instant end = start + length;
  auto level = std::upper_bound(levels_.begin(), levels_.end(), begin,
                                [](Instant t, const Level& one) { return t < one.end; });
  // The turnover may reach into levels before the booking's own.
  for (; level != levels_.end() && level->begin - bin.turnover() < end; ++level) {
    if (!need) {
      for (auto& [resource, room] : level->rooms) room.stale = true;
      continue;
    }
    for (const auto& [resource, amount] : *need) {
      const auto room = level->rooms.find(resource);
      if (room == level->rooms.end()) continue;
      room->second.free.Take(begin, end, amount);
      room->second.learned = false;
    }
  }
}

void Levels::Place(const Bin& bin, Instant start, Span length,
                   const std::optional<Bin::Need>& need) {
  BookInClosed(bin, start, length, need);
  if (levels_.empty() || start >= levels_.back().end) {
    if (!levels_.empty()) levels_.back().end = start;
    levels_.push_back({start, start + length, {}});
  } else if (start == levels_.back().begin) {
    levels_.back().end = std::max(levels_.back().end, start + length);
  }
}

std::vector<Instant> Levels::Points() const {
  std::vector<Instant> out;
  for (const Level& level : levels_) out.push_back(level.begin);
  return out;
}

}  // namespace muster::packing
