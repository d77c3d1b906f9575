// Reading rows: window minima, bounds for whole stretches, and where nodes get something back.
#include <algorithm>

#include "site/plan/node_rows.h"
#include "site/plan/row_loops.h"

namespace muster::plan {
namespace {

int16_t Sum(int a, int b) { return static_cast<int16_t>(a + b); }

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
  const int64_t covered = begin.seconds + length.seconds;  // by all these windows, from the end on
  // The first block that is not wholly in them, and the stretches of it that are.
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

void NodeRows::GivenWithin(const std::vector<uint32_t>& resources, Instant after, Instant until,
                           std::vector<Given>& out) const {
  out.clear();
  for (size_t b = Find(after.seconds); b < blocks_.size(); ++b) {
    const Block& block = *blocks_[b];
    const size_t from = after.seconds < starts_[b] ? 0 : block.Find(after.seconds);
    for (size_t at = from; at < block.stretches.size(); ++at) {
      if (block.starts[at] >= until.seconds) return;
      const RowSteps& steps = block.stretches[at]->steps;
      for (size_t i = steps.After(after.seconds); i < steps.size() && steps.time(i) < until.seconds;
           ++i) {
        if (steps.units(i) <= 0) continue;
        for (const uint32_t r : resources) {
          const uint32_t place = steps.place(i) - offsets_[r];
          if (place >= widths_[r]) continue;
          out.push_back({{steps.time(i)}, Everywhere(r) ? place : nodes_[r][place]});
          break;
        }
      }
    }
  }
}

}  // namespace muster::plan
