// The plan of one system, the site's own or that of a reservation, as the protocol sees it: schemas
// in and out, site/plan inside. protocol.md sections 2 and 4, scheduling.md section 3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "schemas/site_link.h"
#include "schemas/site_rows.h"
#include "site/driver/outside.h"
#include "site/options.h"
#include "site/plan/order.h"
#include "verifier/planner.h"

namespace muster::site {

struct SystemState;

// Copyable by value. It knows no system but its own, and does not look at whether a demand or entry
// is `inside` of one. See verifier::Planner for the contract of methods with the same names, and
// SitePlanner (planner.h) for what is added to it.
class SystemPlan {
 public:
  // REQUIRES: node names are distinct, amounts >= 0, turnover and horizon >= 0.
  explicit SystemPlan(const Options& options);
  SystemPlan(const SystemPlan& other);
  SystemPlan(SystemPlan&&) noexcept;
  SystemPlan& operator=(const SystemPlan& other);
  SystemPlan& operator=(SystemPlan&&) noexcept;
  ~SystemPlan();

  // Increases with every change.
  uint64_t revision() const;
  verifier::BookAnswer Book(const Fence& fence, const verifier::Demand& demand, Instant now,
                            std::optional<Fence> beside);
  void Restore(const Fence& fence, const verifier::Demand& demand, const verifier::Booked& booked);
  void Join(const Fence& fence, const Fence& beside);
  void Free(const Fence& fence);
  void FreePartFrom(const Fence& fence, uint32_t part, Instant from);
  verifier::BookAnswer Rebook(const Fence& fence, const IntervalSet& allowed, Instant now);
  std::optional<verifier::Booked> RebookEarlier(const Fence& fence, const IntervalSet& allowed,
                                                Instant now);
  IntervalSet OtherStarts(const Fence& fence, const IntervalSet& allowed, Instant now);
  // With a run, the entries of this call count as booked in the next call with the same run.
  struct Run;
  static std::shared_ptr<Run> NewRun();
  std::vector<schemas::VerdictEntry> Verify(const std::vector<schemas::ProposalEntry>& entries,
                                            Instant now, bool federated, Run* run = nullptr) const;

  // FreeNow: what the nodes in use have free together. `looks`: the cost of planning so far, in
  // looks at nodes.
  ResourceSet FreeNow(Instant now) const;
  uint64_t looks() const;

  // For parts that run, or are about to: like plan::Plan's methods, with a part's index in its
  // request. REQUIRES: the part is booked.
  Instant EndOf(const Fence& fence, uint32_t part) const;
  Instant RoomUntil(const Fence& fence, uint32_t part, Instant until) const;
  bool HasRoomFrom(const Fence& fence, uint32_t part, Instant from) const;
  std::vector<Fence> Beside(const Fence& fence, uint32_t part, Instant begin, Instant end) const;
  void Lengthen(const Fence& fence, uint32_t part, Instant end);

  bool Knows(const std::string& node) const;
  // Takes a node out of use or back. Bookings on it stay, new ones avoid it. False if nothing
  // changes: there is no such node, or the node is in that state already.
  bool SetUsable(const std::string& node, bool usable);
  // A node is drained for good, or is back. Until it is back, requests that need it can never run.
  // Items that it has lost (Node::lost) are given up with it.
  void SetGone(const std::string& node, bool gone);
  // Does nothing if there is no such node.
  void LimitTime(const std::string& node, const plan::TimeLimit& limit);
  bool Usable(uint32_t node) const;
  // For a what-if plan: from now on it books on these nodes only, in use or not. The nodes that
  // rules count as in service do not change.
  void OnlyOn(const std::set<std::string>& nodes);

  // For people: what is in the way of a start, and the first `limit` windows that begin before
  // `until`. The bookings that the entry ignores do not count. Nodes are given by their place in
  // Options::nodes, parts by their place in the booked order.
  std::vector<plan::Obstacle> Obstacles(const schemas::ProposalEntry& entry, Instant start) const;
  std::vector<plan::Window> Windows(const schemas::ProposalEntry& entry, Instant until, Instant now,
                                    size_t limit, bool federated) const;
  // The state of the first `most` nodes, in the order of Options::nodes. Outside of its validity a
  // node is not free.
  std::vector<plan::NodeNow> NodesNow(size_t most, Instant now) const;
  // The name, for people, of a plan's dimension that is a resource.
  std::string Resource(uint32_t dimension) const;

  // What the site sends to the meta in hello and heartbeat. The profile leaves out the meta's own
  // bookings; free_now counts all bookings at `now`.
  schemas::Capacity Capacity(Instant now) const;

  // The text for people if the fence is of a standing reservation of the site; none if it is a
  // hold's.
  std::optional<std::string> StandingOf(const Fence& fence) const;
  // What is on the machine without muster (driver::Outside). SetOutside books it, or books it anew;
  // a soft booking takes only the nodes on which it has room. Bookings of holds stay.
  void SetOutside(const driver::OutsideBooking& booking);
  void DropOutside(uint64_t key);
  // What such a booking takes of nodes that are in use.
  ResourceSet AmountsOf(const driver::OutsideBooking& booking) const;
  // The key of such a booking, if the fence is of one.
  static std::optional<uint64_t> OutsideOf(const Fence& fence);
  // The first node on which the booking lacks room because more is booked there than there is;
  // none: it has its room. REQUIRES: the fence is booked.
  std::optional<std::string> ShortOn(const Fence& fence) const;

  // The times within [from, until) at which nodes are set aside: by standing reservations, or
  // outside of the nodes' validity.
  struct SetAside {
    std::string name;
    std::vector<uint32_t> nodes;
    Interval when;
    bool outside = false;
    std::string shown;
  };
  std::vector<SetAside> StandingIn(Instant from, Instant until) const;
  // The site's rules as they stand for this user now.
  std::vector<schemas::LimitRow> Limits(const std::string& user,
                                        const std::vector<std::string>& groups, Instant now) const;

  // Drops what ended before `now`, less some slack, so that memory does not grow with time. Book,
  // Rebook, RebookEarlier and OtherStarts call it themselves.
  void Forget(Instant now);

 private:
  std::unique_ptr<SystemState> state_;
};

}  // namespace muster::site
