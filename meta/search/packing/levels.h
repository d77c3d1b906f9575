// The levels of one bin: spans [b, e) one after the other, b being a scheduling point. What a level
// once refused it refuses for ever, so levels remember by amount how long a booking may still be,
// and a search passes over all that are too short at once. scheduling.md sections 1 (R1 to R4) and
// 9 ("reject a level by its max free first").
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "meta/search/packing/bin.h"

namespace muster::packing {

// Numbers in a row, of which the first that is large enough is found in O(log n).
class RowOfMost {
 public:
  size_t size() const { return size_; }
  int64_t operator[](size_t i) const { return most_[leaves_ + i]; }
  void Append(int64_t value);
  // REQUIRES: i < size().
  void Lower(size_t i, int64_t value);
  // First index >= from with a value >= least; size() if none.
  size_t FirstFrom(size_t from, int64_t least) const;

 private:
  void Raise(size_t node);

  size_t size_ = 0;
  size_t leaves_ = 0;          // a power of two
  std::vector<int64_t> most_;  // a heap: node i has 2i and 2i+1 below it
};

class Levels {
 public:
  // With `gaps` R2 counts as well.
  explicit Levels(bool gaps) : gaps_(gaps) {}

  // R1 to R4 of this bin: the offer for a booking, not before `from`; none if never, or if it would
  // be after `until`.
  std::optional<Instant> Offer(const Bin& bin, const Bin::Need& need, Instant from, Span length,
                               Instant until);
  // A booking was made where it was offered: `need` from end to end, or none if what it takes
  // differs over its time.
  void Place(const Bin& bin, Instant start, Span length,
             const std::optional<Bin::Need>& need = std::nullopt);

  // Beginnings of the levels, ascending.
  std::vector<Instant> Points() const;

 private:
  struct Level {
    Instant begin;
    Instant end;
    // By resource, of closed levels that were looked at: what is free, turnover included, and what
    // of that was learned when it was last looked at.
    struct Room {
      Stretch free;
      std::vector<Stretch::Run> runs;
      bool learned = false;  // `runs` are of `free` as it is
      bool stale = false;    // `free` misses a booking
    };
    std::map<size_t, Room> rooms;
  };

  Level::Room& RoomOf(const Bin& bin, Level& level, size_t resource);
  std::optional<Instant> OfferInClosed(Level& level, const Bin& bin, const Bin::Need& need,
                                       Instant from, Span length);
  std::optional<Instant> OfferInNewest(const Bin& bin, const Bin::Need& need, Instant from,
                                       Span length) const;
  // What closed levels allow of this amount, as far as anybody looked.
  RowOfMost& Known(const Bin& bin, size_t resource, int64_t amount);
  size_t FirstLong(const Bin& bin, const Bin::Need& need, size_t from, Span length);
  void Learn(Level& level, const Bin& bin, const Bin::Need& need);
  void BookInClosed(const Bin& bin, Instant start, Span length,
                    const std::optional<Bin::Need>& need);

  bool gaps_;
  std::vector<Level> levels_;
  // Seconds with turnover by closed level, of resources and amounts; those may lag behind.
  std::map<size_t, std::map<int64_t, RowOfMost>> known_;
};

}  // namespace muster::packing
