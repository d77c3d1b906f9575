// From looks at a cluster to what a site is told of those who use it without muster: bookings,
// nodes, and facts. Pure: no clock, no call; days are those of the process's time zone.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "site/driver/facts.h"
#include "site/driver/outside.h"
#include "site/driver/slurm/machine.h"

namespace muster::driver::slurm {

// An end that has passed, or that nobody knows, is told to be so much later, again and again.
inline constexpr Span kRolling{60};
// Recurring reservations are told so far ahead, and at most so many times each.
inline constexpr Span kRecurringHorizon{14 * 86400};
inline constexpr int kRecurrences = 64;

struct SeenOptions {
  std::string prefix;             // of the names of this site's jobs and walls: "mu_ABCD_"
  std::set<std::string> commons;  // reservations that are the federation's for good
  std::set<std::string> commons_partitions;  // partitions that are
  std::set<std::string> partitions;          // whose nodes are the site's; empty: all that are up
  bool only_commons = false;                 // no other nodes are used
  bool respect_pending = true;               // planned jobs are soft bookings
  std::optional<Span> start_ahead = {};      // none: by the scheduler's parameters
};

// The token of a job of this site; "": it is somebody else's. By its name alone, since an id is
// given out again.
std::string TokenOf(const Job& job, const std::string& prefix);
bool IsOwnWall(const Reservation& reservation, const std::string& prefix);

// Nodes of the site's partitions, in the cluster's order. Of `before`, nodes that were told before,
// those stay that only closed partitions have now.
std::vector<NodeFact> FactsOf(const Look& look, const SeenOptions& options,
                              const std::vector<NodeFact>& before = {});
// Licences: those of the cluster or, where only its commons is used, of that.
ResourceSet JobwideFacts(const Look& look, const SeenOptions& options);
// Nodes that need no wall.
std::set<std::string> CommonsOf(const Look& look, const SeenOptions& options);
// Names of what `muster check --cluster` makes begin so.
inline constexpr char kCheckPrefix[] = "muster_check_";
// Whether a job is of a check that root makes: it may enter the commons.
bool IsOfCheck(const Job& job);
// A job that is in the commons without being of this site.
bool IsIntruder(const Job& job, const SeenOptions& options);
std::vector<const Job*> Intruders(const Look& look, const SeenOptions& options);

// Remembers what it told, and says what has changed.
class Seen {
 public:
  explicit Seen(SeenOptions options) : options_(std::move(options)) {}

  // The first time all of it (`whole`), then differences; empty if nothing has changed.
  Outside Next(const Look& look);
  // The next one is whole again.
  void Forget();

 private:
  using Bookings = std::map<uint64_t, OutsideBooking>;
  Bookings BookingsOf(const Look& look) const;
  // What reservations keep, and no job within them has been found to have yet.
  using Kept = std::map<std::string, Licences>;
  void AddJob(const Job& job, const Look& look, Kept& kept, Bookings& bookings) const;
  void AddReservation(const Reservation& reservation, const Look& look, Bookings& bookings) const;
  std::map<std::string, OutsideNode> NodesOf(const Look& look) const;
  Instant EndOf(uint64_t key, Instant end, Instant now) const;

  SeenOptions options_;
  bool told_ = false;
  Bookings bookings_;
  std::map<std::string, OutsideNode> nodes_;
};

}  // namespace muster::driver::slurm
