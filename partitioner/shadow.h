// What the meta knows of one site's future, in amounts only: the heartbeat's profile of what is not
// the meta's own, less what the meta has booked itself. A hint that orders whom to ask and names a
// first common start; sites decide. scheduling.md section 1 (Shadow), in its first stage.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
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

  // A new summary of the site; own bookings stay. True if at some time more is free than by the one
  // before, or free of something that was not known.
  bool SetCapacity(const schemas::Capacity& capacity);
  bool known() const { return known_; }

  // What is free of everything from `from` on, by index of resources(), as steps: the first holds
  // at `from`, the last for ever. Empty while nothing is known.
  struct FreeStep {
    Instant from;
    std::vector<int64_t> free;
  };
  const std::vector<std::string>& resources() const { return names_; }
  std::vector<FreeStep> FreeFrom(Instant from) const;

  // What the meta's attempt `fence` has booked here, in the order of its parts; replaces what it
  // had. True if that gives something back: a part has less now, or not all of the same time. Free:
  // nothing any more; true if it had something.
  bool Book(const Fence& fence, std::vector<Booking> bookings);
  bool Free(const Fence& fence);
  // Forgets what is past, so that the search stays short.
  void Forget(Instant before);

  // Earliest t >= from with `amounts` free over [t, t + length); none if never, or if it would not
  // begin before `until`.
  std::optional<Instant> EarliestFit(const ResourceSet& amounts, Instant from, Span length,
                                     Instant until = kFarFuture) const;

  // All t in `within` with `amounts` free over [t, t + length), in at most `most` intervals; they
  // are all there are before `complete_until`: beyond it there may be more, or the site tells less
  // than it knows.
  struct Starts {
    IntervalSet starts;
    Instant complete_until;
  };
  Starts StartsIn(const ResourceSet& amounts, Interval within, Span length, size_t most) const;

  // The same without what `fence` has booked; it answers questions only.
  Shadow Without(const Fence& fence) const;

  // Of everything that is up, by index of resources().
  const std::vector<int64_t>& total() const { return total_; }
  // The share of the site's scarcest resource that is taken within kLoadSpan from `from`, by
  // whomever, 0 to 1.
  double Load(Instant from) const;
  static constexpr Span kLoadSpan{86400};

 private:
  using Amounts = std::vector<int64_t>;  // by index of names_

  void Add(const Booking& booking, int64_t sign);
  static bool IsMore(const Steps& now, const Steps& before);
  std::optional<Amounts> Indexed(const ResourceSet& set) const;

  // Where amounts change, by what is free of other work and what is the meta's own.
  class Walk;

  bool known_ = false;
  std::vector<std::string> names_;
  Amounts total_;
  Steps profile_;                     // free of what is not the meta's
  Instant exact_until_ = kFarFuture;  // of the profile: far steps are merged
  Steps own_;                         // taken by the meta
  std::map<Fence, std::vector<Booking>> bookings_;
};

}  // namespace muster::partitioner
