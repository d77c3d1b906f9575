// FCFS* one entry at a time, for who cannot lay out a whole block in one go. Entries come by rank;
// what is booked stays.
#pragma once

#include <optional>
#include <vector>

#include "meta/packing/packing.h"

namespace muster::packing {

class FcfsStar {
 public:
  FcfsStar(Instant now, std::vector<Bin> bins);

  // Books it at its earliest fit, not before `not_before` nor now; none if it fits nowhere within
  // its allowed starts. Entry::after is the caller's to translate.
  std::optional<Place> Add(const Entry& entry, Instant not_before);

 private:
  Problem problem_;  // its bins and its time, no entries
};

}  // namespace muster::packing
