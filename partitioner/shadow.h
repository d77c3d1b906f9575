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
#include "schemas/site_link.h"

namespace muster::partitioner {

class Shadow {
 public:
  struct Booking {
    Interval span;
    ResourceSet amounts;
  };

  // A new summary of the site; own bookings stay.
  void SetCapacity(const schemas::Capacity& capacity);
  bool known() const { return known_; }

  // What is free of everything from `from` on, by index of resources(), as steps: the first holds
  // at `from`, the last for ever. Empty while nothing is known.
  struct FreeStep {
    Instant from;
    std::vector<int64_t> free;
  };
  const std::vector<std::string>& resources() const { return names_; }
  std::vector<FreeStep> FreeFrom(Instant from) const;

  // What the meta's attempt `fence` has booked here; replaces what it had. Free: nothing any more.
  void Book(const Fence& fence, std::vector<Booking> bookings);
  void Free(const Fence& fence);
  // Forgets what is past, so that the search stays short.
  void Forget(Instant before);

  // Earliest t >= from with `amounts` free over [t, t + length); none if never, or if it would not
  // begin before `until`.
  std::optional<Instant> EarliestFit(const ResourceSet& amounts, Instant from, Span length,
                                     Instant until = kFarFuture) const;

  // Share of the site's largest resource that the meta has booked within a day from `from`, 0 to 1.
  double Load(Instant from) const;

 private:
  using Amounts = std::vector<int64_t>;  // by index of names_

  void Add(const Booking& booking, int64_t sign);
  std::map<Instant, Amounts>::iterator Split(Instant at);
  std::optional<Amounts> Indexed(const ResourceSet& set) const;

  bool known_ = false;
  std::vector<std::string> names_;
  Amounts total_;
  std::map<Instant, Amounts> profile_;  // free of what is not the meta's, from here on
  std::map<Instant, Amounts> own_;      // taken by the meta, from here on
  std::map<Fence, std::vector<Booking>> bookings_;
};

}  // namespace muster::partitioner
