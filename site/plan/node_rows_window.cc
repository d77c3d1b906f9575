// Reads rows: window minima, bounds for whole stretches, and when nodes get something back.
#include <algorithm>

#include "site/plan/node_rows.h"
#include "site/plan/row_loops.h"

namespace muster::plan {
namespace {

constexpr uint32_t kNoStep = UINT32_MAX;

}  // namespace

void NodeRows::LowerTo(const Row& row, uint32_t resource, Row& least) const {
  Lower(least.data(), row.data() + offsets_[resource], widths_[resource]);
}

void NodeRows::LowerTo(const Row& row, const Row& more, uint32_t resource, Row& least) const {
  const size_t offset = offsets_[resource];
  LowerToSum(least.data(), row.data() + offset, more.data() + offset, widths_[resource]);
}

void NodeRows::LowerWithin(const Block& block, const Stretch& stretch, uint32_t resource,
                           int64_t begin, int64_t end, bool fill, Row& least, Row& now) const {
  const uint32_t offset = offsets_[resource];
  const uint32_t width = widths_[resource];
  SetToSum(now.data(), stretch.before.data() + offset, block.more.data() + offset, width);
  const RowSteps& steps = stretch.steps;
  const size_t inside = steps.After(std::max(begin, stretch.start));
  const size_t last = steps.After(end - 1);
  size_t i = 0;
  for (; i < inside; ++i) {
    const uint32_t place = steps.place(i) - offset;
    if (place < width) now[place] = Sum(now[place], steps.units(i));
  }
  if (fill) {
    std::copy(now.begin(), now.begin() + width, least.begin());
  } else {
    Lower(least.data(), now.data(), width);
  }
  for (; i < last; ++i) {
    const uint32_t place = steps.place(i) - offset;
    if (place >= width) continue;
    now[place] = Sum(now[place], steps.units(i));
    least[place] = std::min(least[place], now[place]);
  }
}

void NodeRows::Least(uint32_t resource, Instant begin, Instant end, Row& least,
                     Row& scratch) const {
  const int64_t last_second = std::min(end.seconds - 1, kFarFuture.seconds);
  const size_t first_block = Find(begin.seconds);
  const size_t last_block = Find(last_second);
  const size_t first = blocks_[first_block]->Find(begin.seconds);
  const size_t last = blocks_[last_block]->Find(last_second);
  least.resize(widths_[resource]);
  if (scratch.size() < widths_[resource]) scratch.resize(widths_[resource]);
  for (size_t b = first_block; b <= last_block; ++b) {
    const Block& block = *blocks_[b];
    if (b != first_block && b != last_block) {
      LowerTo(block.least, resource, least);
      continue;
    }
    const size_t from = b == first_block ? first : 0;
    const size_t to = b == last_block ? last : block.stretches.size() - 1;
    for (size_t i = from; i <= to; ++i) {
      const Stretch& stretch = *block.stretches[i];
      const bool fill = b == first_block && i == first;
      if (fill || (b == last_block && i == last)) {
        LowerWithin(block, stretch, resource, begin.seconds, end.seconds, fill, least, scratch);
      } else {
        LowerTo(stretch.least, block.more, resource, least);
      }
    }
  }
}

void NodeRows::FindCommon(Instant begin, Span length, CommonRows& common) const {
  const size_t b = Find(begin.seconds);
  const Block& block = *blocks_[b];
  const size_t at = block.Find(begin.seconds);
  const int64_t covered = begin.seconds + length.seconds;  // all these windows last until here or
                                                           // longer
  // `last` is the last block that begins at or before `covered`. These windows need not cover all
  // of it, but may cover its first stretches.
  const auto open =
      std::upper_bound(starts_.begin() + static_cast<long>(b) + 1, starts_.end(), covered);
  const size_t last = static_cast<size_t>(open - starts_.begin()) - 1;
  common.least.clear();
  const auto add_stretches = [&](const Block& of, size_t from) {
    const auto end =
        std::upper_bound(of.starts.begin() + static_cast<long>(from), of.starts.end(), covered);
    for (size_t i = static_cast<size_t>(end - of.starts.begin()) - 1; i-- > from;) {
      common.least.push_back({&of.stretches[i]->least, &of.more, {of.starts[i]}});
    }
  };
  if (last > b) {
    add_stretches(*blocks_[last], 0);
    for (size_t i = last; --i > b;) {
      common.least.push_back({&blocks_[i]->least, nullptr, {starts_[i]}});
    }
  }
  common.beyond = common.least.size();
  common.block = {&block.most, nullptr, {EndOf(b)}};
  const bool ends = at + 1 == block.stretches.size();
  common.stretch = {
      &block.stretches[at]->most, &block.more, {ends ? EndOf(b) : block.starts[at + 1]}};
  if (last > b) {
    for (size_t i = block.stretches.size(); --i > at;) {
      common.least.push_back({&block.stretches[i]->least, &block.more, {block.starts[i]}});
    }
  } else if (!ends) {
    add_stretches(block, at + 1);
  }
}

// The least that a step's place has free from the step until `end` or the end of the stretch.
int16_t NodeRows::Levels::LeastFrom(const RowSteps& steps, size_t step, int64_t end) const {
  int16_t least = free[step];
  for (uint32_t i = later[step]; i != kNoStep && steps.time(i) < end; i = later[i]) {
    least = std::min(least, free[i]);
  }
  return least;
}

void NodeRows::FindLevels(const Block& block, const Stretch& stretch, Levels& levels) const {
  const RowSteps& steps = stretch.steps;
  levels.free.resize(steps.size());
  levels.later.assign(steps.size(), kNoStep);
  levels.last.resize(width_, kNoStep);
  for (uint32_t i = 0; i < steps.size(); ++i) {
    const uint32_t place = steps.place(i);
    const uint32_t last = levels.last[place];
    if (last != kNoStep) levels.later[last] = i;
    const int before =
        last != kNoStep ? levels.free[last] : stretch.before[place] + block.more[place];
    levels.free[i] = Sum(before, steps.units(i));
    levels.last[place] = i;
  }
  for (size_t i = 0; i < steps.size(); ++i) levels.last[steps.place(i)] = kNoStep;
}

// Lists where some of these resources is given back in a stretch, which ends at `ends`.
void NodeRows::GivenIn(const RowSteps& steps, const Levels& levels, int64_t ends,
                       const std::vector<uint32_t>& resources, const Wanted& wanted,
                       std::vector<Given>& out) const {
  const size_t end_step = steps.After(wanted.until.seconds - 1);
  for (size_t i = steps.After(wanted.after.seconds); i < end_step; ++i) {
    if (steps.units(i) <= 0) continue;
    for (uint32_t which = 0; which < resources.size(); ++which) {
      const uint32_t r = resources[which];
      const uint32_t place = steps.place(i) - offsets_[r];
      if (place >= widths_[r]) continue;
      const int64_t end = steps.time(i) + wanted.length.seconds;
      const uint32_t node = Everywhere(r) ? place : nodes_[r][place];
      const int16_t least = levels.LeastFrom(steps, i, end);
      out.push_back({{steps.time(i)}, node, which, least, end <= ends});
      break;
    }
  }
}

void NodeRows::GivenWithin(const std::vector<uint32_t>& resources, const Wanted& wanted,
                           std::vector<Given>& out, Levels& levels) const {
  out.clear();
  for (size_t b = Find(wanted.after.seconds); b < blocks_.size(); ++b) {
    const Block& block = *blocks_[b];
    const size_t from = wanted.after.seconds < starts_[b] ? 0 : block.Find(wanted.after.seconds);
    for (size_t at = from; at < block.stretches.size(); ++at) {
      if (block.starts[at] >= wanted.until.seconds) return;
      const bool ends_block = at + 1 == block.stretches.size();
      FindLevels(block, *block.stretches[at], levels);
      GivenIn(block.stretches[at]->steps, levels, ends_block ? EndOf(b) : block.starts[at + 1],
              resources, wanted, out);
    }
  }
}

}  // namespace muster::plan
