// Rows are short integers that lie side by side, so that the loops over nodes become vector
// instructions. A change touches a few numbers per node: in each block that it covers, and in the
// stretches of the two blocks where it begins and ends.
#include "site/plan/node_rows.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "site/plan/row_loops.h"

namespace muster::plan {
namespace {

// Earlier than any instant that is looked up.
constexpr int64_t kBeginning = INT64_MIN / 2;
// Maximum number of units of a node: so few that overbooking it several times fits in a row.
constexpr int64_t kMostUnits = 2047;
constexpr int16_t kLeastCounted = -24000;
constexpr uint32_t kNoPlace = UINT32_MAX;
// Minimum of most_steps_. Longer rows allow more steps: a pass over the steps may cost as much as
// a pass over a row.
constexpr size_t kStepsAtLeast = 256;
// A change of at most this many places prefetches their entries. In larger changes this gains
// nothing.
constexpr size_t kMostPrefetched = 16;
// Maximum number of stretches in a block.
constexpr size_t kMostStretches = 8;

// Sorts changes by place and adds up those of one place: parts of one booking may be on the same
// node.
void AddUp(PlaceChanges& changes) {
  std::sort(changes.begin(), changes.end());
  size_t last = 0;
  for (size_t i = 1; i < changes.size(); ++i) {
    if (changes[i].first == changes[last].first) {
      changes[last].second += changes[i].second;
    } else {
      changes[++last] = changes[i];
    }
  }
  changes.resize(last + 1);
}

// Extends the least and most of a place by a new value. `first`: the value holds from the very
// beginning of the stretch, so it replaces both.
void Follow(int16_t value, bool first, int16_t& least, int16_t& most) {
  least = first ? value : std::min(least, value);
  most = first ? value : std::max(most, value);
}

}  // namespace

NodeRows::NodeRows(const machine::Machine& machine, size_t steps)
    : node_count_(machine.node_count()) {
  const uint32_t resources = static_cast<uint32_t>(machine.resource_count());
  places_.resize(resources);
  inexact_.resize(resources);
  nodes_.resize(resources);
  for (uint32_t r = 0; r < resources; ++r) {
    int64_t most = 0;
    for (uint32_t n = 0; n < node_count_; ++n) {
      most = std::max(most, machine.Amount(n, r));
      if (machine.Amount(n, r) > 0) nodes_[r].push_back(n);
    }
    int shift = 0;
    while ((most >> shift) >= kMostUnits) ++shift;
    shifts_.push_back(shift);
    offsets_.push_back(width_);
    widths_.push_back(static_cast<uint32_t>(nodes_[r].size()));
    width_ += widths_.back();
    Row& empty = empty_.emplace_back();
    for (const uint32_t n : nodes_[r]) {
      const int64_t unit = int64_t{1} << shift;
      const int64_t whole = machine.Amount(n, r) >> shift;
      empty.push_back(static_cast<int16_t>(whole + (machine.Amount(n, r) % unit != 0 ? 1 : 0)));
    }
    if (Everywhere(r)) continue;
    places_[r].resize(node_count_, kNoPlace);
    for (uint32_t p = 0; p < widths_[r]; ++p) places_[r][nodes_[r][p]] = p;
  }
  most_steps_ = steps > 0 ? steps : std::max<size_t>(kStepsAtLeast, width_ / 8);
  auto all = std::make_shared<Stretch>();
  all->start = kBeginning;
  for (const Row& row : empty_) all->before.insert(all->before.end(), row.begin(), row.end());
  all->least = all->most = all->before;
  auto block = std::make_shared<Block>();
  block->more.resize(width_);
  block->least = block->most = all->before;
  block->starts = {kBeginning};
  block->stretches = {std::move(all)};
  starts_ = {kBeginning};
  blocks_ = {std::move(block)};
  now_.resize(width_);
  asked_.resize(width_);
}

NodeRows::Block& NodeRows::Mutable(size_t at) {
  std::shared_ptr<Block>& block = blocks_[at];
  if (block.use_count() > 1) block = std::make_shared<Block>(*block);
  return *block;
}

NodeRows::Stretch& NodeRows::Mutable(Block& block, size_t at) {
  std::shared_ptr<Stretch>& stretch = block.stretches[at];
  if (stretch.use_count() > 1) stretch = std::make_shared<Stretch>(*stretch);
  return *stretch;
}

size_t NodeRows::Find(int64_t t) const {
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), t);
  return static_cast<size_t>(after - starts_.begin()) - 1;
}

