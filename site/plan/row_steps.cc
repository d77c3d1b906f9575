// Units fit in short integers, as they do in rows.
#include "site/plan/row_steps.h"

#include <algorithm>

namespace muster::plan {
namespace {

int16_t Times(int32_t units, int sign) { return static_cast<int16_t>(sign * units); }

template <typename T>
void Insert(std::vector<T>& all, size_t at, T value, size_t count) {
  all.insert(all.begin() + static_cast<long>(at), count, value);
}

template <typename T>
void Erase(std::vector<T>& all, size_t from, size_t to) {
  all.erase(all.begin() + static_cast<long>(from), all.begin() + static_cast<long>(to));
}

template <typename T>
std::vector<T> SplitAt(std::vector<T>& all, size_t at) {
  std::vector<T> right(all.begin() + static_cast<long>(at), all.end());
  all.resize(at);
  all.shrink_to_fit();
  return right;
}

}  // namespace

size_t RowSteps::After(int64_t t) const {
  return static_cast<size_t>(std::upper_bound(times_.begin(), times_.end(), t) - times_.begin());
}

void RowSteps::Add(int64_t time, const PlaceChanges& changes, int sign) {
  const size_t high = After(time);
  if (high > 0 && times_[high - 1] == time) {
    const auto low = std::lower_bound(times_.begin(), times_.end(), time);
    return AddAt(static_cast<size_t>(low - times_.begin()), high, changes, sign);
  }
  InsertAt(high, time, changes.size());
  size_t at = high;
  for (const auto& [place, units] : changes) {
    places_[at] = place;
    units_[at++] = Times(units, sign);
  }
}

void RowSteps::InsertAt(size_t at, int64_t time, size_t count) {
  Insert(times_, at, time, count);
  Insert(places_, at, uint32_t{0}, count);
  Insert(units_, at, int16_t{0}, count);
}

// Adds to the steps of one instant, which lie in [low, high).
void RowSteps::AddAt(size_t low, size_t high, const PlaceChanges& changes, int sign) {
  const int64_t time = times_[low];
  PlaceChanges missing;
  bool none_left = false;
  const auto end = places_.begin() + static_cast<long>(high);
  auto there = places_.begin() + static_cast<long>(low);
  for (const auto& [place, units] : changes) {
    there = std::lower_bound(there, end, place);
    if (there == end || *there != place) {
      missing.emplace_back(place, units);
      continue;
    }
    int16_t& value = units_[static_cast<size_t>(there - places_.begin())];
    value = static_cast<int16_t>(value + Times(units, sign));
    none_left |= value == 0;
  }
  if (none_left) high = DropNone(low, high);
  InsertAt(high, time, missing.size());
  // Merges from the end, so that nothing is overwritten before it has moved.
  size_t into = high + missing.size();
  for (size_t m = missing.size(); m > 0; --into) {
    const auto& [place, units] = missing[m - 1];
    if (high > low && places_[high - 1] > place) {
      places_[into - 1] = places_[--high];
      units_[into - 1] = units_[high];
    } else {
      places_[into - 1] = place;
      units_[into - 1] = Times(units, sign);
      --m;
    }
  }
}

// Drops the steps in [low, high) that have 0 units; returns the new end of the range.
size_t RowSteps::DropNone(size_t low, size_t high) {
  size_t into = low;
  for (size_t i = low; i < high; ++i) {
    if (units_[i] == 0) continue;
    places_[into] = places_[i];
    units_[into++] = units_[i];
  }
  Erase(times_, into, high);
  Erase(places_, into, high);
  Erase(units_, into, high);
  return into;
}

RowSteps RowSteps::Split(size_t at) {
  RowSteps right;
  right.times_ = SplitAt(times_, at);
  right.places_ = SplitAt(places_, at);
  right.units_ = SplitAt(units_, at);
  return right;
}

void RowSteps::Append(const RowSteps& others) {
  times_.insert(times_.end(), others.times_.begin(), others.times_.end());
  places_.insert(places_.end(), others.places_.begin(), others.places_.end());
  units_.insert(units_.end(), others.units_.begin(), others.units_.end());
}

}  // namespace muster::plan
