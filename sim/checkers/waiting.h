// Finds the requests that wait for a start, from durable records alone: requests of the federation
// and jobs of sites' own users, what they ask for, the places they have, and which of their own
// constraints keep them from starting.
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
  std::string site;  // empty: a request of the federation
  RequestId request;
  auto operator<=>(const WaiterId&) const = default;
};
// Such as "42", "27[3]" or "lakes/17".
std::string ToText(const WaiterId& id);

// A request that is accepted and has no started part.
struct Waiter {
  WaiterId id;
  int64_t priority = 0;                           // of its queue; higher is more urgent
  const schemas::RequestSpec* spec = nullptr;     // current; valid until the next write
  const schemas::Requester* requester = nullptr;  // valid until the next write
  std::set<std::pair<std::string, Fence>> own;    // its live holds: (site, fence)
  std::optional<Instant> booked;                  // earliest start of its live holds
  bool several = false;                           // its place is at several sites
  bool gated = false;  // it has one site, whose hold is prepared and waits for a permit
  std::string home;    // the site of its place; empty if it has none, has several sites or is gated
  std::optional<Moment> in_flight;  // since when its newest hold of an undecided attempt exists
  std::string kept;                 // why it must not start now; empty if it may
  // Set if it lost its place and wants notice of earlier starts: the last promised start.
  std::optional<Instant> told;
};

class Waiting {
 public:
  explicit Waiting(const CheckedWorld& world);

  void OnMetaWrites(const MetaWrites& writes);
  void OnSiteWrites(Moment at, const std::string& site, const SiteWrites& writes);

  // Most urgent first: by priority, then the sites' own jobs before the federation's, then in order
  // of arrival.
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
  std::set<std::string> at_start_;  // QoS that are promised nothing before they can start
  std::set<std::string> dated_;     // accounts whose new work a ceiling may date
  std::vector<CheckedWorld::Spanning> spanning_;
  std::set<std::string> liars_;
  std::map<RequestId, schemas::RequestRecord> requests_;
  std::map<Fence, schemas::AttemptRecord> attempts_;
  std::map<std::pair<std::string, uint64_t>, schemas::LocalRecord> locals_;
  Holds holds_;                                        // live holds
  std::map<WaiterId, std::set<Holds::key_type>> own_;  // keys of the live holds, by waiter
};

}  // namespace muster::sim
