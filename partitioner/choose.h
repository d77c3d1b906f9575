// Which site runs a part. scheduling.md sections 1 (R5) and 4: the smallest start, then finish,
// then home, then spoils, then load (in tenths), then cost, then transfer from home, then name; for
// several parts a bounded search over assignments, scored by their common start, then finish, load,
// cost and transfer between the parts.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"

namespace muster::partitioner {

inline constexpr size_t kAskSites = 3;      // candidates per part
inline constexpr size_t kAssignments = 64;  // tried per co-allocation

struct Candidate {
  std::string site;
  Instant start;       // of this part alone, as far as known
  Span length;         // how long it takes there
  int64_t spoils = 0;  // see partitioner/rarity.h
  double load = 0;
  int64_t cost = 0;
  bool home = false;
  int64_t transfer = 0;  // from the user's home
};
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

// The best assignment among at most kAssignments, best candidates first; without transfers to
// compare it stops at the first one that starts at `earliest`, before which nothing can. With
// `apart` every part has its own site.
std::optional<Assignment> Assign(std::vector<std::vector<Candidate>> parts, bool apart,
                                 Instant earliest, const StartOf& start_of,
                                 const TransferOf& transfer_of = nullptr);

// Whether distinct sites can be found at all: `eligible` by part.
bool CanBeApart(const std::vector<std::vector<std::string>>& eligible);

}  // namespace muster::partitioner
