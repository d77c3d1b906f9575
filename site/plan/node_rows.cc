// Rows are short integers that lie side by side, so that the loops over nodes become vector
// instructions. A change touches a few numbers a node in each block that it covers, and in the
// stretches of the two blocks where it begins and ends.
#include "site/plan/node_rows.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace muster::plan {
namespace {

// More than the earliest instant that anybody asks about.
constexpr int64_t kBeginning = INT64_MIN / 2;
// A node's amount in units: small enough that overbooking some times does not overflow a row.
constexpr int64_t kMostUnits = 2047;
constexpr int16_t kLeastCounted = -24000;
constexpr uint32_t kNoPlace = UINT32_MAX;
// Where rows are long, a pass over steps may cost as much as one over a row.
constexpr size_t kStepsAtLeast = 256;
// Places whose rows are asked for before they change; of more, each is soon one of many.
constexpr size_t kMostPrefetched = 16;
// Stretches of a block.
constexpr size_t kMostStretches = 8;

int16_t Sum(int a, int b) { return static_cast<int16_t>(a + b); }

// A place's values over a stretch: until its first step it has what it had before.
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
  Steps steps;
  steps.reserve(amounts.size());
  for (const Amount& a : amounts) {
    const int64_t units = std::min(a.amount >> shifts_[a.resource], kMostUnits);
    const uint32_t place = PlaceOf(a.node, a.resource);
    if (units << shifts_[a.resource] != a.amount) inexact_[a.resource] -= sign;
    if (units == 0 || place == kNoPlace) continue;
    steps.emplace_back(offsets_[a.resource] + place, static_cast<int32_t>(units));
  }
  if (steps.empty() || !usable_) return;
  std::sort(steps.begin(), steps.end());
  const int64_t until = end >= kFarFuture ? INT64_MAX : end.seconds;
  const size_t first = Find(begin.seconds);
  const size_t last = until == INT64_MAX ? blocks_.size() : Find(until);
  Prefetch(*blocks_[first], steps);
  if (last != first && last < blocks_.size()) Prefetch(*blocks_[last], steps);
  for (size_t at = first; at < blocks_.size() && at <= last; ++at) {
    Block& block = Mutable(at);
    if (at == first || at == last) {
      ChangeBlock(at, steps, begin.seconds, until, sign);
      continue;
    }
    ChangeRow(block.more, steps, sign);
    ChangeRow(block.least, steps, sign);
    ChangeRow(block.most, steps, sign);
  }
  if (last < blocks_.size()) SplitOrJoin(last);
  if (first != last) SplitOrJoin(first);
}

// Rows of a block lie far apart in memory: what is changed of them is asked for at once.
void NodeRows::Prefetch(const Block& block, const Steps& steps) {
  if (steps.size() > kMostPrefetched) return;
  for (const std::shared_ptr<Stretch>& stretch : block.stretches) {
    for (const auto& [place, units] : steps) {
      __builtin_prefetch(&stretch->least[place], 1);
      __builtin_prefetch(&stretch->most[place], 1);
      __builtin_prefetch(&stretch->before[place], 1);
    }
  }
}

void NodeRows::ChangeRow(Row& row, const Steps& steps, int sign) {
  for (const auto& [place, units] : steps) {
    row[place] = Sum(row[place], sign * units);
    if (row[place] < kLeastCounted) usable_ = false;
  }
}

// The same within a block where the change begins or ends.
void NodeRows::ChangeBlock(size_t at, const Steps& steps, int64_t begin, int64_t end, int sign) {
  Block& block = *blocks_[at];
  const bool begins = begin >= starts_[at];
  const bool ends = end < EndOf(at);
  const size_t first = begins ? block.Find(begin) : 0;
  const size_t last = ends ? block.Find(end) : block.stretches.size() - 1;
  for (size_t i = first; i <= last; ++i) {
    Stretch& stretch = Mutable(block, i);
    if (begin < stretch.start) ChangeRow(stretch.before, steps, sign);
    const bool begins_here = begins && i == first;
    const bool ends_here = ends && i == last;
    if (!begins_here && !ends_here) {
      ChangeRow(stretch.least, steps, sign);
      ChangeRow(stretch.most, steps, sign);
      continue;
    }
    if (begins_here) AddSteps(stretch, begin, steps, sign);
    if (ends_here) AddSteps(stretch, end, steps, -sign);
    FindExtremes(stretch, steps);
  }
  for (const auto& [place, units] : steps) FindExtremes(block, place);
  if (ends) SplitOrJoin(block, last);
  if (begins && (!ends || first != last)) SplitOrJoin(block, first);
}

