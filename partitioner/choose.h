// Chooses the site of each part (scheduling.md sections 1 (R5) and 4). For one part, of the sites
// that can be paid the one with the smallest start wins; of equal starts, the smallest finish,
// home, spoils, load (in tenths), balance, cost, transfer from home, and name decide. For several
// parts, a bounded search looks for the assignment with the smallest common start. Of equal starts,
// an assignment to one site wins; then the same criteria decide, with the number of parts away from
// home and the transfer between the parts.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"

namespace muster::partitioner {

// Number of best candidates considered per part. If parts must be apart, it is at least the number
// of parts.
inline constexpr size_t kPartSites = 16;
inline constexpr size_t kAssignments = 64;  // most assignments whose common start is computed

struct Candidate {
  std::string site;
  Instant start;       // start of the request for this part alone; a common start is never earlier
  Span length;         // from that start to the end of the part at the site
  int64_t spoils = 0;  // see partitioner/rarity.h
  double load = 0;
  // What the site gave others, less what its users took from others: 0 to 2000, 1000 if even.
  int64_t balance = 0;
  int64_t cost = 0;
  bool home = false;
  int64_t transfer = 0;  // transfer time from the user's home
  bool unpaid = false;   // its account has too little for it there: comes after all others
};
// Converts a load to tenths, the resolution in which loads are compared.
inline int64_t InTenths(double load) { return static_cast<int64_t>(load * 10); }

// Whether `a` is preferable to `b`.
bool Better(const Candidate& a, const Candidate& b);

struct Assignment {
  std::vector<std::string> part_sites;  // in part order
  Instant start;
};
// Computes the common start of an assignment, if there is one.
using StartOf = std::function<std::optional<Instant>(const std::vector<std::string>& part_sites)>;

// Computes the transfer time between the sites of an assignment; see partitioner/transfer.h.
using TransferOf = std::function<int64_t(const std::vector<std::string>& part_sites)>;

// The best assignment over the kPartSites best candidates of each part; none if no assignment that
// was tried has a common start. Optimal unless the search reached its limit: kAssignments common
// starts computed, or the limit of steps. The best candidates are tried first. With `apart` each
// part gets its own site.
std::optional<Assignment> Assign(std::vector<std::vector<Candidate>> parts, bool apart,
                                 const StartOf& start_of, const TransferOf& transfer_of = nullptr);

// Whether the parts can be placed on distinct sites at all. `eligible` lists the sites per part.
bool CanBeApart(const std::vector<std::vector<std::string>>& eligible);

}  // namespace muster::partitioner