size_t NodeRows::Block::Find(int64_t t) const {
  const auto after = std::upper_bound(starts.begin(), starts.end(), t);
  return static_cast<size_t>(after - starts.begin()) - 1;
}

int64_t NodeRows::EndOf(size_t block) const {
  return block + 1 < starts_.size() ? starts_[block + 1] : INT64_MAX;
}

void NodeRows::Change(const std::vector<Amount>& amounts, Instant begin, Instant end, int sign) {
  PlaceChanges changes;
  changes.reserve(amounts.size());
  for (const Amount& a : amounts) {
    const int64_t units = std::min(a.amount >> shifts_[a.resource], kMostUnits);
    const uint32_t place = PlaceOf(a.node, a.resource);
    if (units << shifts_[a.resource] != a.amount) inexact_[a.resource] -= sign;
    if (units == 0 || place == kNoPlace) continue;
    changes.emplace_back(offsets_[a.resource] + place, static_cast<int32_t>(units));
  }
  if (changes.empty() || !usable_) return;
  AddUp(changes);
  const int64_t until = end >= kFarFuture ? INT64_MAX : end.seconds;
  const size_t first = Find(begin.seconds);
  const size_t last = until == INT64_MAX ? blocks_.size() : Find(until);
  Prefetch(*blocks_[first], changes, begin.seconds, until);
  if (last != first && last < blocks_.size()) {
    Prefetch(*blocks_[last], changes, begin.seconds, until);
  }
  for (size_t at = first; at < blocks_.size() && at <= last; ++at) {
    Block& block = Mutable(at);
    if (at == first || at == last) {
      ChangeBlock(at, changes, begin.seconds, until, sign);
      continue;
    }
    ChangeRow(block.more, changes, sign);
    ChangeRow(block.least, changes, sign);
    ChangeRow(block.most, changes, sign);
  }
  if (last < blocks_.size()) SplitOrJoin(last);
  if (first != last) SplitOrJoin(first);
}

// Prefetches what changes, since the rows of a block lie far apart in memory.
void NodeRows::Prefetch(const Block& block, const PlaceChanges& changes, int64_t begin,
                        int64_t end) {
  if (changes.size() > kMostPrefetched) return;
  const size_t first = begin > block.starts.front() ? block.Find(begin) : 0;
  for (size_t i = first; i < block.starts.size() && block.starts[i] <= end; ++i) {
    const Stretch& stretch = *block.stretches[i];
    for (const auto& [place, units] : changes) {
      __builtin_prefetch(&stretch.least[place], 1);
      __builtin_prefetch(&stretch.most[place], 1);
      __builtin_prefetch(&stretch.before[place], 1);
    }
  }
}

void NodeRows::ChangeRow(Row& row, const PlaceChanges& changes, int sign) {
  for (const auto& [place, units] : changes) {
    row[place] = Sum(row[place], sign * units);
    if (row[place] < kLeastCounted) usable_ = false;
  }
}

// Changes all rows of a stretch that lies within the change.
void NodeRows::ChangeAll(Stretch& stretch, const PlaceChanges& changes, int sign) {
  for (const auto& [place, units] : changes) {
    const int by = sign * units;
    stretch.before[place] = Sum(stretch.before[place], by);
    stretch.most[place] = Sum(stretch.most[place], by);
    const int16_t least = stretch.least[place] = Sum(stretch.least[place], by);
    if (least < kLeastCounted) usable_ = false;
  }
}

