// Which site runs a part. scheduling.md sections 1 (R5) and 4: the smallest start, then finish,
// then home, then spoils, then load (in tenths), then cost, then transfer from home, then name; for
// several parts a bounded search over assignments, by their common start and then the same order,
// with the parts that are not at home, and the transfer between the parts.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"

namespace muster::partitioner {

inline constexpr size_t kPartSites = 16;    // of a part, the best: more with more parts apart
inline constexpr size_t kAssignments = 64;  // of a co-allocation whose common start is sought

struct Candidate {
  std::string site;
  Instant start;       // of the request for this part alone: no common start is earlier
  Span length;         // from then until the part ends there
  int64_t spoils = 0;  // see partitioner/rarity.h
  double load = 0;
  int64_t cost = 0;
  bool home = false;
  int64_t transfer = 0;  // from the user's home
};
// Loads are compared in tenths.
inline int64_t InTenths(double load) { return static_cast<int64_t>(load * 10); }

// Best first.
bool Better(const Candidate& a, const Candidate& b);

struct Assignment {
  std::vector<std::string> part_sites;  // in part order
  Instant start;
};
// Common start of an assignment; none if it has none.
using StartOf = std::function<std::optional<Instant>(const std::vector<std::string>& part_sites)>;

// How far the sites of an assignment are from each other; see partitioner/transfer.h.
using TransferOf = std::function<int64_t(const std::vector<std::string>& part_sites)>;

// The best assignment over the kPartSites best candidates of each part. It is the best there is,
// unless more than kAssignments had to be asked for their common start: best candidates come first.
// With `apart` every part has its own site.
std::optional<Assignment> Assign(std::vector<std::vector<Candidate>> parts, bool apart,
                                 const StartOf& start_of, const TransferOf& transfer_of = nullptr);

// Whether distinct sites can be found at all: `eligible` by part.
bool CanBeApart(const std::vector<std::vector<std::string>>& eligible);

}  // namespace muster::partitioner
