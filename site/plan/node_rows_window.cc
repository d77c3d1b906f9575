// Reading rows: window minima, bounds for whole stretches, and where nodes get something back.
#include <algorithm>

#include "site/plan/node_rows.h"
#include "site/plan/row_loops.h"

namespace muster::plan {
namespace {

// Rows looked at to rule out a stretch or block: windows that fail mostly fail soon.
constexpr size_t kLookAhead = 10;

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
  auto step = stretch.steps.begin();
  const int64_t from = std::max(begin, stretch.start);
  for (; step != stretch.steps.end() && step->time <= from; ++step) {
    const uint32_t place = step->place - offset;
    if (place < width) now[place] = Sum(now[place], step->units);
  }
  if (fill) {
    std::copy(now.begin(), now.begin() + width, least.begin());
  } else {
    Lower(least.data(), now.data(), width);
  }
  for (; step != stretch.steps.end() && step->time < end; ++step) {
    const uint32_t place = step->place - offset;
    if (place >= width) continue;
    now[place] = Sum(now[place], step->units);
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

Instant NodeRows::StretchBound(uint32_t resource, Instant begin, Span length, bool thoroughly,
                               Row& least) const {
  const size_t b = Find(begin.seconds);
  const Block& block = *blocks_[b];
  const size_t at = block.Find(begin.seconds);
  const auto end_of = [&](size_t from, size_t i) {
    const Block& of = *blocks_[from];
    return i + 1 < of.stretches.size() ? of.starts[i + 1] : EndOf(from);
  };
  const int64_t covered = begin.seconds + length.seconds;  // by all these windows, from the end on
  const size_t rows = thoroughly ? SIZE_MAX : kLookAhead;
  const size_t offset = offsets_[resource];
  least.resize(widths_[resource]);
  SetToSum(least.data(), block.stretches[at]->most.data() + offset, block.more.data() + offset,
           widths_[resource]);
  for (size_t i = at + 1; i < block.stretches.size() && i - at <= rows; ++i) {
    if (end_of(b, i) > covered) break;
    LowerTo(block.stretches[i]->least, block.more, resource, least);
  }
  size_t i = b + 1;
  for (; i < blocks_.size() && i - b <= rows; ++i) {
    if (EndOf(i) > covered) break;
    LowerTo(blocks_[i]->least, resource, least);
  }
  if (!thoroughly || i >= blocks_.size()) return {end_of(b, at)};
  const Block& last = *blocks_[i];
  for (size_t s = 0; s < last.stretches.size(); ++s) {
    if (end_of(i, s) > covered) break;
    LowerTo(last.stretches[s]->least, last.more, resource, least);
  }
  return {end_of(b, at)};
}

Instant NodeRows::BlockBound(uint32_t resource, Instant begin, Span length, bool thoroughly,
                             Row& least) const {
  const size_t b = Find(begin.seconds);
  const int64_t covered = begin.seconds + length.seconds;
  const size_t rows = thoroughly ? SIZE_MAX : kLookAhead;
  const auto most = blocks_[b]->most.begin() + static_cast<long>(offsets_[resource]);
  least.assign(most, most + widths_[resource]);
  for (size_t i = b + 1; i < blocks_.size() && i - b <= rows; ++i) {
    if (EndOf(i) > covered) break;
    LowerTo(blocks_[i]->least, resource, least);
  }
  return {EndOf(b)};
}

void NodeRows::GivenWithin(const std::vector<uint32_t>& resources, Instant after, Instant until,
                           std::vector<Given>& out) const {
  out.clear();
  const auto earlier = [](int64_t t, const Step& step) { return t < step.time; };
  for (size_t b = Find(after.seconds); b < blocks_.size(); ++b) {
    const Block& block = *blocks_[b];
    const size_t from = after.seconds < starts_[b] ? 0 : block.Find(after.seconds);
    for (size_t at = from; at < block.stretches.size(); ++at) {
      if (block.starts[at] >= until.seconds) return;
      const std::vector<Step>& steps = block.stretches[at]->steps;
      auto step = std::upper_bound(steps.begin(), steps.end(), after.seconds, earlier);
      for (; step != steps.end() && step->time < until.seconds; ++step) {
        if (step->units <= 0) continue;
        for (const uint32_t r : resources) {
          const uint32_t place = step->place - offsets_[r];
          if (place >= widths_[r]) continue;
          out.push_back({{step->time}, Everywhere(r) ? place : nodes_[r][place]});
          break;
        }
      }
    }
  }
}

}  // namespace muster::plan