// Changes a block in which the change begins or ends.
void NodeRows::ChangeBlock(size_t at, const PlaceChanges& changes, int64_t begin, int64_t end,
                           int sign) {
  Block& block = *blocks_[at];
  const bool begins = begin >= starts_[at];
  const bool ends = end < EndOf(at);
  const size_t first = begins ? block.Find(begin) : 0;
  const size_t last = ends ? block.Find(end) : block.stretches.size() - 1;
  for (size_t i = first; i <= last; ++i) {
    Stretch& stretch = Mutable(block, i);
    const bool begins_here = begins && i == first;
    const bool ends_here = ends && i == last;
    if (!begins_here && !ends_here) {
      ChangeAll(stretch, changes, sign);
      continue;
    }
    if (begin < stretch.start) ChangeRow(stretch.before, changes, sign);
    if (begins_here) stretch.steps.Add(begin, changes, sign);
    if (ends_here) stretch.steps.Add(end, changes, -sign);
    FindExtremes(stretch, changes);
  }
  FindExtremes(block, changes, first, last, sign);
  if (ends) SplitOrJoin(block, last);
  if (begins && (!ends || first != last)) SplitOrJoin(block, first);
}

// Recomputes the least and most of the places that changed.
void NodeRows::FindExtremes(Stretch& stretch, const PlaceChanges& changes) {
  for (const auto& [place, units] : changes) {
    asked_[place] = 1;
    stretch.least[place] = stretch.most[place] = now_[place] = stretch.before[place];
  }
  const RowSteps& steps = stretch.steps;
  for (size_t i = 0; i < steps.size(); ++i) {
    const uint32_t place = steps.place(i);
    if (asked_[place] == 0) continue;
    int16_t& value = now_[place];
    value = Sum(value, steps.units(i));
    Follow(value, steps.time(i) == stretch.start, stretch.least[place], stretch.most[place]);
  }
  for (const auto& [place, units] : changes) {
    asked_[place] = 0;
    if (stretch.least[place] < kLeastCounted) usable_ = false;
  }
}

void NodeRows::FindExtremes(Stretch& stretch) {
  Row now = stretch.before;
  stretch.least = stretch.most = stretch.before;
  const RowSteps& steps = stretch.steps;
  for (size_t i = 0; i < steps.size(); ++i) {
    const uint32_t place = steps.place(i);
    now[place] = Sum(now[place], steps.units(i));
    Follow(now[place], steps.time(i) == stretch.start, stretch.least[place], stretch.most[place]);
  }
}

// Recomputes the least and most of a block in which only stretches [first, last] changed. Taking
// lowers a place's least to that of one of these stretches, or not at all; its most is the
// greatest over all stretches. Giving back is the mirror image.
void NodeRows::FindExtremes(Block& block, const PlaceChanges& changes, size_t first, size_t last,
                            int sign) {
  const auto& all = block.stretches;
  for (const auto& [place, units] : changes) {
    const int16_t more = block.more[place];
    int16_t least = Sum(block.least[place], -more);
    int16_t most = Sum(block.most[place], -more);
    if (sign < 0) {
      for (size_t i = first; i <= last; ++i) least = std::min(least, all[i]->least[place]);
      int16_t found = all.front()->most[place];
      for (size_t i = 1; i < all.size() && found < most; ++i) {
        found = std::max(found, all[i]->most[place]);
      }
      most = found;
    } else {
      for (size_t i = first; i <= last; ++i) most = std::max(most, all[i]->most[place]);
      int16_t found = all.front()->least[place];
      for (size_t i = 1; i < all.size() && found > least; ++i) {
        found = std::min(found, all[i]->least[place]);
      }
      least = found;
    }
    block.least[place] = Sum(least, more);
    block.most[place] = Sum(most, more);
  }
}

void NodeRows::FindExtremes(Block& block) {
  block.least = block.stretches.front()->least;
  block.most = block.stretches.front()->most;
  const size_t width = block.more.size();
  for (const auto& stretch : block.stretches) {
    for (size_t i = 0; i < width; ++i) {
      block.least[i] = std::min(block.least[i], stretch->least[i]);
      block.most[i] = std::max(block.most[i], stretch->most[i]);
    }
  }
  for (size_t i = 0; i < width; ++i) {
    block.least[i] = Sum(block.least[i], block.more[i]);
    block.most[i] = Sum(block.most[i], block.more[i]);
  }
}