// Merges steps of one instant into those that are there; what cancels out is dropped.
void NodeRows::AddSteps(Stretch& stretch, int64_t time, const Steps& steps, int sign) {
  std::vector<Step>& all = stretch.steps;
  const auto earlier = [](const Step& step, int64_t t) { return step.time < t; };
  const auto low = std::lower_bound(all.begin(), all.end(), time, earlier);
  const auto high = std::lower_bound(low, all.end(), time + 1, earlier);
  const size_t at = static_cast<size_t>(low - all.begin());
  if (low == high) {  // nearly always
    auto into = all.insert(low, steps.size(), {});
    for (const auto& [place, units] : steps) *into++ = {time, place, sign * units};
    return;
  }
  std::vector<Step> merged;
  merged.reserve(steps.size() + static_cast<size_t>(high - low));
  auto there = low;
  for (const auto& [place, units] : steps) {
    while (there != high && there->place < place) merged.push_back(*there++);
    if (!merged.empty() && merged.back().place == place) {
      merged.back().units += sign * units;
    } else if (there != high && there->place == place) {
      merged.push_back({time, place, there++->units + sign * units});
    } else {
      merged.push_back({time, place, sign * units});
    }
  }
  merged.insert(merged.end(), there, high);
  std::erase_if(merged, [](const Step& step) { return step.units == 0; });
  const size_t before = static_cast<size_t>(high - low);
  if (merged.size() > before) {
    all.insert(all.begin() + static_cast<long>(at + before), merged.size() - before, {});
  } else {
    const auto from = all.begin() + static_cast<long>(at);
    all.erase(from + static_cast<long>(merged.size()), from + static_cast<long>(before));
  }
  std::copy(merged.begin(), merged.end(), all.begin() + static_cast<long>(at));
}

// Least and most of the places of these steps anew.
void NodeRows::FindExtremes(Stretch& stretch, const Steps& steps) {
  for (const auto& [place, units] : steps) {
    asked_[place] = 1;
    stretch.least[place] = stretch.most[place] = now_[place] = stretch.before[place];
  }
  for (const Step& step : stretch.steps) {
    if (asked_[step.place] == 0) continue;
    int16_t& value = now_[step.place];
    value = Sum(value, step.units);
    Follow(value, step.time == stretch.start, stretch.least[step.place], stretch.most[step.place]);
  }
  for (const auto& [place, units] : steps) {
    asked_[place] = 0;
    if (stretch.least[place] < kLeastCounted) usable_ = false;
  }
}

void NodeRows::FindExtremes(Stretch& stretch) {
  Row now = stretch.before;
  stretch.least = stretch.most = stretch.before;
  for (const Step& step : stretch.steps) {
    int16_t& value = now[step.place];
    value = Sum(value, step.units);
    Follow(value, step.time == stretch.start, stretch.least[step.place], stretch.most[step.place]);
  }
}

void NodeRows::FindExtremes(Block& block, uint32_t place) {
  int16_t least = block.stretches.front()->least[place];
  int16_t most = block.stretches.front()->most[place];
  for (const auto& stretch : block.stretches) {
    least = std::min(least, stretch->least[place]);
    most = std::max(most, stretch->most[place]);
  }
  block.least[place] = Sum(least, block.more[place]);
  block.most[place] = Sum(most, block.more[place]);
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

// A stretch with many steps becomes two; one with few goes into the one before it.
void NodeRows::SplitOrJoin(Block& block, size_t at) const {
  const std::vector<Step>& steps = block.stretches[at]->steps;
  const long next = static_cast<long>(at) + 1;
  if (steps.size() > most_steps_) {
    // Steps of one instant stay together.
    size_t half = steps.size() / 2;
    while (half > 0 && steps[half - 1].time == steps[half].time) --half;
    if (half == 0) return;
    auto right = std::make_shared<Stretch>();
    Stretch& left = Mutable(block, at);
    right->start = left.steps[half].time;
    right->before = left.before;
    for (size_t i = 0; i < half; ++i) {
      int16_t& value = right->before[left.steps[i].place];
      value = Sum(value, left.steps[i].units);
    }
    right->steps.assign(left.steps.begin() + static_cast<long>(half), left.steps.end());
    left.steps.resize(half);
    left.steps.shrink_to_fit();
    FindExtremes(left);
    FindExtremes(*right);
    block.starts.insert(block.starts.begin() + next, right->start);
    block.stretches.insert(block.stretches.begin() + next, std::move(right));
    return;
  }
  if (at == 0 || steps.size() + block.stretches[at - 1]->steps.size() > most_steps_ / 2) return;
  Stretch& left = Mutable(block, at - 1);
  left.steps.insert(left.steps.end(), steps.begin(), steps.end());
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
