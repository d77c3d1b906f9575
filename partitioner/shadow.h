// The meta's approximation of one site's future, in amounts only: the free profile of the heartbeat
// (what others leave free) less the meta's own bookings. It is a hint for whom to ask first and for
// a first common start; sites decide. scheduling.md section 1 (Shadow), in its first stage.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/interval.h"
#include "base/resources.h"
#include "partitioner/steps.h"
#include "schemas/site_link.h"

namespace muster::partitioner {

class Shadow {
 public:
  struct Booking {
    Interval span;
    ResourceSet amounts;
  };

  // Takes a new capacity summary of the site; the meta's bookings stay. True if at any time more is
  // free than in the previous summary, or if the site has other resources than before.
  bool SetCapacity(const schemas::Capacity& capacity);
  bool known() const { return known_; }
  // Grows with each call of SetCapacity, Book or Free that frees something, or after which less of
  // the profile is exact. While it stays the same, StartsIn rules out what it has ruled out.
  uint64_t freed() const { return freed_; }

  // The free amounts from `from` on as steps, indexed like resources(). The first step holds at
  // `from`, the last for ever. Empty while no summary is known.
  struct FreeStep {
    Instant from;
    std::vector<int64_t> free;
  };
  const std::vector<std::string>& resources() const { return names_; }
  std::vector<FreeStep> FreeFrom(Instant from) const;

  // Sets the bookings of the meta's attempt `fence` here, in part order, replacing earlier ones.
  // True if this frees something: some part takes less than before, or not during all of the time
  // it had.
  bool Book(const Fence& fence, std::vector<Booking> bookings);
  bool Free(const Fence& fence);
  // Drops those steps of the meta's own bookings that end by `before`. Fewer steps keep searches
  // short.
  void Forget(Instant before);

  // The earliest t >= from with `amounts` free over [t, t + length). None if no such t lies before
  // `until`, the site is not known() or has no such resource.
  std::optional<Instant> EarliestFit(const ResourceSet& amounts, Instant from, Span length,
                                     Instant until = kFarFuture) const;

  // All t in `within` with `amounts` free over [t, t + length), in at most `most` intervals. The
  // list is complete before `complete_until`; beyond it there may be more starts, or the profile is
  // coarser than the site's plan.
  struct Starts {
    IntervalSet starts;
    Instant complete_until;
  };
  Starts StartsIn(const ResourceSet& amounts, Interval within, Span length, size_t most) const;

  // A copy without the bookings of these attempts, for queries only.
  Shadow Without(const std::set<Fence>& fences) const;

  // Total amounts of all nodes that are up, indexed like resources().
  const std::vector<int64_t>& total() const { return total_; }
  // Booked share of the site's scarcest resource within kLoadSpan from `from`, by all bookings, 0
  // to 1.
  double Load(Instant from) const;
  static constexpr Span kLoadSpan{86400};

 private:
  using Amounts = std::vector<int64_t>;  // by index of names_

  void Add(const Booking& booking, int64_t sign);
  static bool IsMore(const Steps& now, const Steps& before);
  std::optional<Amounts> Indexed(const ResourceSet& set) const;

  // Walks through the times at which free or own amounts change.
  class Walk;

  bool known_ = false;
  uint64_t freed_ = 0;
  std::vector<std::string> names_;
  Amounts total_;
  Steps profile_;                     // what bookings of others leave free
  Instant exact_until_ = kFarFuture;  // the profile is exact up to here; later steps are merged
  Steps own_;                         // amounts that the meta has booked
  std::map<Fence, std::vector<Booking>> bookings_;
};

}  // namespace muster::partitioner
