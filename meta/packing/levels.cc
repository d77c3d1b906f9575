// Closed levels neither grow nor get emptier, so what is known of them stays an upper bound. When a
// level refuses in spite of it, it is looked at anew.
#include "meta/packing/levels.h"

#include <algorithm>

namespace muster::packing {
namespace {

constexpr int64_t kExactBelow = 4096;  // greater amounts share rows by class

int64_t KeyOf(int64_t amount) {
  return amount < kExactBelow ? amount : rusv::Frontier::ClassOf(amount, 1).items;
}

// The longest booking of `amount`, in seconds.
int64_t LongestOf(const std::vector<Bin::Run>& runs, int64_t amount) {
  const auto it =
      std::lower_bound(runs.begin(), runs.end(), amount,
                       [](const Bin::Run& run, int64_t least) { return run.amount < least; });
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
    // To the next subtree on the right; from the last one there is none.
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

std::optional<Instant> Levels::OfferIn(size_t level, const Bin& bin, const Bin::Need& need,
                                       Instant from, Span length) const {
  const Level& in = levels_[level];
  const bool may_grow = level + 1 == levels_.size() && in.begin >= from;
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
    Level& level = levels_[row.size()];
    const auto [it, first] = level.runs.try_emplace(resource);
    if (first) it->second = bin.Runs(resource, level.begin, level.end, gaps_);
    row.Append(LongestOf(it->second, KeyOf(amount)));
  }
  return row;
}

size_t Levels::FirstLong(const Bin& bin, const Bin::Need& need, size_t from, Span length) {
  size_t level = from;
  for (size_t agreed = 0, r = 0; agreed < need.size(); r = (r + 1) % need.size()) {
    const size_t next = Known(bin, need[r].first, need[r].second).FirstFrom(level, length.seconds);
    agreed = next == level ? agreed + 1 : 1;
    level = next;
  }
  return level;
}

void Levels::Learn(size_t level, const Bin& bin, const Bin::Need& need) {
  Level& of = levels_[level];
  for (const auto& [resource, amount] : need) {
    of.runs[resource] = bin.Runs(resource, of.begin, of.end, gaps_);
    std::map<int64_t, RowOfMost>& rows = known_[resource];
    for (auto it = rows.find(KeyOf(amount)); it != rows.end(); ++it) {
      if (it->second.size() <= level) continue;
      const int64_t longest = LongestOf(of.runs[resource], it->first);
      // Where nothing is news for one amount it seldom is for greater ones.
      if (it->second[level] <= longest) break;
      it->second.Lower(level, longest);
    }
  }
}

std::optional<Instant> Levels::Offer(const Bin& bin, const Bin::Need& need, Instant from,
                                     Span length, Instant until) {
  if (levels_.empty()) return bin.EarliestFit(need, from, length);
  const size_t newest = levels_.size() - 1;
  // The first one that ends late enough.
  const auto open =
      std::lower_bound(levels_.begin(), levels_.end(), from + length,
                       [](const Level& level, Instant least) { return level.end < least; });
  auto level = static_cast<size_t>(open - levels_.begin());
  while (level < newest) {
    level = FirstLong(bin, need, level, length);
    if (level >= newest || levels_[level].begin > until) break;
    if (const auto offer = OfferIn(level, bin, need, from, length)) return offer;
    Learn(level, bin, need);
    ++level;
  }
  if (levels_[std::min(level, newest)].begin > until) return std::nullopt;
  if (const auto offer = OfferIn(newest, bin, need, from, length)) return offer;
  return bin.EarliestFit(need, std::max(from, levels_[newest].end), length);  // R4
}

void Levels::Place(Instant start, Span length) {
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
