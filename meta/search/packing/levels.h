// The levels of one bin: successive spans [b, e), each beginning at a scheduling point b. What a
// closed level refused once it refuses for ever. So it is recorded, by amount, how long a booking
// each level may still take, and a search skips all levels that are too short. scheduling.md
// sections 1 (R1 to R4) and 9 ("reject a level by its max free first").
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "meta/search/packing/bin.h"

namespace muster::packing {

// A sequence of numbers that finds its first large enough element in O(log n).
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
  // `gaps`: rule R2 applies as well.
  explicit Levels(bool gaps) : gaps_(gaps) {}

  // The offer of this bin by rules R1 to R4, at or after `from`. None if there is none, or it would
  // be after `until`.
  std::optional<Instant> Offer(const Bin& bin, const Bin::Need& need, Instant from, Span length,
                               Instant until);
  // Books at an offered place. `need` is what the booking takes over its whole length; none if that
  // varies.
  void Place(const Bin& bin, Instant start, Span length,
             const std::optional<Bin::Need>& need = std::nullopt);

  // Begins of the levels, ascending.
  std::vector<Instant> Points() const;

 private:
  struct Level {
    Instant begin;
    Instant end;
    // Room in a closed level of one resource, filled in when first looked at: the free amounts,
    // turnover included, and the longest bookings derived from them.
    struct Room {
      Stretch free;
      std::vector<Stretch::Run> runs;
      bool learned = false;  // `runs` match `free`
      bool stale = false;    // `free` lacks a booking
    };
    std::map<size_t, Room> rooms;
  };

  Level::Room& RoomOf(const Bin& bin, Level& level, size_t resource);
  std::optional<Instant> OfferInClosed(Level& level, const Bin& bin, const Bin::Need& need,
                                       Instant from, Span length);
  std::optional<Instant> OfferInNewest(const Bin& bin, const Bin::Need& need, Instant from,
                                       Span length) const;
  // By closed level, the longest booking of this amount, as far as known.
  RowOfMost& Known(const Bin& bin, size_t resource, int64_t amount);
  size_t FirstLong(const Bin& bin, const Bin::Need& need, size_t from, Span length);
  void Learn(Level& level, const Bin& bin, const Bin::Need& need);
  void BookInClosed(const Bin& bin, Instant start, Span length,
                    const std::optional<Bin::Need>& need);

  bool gaps_;
  std::vector<Level> levels_;
  // By resource and amount class, for each closed level: the longest booking in seconds, turnover
  // included. An upper bound that may be out of date.
  std::map<size_t, std::map<int64_t, RowOfMost>> known_;
};

}  // namespace muster::packing