// Splits a stretch with many steps in two, or joins one with few to the stretch before it.
void NodeRows::SplitOrJoin(Block& block, size_t at) const {
  const RowSteps& steps = block.stretches[at]->steps;
  const long next = static_cast<long>(at) + 1;
  if (steps.size() > most_steps_) {
    // Steps of one instant stay together.
    size_t half = steps.size() / 2;
    while (half > 0 && steps.time(half - 1) == steps.time(half)) --half;
    if (half == 0) return;
    auto right = std::make_shared<Stretch>();
    Stretch& left = Mutable(block, at);
    right->start = left.steps.time(half);
    right->before = left.before;
    right->steps = left.steps.Split(half);
    for (size_t i = 0; i < left.steps.size(); ++i) {
      int16_t& value = right->before[left.steps.place(i)];
      value = Sum(value, left.steps.units(i));
    }
    FindExtremes(left);
    FindExtremes(*right);
    block.starts.insert(block.starts.begin() + next, right->start);
    block.stretches.insert(block.stretches.begin() + next, std::move(right));
    return;
  }
  if (at == 0 || steps.size() + block.stretches[at - 1]->steps.size() > most_steps_ / 2) return;
  Stretch& left = Mutable(block, at - 1);
  left.steps.Append(steps);
  for (size_t i = 0; i < width_; ++i) {
    left.least[i] = std::min(left.least[i], block.stretches[at]->least[i]);
    left.most[i] = std::max(left.most[i], block.stretches[at]->most[i]);
  }
  block.starts.erase(block.starts.begin() + next - 1);
  block.stretches.erase(block.stretches.begin() + next - 1);
}

// The same for a block with many or few stretches.
void NodeRows::SplitOrJoin(size_t at) {
  const size_t count = blocks_[at]->stretches.size();
  const long next = static_cast<long>(at) + 1;
  if (count > kMostStretches) {
    const long half = static_cast<long>(count / 2);
    Block& left = Mutable(at);
    auto right = std::make_shared<Block>();
    right->more = left.more;
    right->starts.assign(left.starts.begin() + half, left.starts.end());
    right->stretches.assign(left.stretches.begin() + half, left.stretches.end());
    left.starts.resize(count / 2);
    left.stretches.resize(count / 2);
    FindExtremes(left);
    FindExtremes(*right);
    starts_.insert(starts_.begin() + next, right->starts.front());
    blocks_.insert(blocks_.begin() + next, std::move(right));
    return;
  }
  if (at == 0 || count + blocks_[at - 1]->stretches.size() > kMostStretches / 2) return;
  Block& left = Mutable(at - 1);
  Block& right = Mutable(at);
  for (size_t i = 0; i < right.stretches.size(); ++i) {
    Stretch& stretch = Mutable(right, i);
    for (size_t p = 0; p < width_; ++p) {
      const int more = right.more[p] - left.more[p];
      stretch.before[p] = Sum(stretch.before[p], more);
      stretch.least[p] = Sum(stretch.least[p], more);
      stretch.most[p] = Sum(stretch.most[p], more);
    }
    left.starts.push_back(right.starts[i]);
    left.stretches.push_back(right.stretches[i]);
  }
  FindExtremes(left);
  starts_.erase(starts_.begin() + next - 1);
  blocks_.erase(blocks_.begin() + next - 1);
}

void NodeRows::ForgetBefore(Instant t) {
  const size_t first = Find(t.seconds);
  starts_.erase(starts_.begin(), starts_.begin() + static_cast<long>(first));
  blocks_.erase(blocks_.begin(), blocks_.begin() + static_cast<long>(first));
  const size_t gone = blocks_.front()->Find(t.seconds);
  if (gone < kMostStretches / 4) return;
  Block& block = Mutable(0);
  block.starts.erase(block.starts.begin(), block.starts.begin() + static_cast<long>(gone));
  block.stretches.erase(block.stretches.begin(), block.stretches.begin() + static_cast<long>(gone));
  starts_.front() = block.starts.front();
  FindExtremes(block);
}

}  // namespace muster::plan
