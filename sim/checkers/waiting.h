// Who waits for a start, told from durable records alone: requests of the federation and jobs of
// sites' own users, what they asked for, the places they have, and what of their own words keeps
// them from starting.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/checkers/checker.h"

namespace muster::sim {

// A request of the federation, or a job of the users of `site`.
struct WaiterId {
  std::string site;  // empty: of the federation
  RequestId request;
  auto operator<=>(const WaiterId&) const = default;
};
// "42", "27[3]", "lakes/17".
std::string ToText(const WaiterId& id);

// Accepted, and no part of it has started.
struct Waiter {
  WaiterId id;
  int64_t priority = 0;                           // of its queue: higher is more urgent
  const schemas::RequestSpec* spec = nullptr;     // as it is now; until the next write
  const schemas::Requester* requester = nullptr;  // likewise
  std::set<std::pair<std::string, Fence>> own;    // its live holds
  std::optional<Instant> booked;                  // the earliest start of those
  bool several = false;                           // its place is at several sites
  bool gated = false;                             // its place passes the barrier alone
  std::string home;                               // the only site of its place, if it may move it
  std::optional<Moment> in_flight;                // a hold nobody has decided on, since then
  std::string kept;                               // why it must not start now; empty: it may
  // It has lost a place and wants notice of earlier starts: the start that it was told last.
  std::optional<Instant> told;
};

class Waiting {
 public:
  explicit Waiting(const CheckedWorld& world);

  void OnMetaWrites(const MetaWrites& writes);
  void OnSiteWrites(Moment at, const std::string& site, const SiteWrites& writes);

  // Most urgent first: by priority; the sites' own before others; in order of arrival.
  std::vector<Waiter> All() const;

 private:
  struct OwnHold {
    schemas::HoldRecord record;
    Moment since;
  };
  using Holds = std::map<std::pair<std::string, Fence>, OwnHold>;

  int64_t PriorityOf(const std::string& queue) const;
  std::optional<Waiter> Look(const WaiterId& id, const schemas::RequestSpec& spec,
                             const schemas::Requester& requester) const;
  std::string KeptBy(const schemas::RequestRecord& request) const;
  std::optional<Instant> ToldBefore(const schemas::RequestRecord& request) const;
  bool HasEndedAs(const schemas::Dependency& dependency) const;
  bool HasPlaceInArray(RequestId element) const;
  bool IsOpen(RequestId reservation) const;

  std::vector<std::string> queues_;
  std::set<std::string> liars_;
  std::map<RequestId, schemas::RequestRecord> requests_;
  std::map<Fence, schemas::AttemptRecord> attempts_;
  std::map<std::pair<std::string, uint64_t>, schemas::LocalRecord> locals_;
  Holds holds_;                                        // live ones
  std::map<WaiterId, std::set<Holds::key_type>> own_;  // by whose they are
};

}  // namespace muster::sim
