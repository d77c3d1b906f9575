// Input and output of packing: a block of requests in amounts and durations, and the place of each.
// CCS Sect. 3.2, scheduling.md section 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/interval.h"
#include "base/resources.h"
#include "base/time.h"
#include "meta/search/packing/bin.h"
#include "partitioner/choose.h"

namespace muster::packing {

// A part at one of the sites that may run it.
struct Choice {
  size_t bin = 0;       // index into Problem::bins
  ResourceSet amounts;  // amounts taken there
  Span length;          // duration at that site's speed
  int64_t cost = 0;
  int64_t transfer = 0;  // from the user's home
  bool home = false;
  int64_t spoils = 0;   // see partitioner/rarity.h
  int64_t balance = 0;  // see partitioner/choose.h
};

struct Part {
  Span offset;  // after the start of the request
  std::vector<Choice> choices;
};

// One request of the block.
struct Entry {
  Span duration;        // at reference speed, without tail; orders by height compare it
  IntervalSet allowed;  // allowed starts of the request
  std::vector<Part> parts;
  bool apart = false;         // each part on its own site
  Span tail;                  // booked after each part if the parts are on several sites
  Instant joint_from;         // earliest start on several sites
  std::vector<size_t> after;  // entries of this block after whose planned end this one starts
};

struct Problem {
  Instant now;
  std::vector<Bin> bins;
  std::vector<Entry> entries;                     // by rank
  partitioner::TransferOf transfer_of = nullptr;  // between parts; null: no difference
};

// The bin of each part, and the common start.
struct Place {
  std::vector<size_t> bins;
  Instant start;
  bool operator==(const Place&) const = default;
};
// By entry; none if it fits nowhere within its allowed starts.
using Schedule = std::vector<std::optional<Place>>;

// A schedule, and the scheduling points of each bin, ascending. The scheduling points are the
// begins of the bin's levels, and no entry crosses one. fcfs and fcfs* have none.
struct Layout {
  Schedule schedule;
  std::vector<std::vector<Instant>> points;  // by bin
};

}  // namespace muster::packing
