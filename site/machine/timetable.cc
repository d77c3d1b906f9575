// A sorted vector of rows is enough: plans change near their end, or are read much more often than
// changed.
#include "site/machine/timetable.h"

#include <algorithm>

namespace muster::machine {

Timetable::Timetable(size_t unit_count) { rows_.push_back({Instant{INT64_MIN}, Bits(unit_count)}); }

size_t Timetable::Find(Instant t) const {
  const auto after = std::partition_point(rows_.begin(), rows_.end(),
                                          [t](const Row& row) { return row.from <= t; });
  return static_cast<size_t>(after - rows_.begin()) - 1;
}

size_t Timetable::Split(Instant at) {
  const size_t row = Find(at);
  if (rows_[row].from == at) return row;
  rows_.insert(rows_.begin() + static_cast<std::ptrdiff_t>(row) + 1, Row{at, rows_[row].busy});
  return row + 1;
}

void Timetable::Take(const Bits& units, Instant begin, Instant end) {
  if (begin >= end) return;
  const size_t first = Split(begin);
  const size_t last = Split(end);
  for (size_t row = first; row < last; ++row) rows_[row].busy |= units;
}

Bits Timetable::Busy(Instant begin, Instant end) const {
  const size_t first = Find(begin);
  Bits out = rows_[first].busy;
  for (size_t row = first + 1; row < rows_.size() && rows_[row].from < end; ++row) {
    out |= rows_[row].busy;
  }
  return out;
}

Instant Timetable::NextRelease(Instant t) const {
  for (size_t row = Find(t) + 1; row < rows_.size(); ++row) {
    if (!rows_[row].busy.Contains(rows_[row - 1].busy)) return rows_[row].from;
  }
  return kFarFuture;
}

}  // namespace muster::machine
