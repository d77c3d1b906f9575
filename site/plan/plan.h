// The plan of one machine: books orders at their earliest start, revokes them, and answers what
// would be possible. OpenCCS Sect. 5.1 to 5.3; the booked span is [start - turnover, start +
// length) of every part (protocol.md section 4). No answer depends on earlier questions, except
// that on a machine with a geometry Book takes partitions that the last verdict chose.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/btree_set.h"
#include "base/ids.h"
#include "base/interval.h"
#include "base/time.h"
#include "site/machine/machine.h"
#include "site/plan/by_fence.h"
#include "site/plan/compile.h"
#include "site/plan/occupancy.h"
#include "site/plan/order.h"
#include "site/plan/shape.h"
#include "site/plan/way_search.h"

namespace muster::plan {

// Epoch of the fences under which a site books what it lends beside a hold's own booking: not the
// meta's, which has no such epoch.
inline constexpr Epoch kLent{UINT64_MAX - 3};

struct Settings {
  Span turnover{1};          // before each booking, >= 0
  Span horizon{90 * 86400};  // starts are offered in [now, now + horizon]
  Policy policy = Policy::kGreedy;
  // How a verdict chooses among free partitions on a machine with a geometry.
  machine::Choice choice = machine::Choice::kKnownSet;
  std::optional<Span> federated;  // horizon of orders from the meta, if set; at most `horizon`
};

// Budget of one verdict in looks at nodes (some tenths of a second), so that planning never stalls
// a daemon.
inline constexpr uint64_t kPlanLooks = 4'000'000;
// Looks per millisecond on a current CPU; a slow CPU makes half of them.
inline constexpr uint64_t kLooksPerMillisecond = 20'000;

// Free amounts per node class from `from` to the next step, with only some bookings counted
// (ProfileWithoutMeta).
struct FreeStep {
  Instant from;
  std::vector<ResourceSet> free;
};

class Plan {
 public:
  // Without rules only the machine's resources limit orders.
  Plan(std::shared_ptr<const machine::Machine> machine, Settings settings,
       std::shared_ptr<const Rules> rules = nullptr);

  const machine::Machine& machine() const { return *machine_; }
  // Changes whenever an answer could change other than by the passing of time.
  uint64_t revision() const { return revision_; }
  bool Has(const Fence& fence) const { return bookings_.Has(fence); }
  // REQUIRES: Has(fence).
  const Order& OrderOf(const Fence& fence) const { return bookings_.At(fence).order; }
  // REQUIRES: Has(fence).
  Instant StartOf(const Fence& fence) const { return bookings_.At(fence).start; }
  size_t booking_count() const { return bookings_.size(); }

  // Books at the earliest allowed start in [now, now + horizon]. With `beside`, the order joins the
  // group of that booking: at most one member runs, and the group takes the members' maximum on
  // every node at every instant. If it is refused as kLater, `feasible` holds up to `intervals`
  // intervals of feasible starts from the first allowed one on, allowed or not. REQUIRES:
  // !Has(fence).
  Answer Book(const Fence& fence, Order order, const IntervalSet& allowed, Instant now,
              std::optional<Fence> beside, size_t intervals);
  // Books these uses (per part, ascending by node) at this start whether or not there is room.
  // `chosen` is that of Placed. REQUIRES: !Has(fence); one list per part.
  void Restore(const Fence& fence, Order order, Instant start,
               std::vector<std::vector<NodeUse>> uses, std::vector<Chosen> chosen = {});
  // Puts two bookings into one group: at most one of them runs. Does nothing if one is not booked.
  void Join(const Fence& fence, const Fence& beside);
  // Plans the booking again as if it were not booked; on a refusal it stays as it was. With 0
  // intervals a refusal carries neither starts nor a reason. Without `gives_way` an order that
  // waits for lent work does not wait for it this time. REQUIRES: Has(fence).
  Answer Rebook(const Fence& fence, const IntervalSet& allowed, Instant now, size_t intervals,
                bool gives_way = true);
  // The first `intervals` intervals of allowed starts to which the booking could move. The booking
  // stays, and no later answer changes. REQUIRES: Has(fence).
  IntervalSet OtherStarts(const Fence& fence, const IntervalSet& allowed, Instant now,
                          size_t intervals);
  // Free revokes the booking, FreePartFrom what one of its parts has from `from` on. Both do
  // nothing if there is no such booking or part.
  void Free(const Fence& fence);
  void FreePartFrom(const Fence& fence, size_t part, Instant from);

  // These are for parts that run, or are about to. REQUIRES: the booking exists and has this part.
  Instant EndOf(const Fence& fence, size_t part) const {
    return bookings_.At(fence).parts[part].end;
  }
  // Until when the part could run on its nodes beyond its end: until `until`, or until the first
  // instant at which one of its nodes or accounts lacks room.
  Instant RoomUntil(const Fence& fence, size_t part, Instant until) const;
  // Whether its nodes also have room for it from `from` until its booking begins.
  bool HasRoomFrom(const Fence& fence, size_t part, Instant from) const;
  // Other bookings on the part's nodes at any time of [begin, end), ascending.
  std::vector<Fence> Beside(const Fence& fence, size_t part, Instant begin, Instant end) const;
  // The first node of the booking on which more is booked within its time than there is; none: it
  // has its room. REQUIRES: Has(fence).
  std::optional<uint32_t> ShortOn(const Fence& fence) const;
  // Extends the part's booking to `end` whether or not there is room. Does nothing if it already
  // lasts until then.
  void Lengthen(const Fence& fence, size_t part, Instant end);

  // Replaces the rules and counts all bookings anew; bookings stay. `renewed`: the rules are the
  // same, with validities known further ahead, so that no answer changes.
  void SetRules(std::shared_ptr<const Rules> rules, Instant now, bool renewed = false);
  // Takes a node out of use, or back: new mappings leave it out, bookings on it stay.
  void SetUsable(uint32_t node, bool usable);
  // Sets how many `items` of a node's resource are out of order. New mappings do without them, and
  // bookings stay. An order that needs them is blocked, as by a node out of use.
  void SetDefect(uint32_t node, uint32_t resource, int64_t items);
  // The node's items that are out of order do not come back: an order that needs them can never
  // run.
  void GiveUp(uint32_t node);
  // Marks the whole node as gone, or back. While it is gone, an order that needs it can never run.
  void SetGone(uint32_t node, bool gone);
  // New bookings have only parts there that the limit allows.
  void LimitTime(uint32_t node, TimeLimit limit);

  // Answers the questions in order on a copy of the plan. Each order is placed as asked, else at
  // the first feasible start that is allowed, and counts as booked for the questions after it
  // (scheduling.md section 3). After `looks` looks at nodes no further question is answered: the
  // replies are those of the first questions, at least of one.
  //
  // Books nothing in the plan. On a machine with a geometry partitions are chosen with the later
  // questions in view. The plan remembers these partitions until the next call, and Book uses them
  // for an equal order at the same start. Hence Verify is not const.
  std::vector<Reply> Verify(const std::vector<Question>& questions, Instant now,
                            uint64_t looks = kPlanLooks);
  // Like the other Verify, but the answers stay booked in the draft for the next call with it.
  // REQUIRES: the draft is new, or of this plan at its present revision.
  struct Draft;  // overlay.h
  std::vector<Reply> Verify(const std::vector<Question>& questions, Instant now, uint64_t looks,
                            Draft& draft);

  // FreeAt: the free amount of a resource on one node at `t`. FreeNow: what all nodes in use have
  // free together.
  int64_t FreeAt(uint32_t node, uint32_t resource, Instant t) const;
  ResourceSet FreeNow(Instant now) const;
  // Free amounts if only bookings of local users (epoch 0) count, in at most `steps` steps: near
  // steps are exact, farther ones are merged to their minimum. REQUIRES steps >= 3.
  std::vector<FreeStep> ProfileWithoutMeta(Instant now, size_t steps) const;
  uint32_t UsableIn(uint32_t node_class) const;

  bool IsUsable(uint32_t node) const { return usable_[node]; }
  // Why nodes that could host chunks of the order lack room for a start at `start`: for each node,
  // the bookings in the way, or that it is out of use. Empty if every possible host has as much
  // room as if nothing were booked on it.
  std::vector<Obstacle> Obstacles(const Question& question, Instant start) const;
  // The first `limit` windows of feasible, allowed starts that begin before `until`.
  std::vector<Window> Windows(const Question& question, Instant until, Instant now,
                              size_t limit) const;
  // The node's state at `now`. `closed`: when the node may not be used at all.
  NodeNow Now(uint32_t node, Instant now, const IntervalSet& closed) const;

  // Drops what lies before `t`; no start before t + turnover is offered afterwards.
  void ForgetBefore(Instant t);

  // All that is booked, read-only.
  const Occupancy& occupancy() const { return occupancy_; }

 private:
  struct Booked {  // one part of a booking
    Instant begin;
    Instant end;
    std::vector<NodeUse> uses;
  };
  struct Booking {
    Order order;
    Instant start;
    std::vector<Booked> parts;
    std::vector<Count> counts;   // items of accounts that its parts take
    std::vector<Chosen> chosen;  // as in Placed
    uint64_t group = 0;          // its group, of which at most one member runs; 0: none
  };
  class Apart;  // apart.h
  struct Released {
    Interval booked;
    std::vector<uint32_t> nodes;
    bool for_good = true;  // if a start is found, the booking moves; else it is put back
  };
  using Members = std::vector<std::pair<Fence, const Booking*>>;

  static Released GivenBy(const Members& members, Instant now);
  // The first `intervals` intervals of feasible starts in `inside` to which a booking that has
  // `present` would move, as the occupancy is now.
  IntervalSet StartsIn(const Order& order, const Ruling& ruling, const CompiledWays& compiled,
                       const IntervalSet& inside, const std::optional<Present>& present,
                       const Released* given, size_t intervals) const;
  // What the booking has of its order's sets.
  static Present PresentOf(const Booking& booking, const Ways& ways);
  // Could a start in `inside` need what the booking itself occupies?
  bool NeedsItself(const Booking& booking, const Shape& shape, const IntervalSet& inside) const;
  // Rebook that searches with the booking left in place; none if that could change the answer.
  std::optional<Answer> RebookBesideItself(const Fence& fence, const IntervalSet& allowed,
                                           Instant now);
  void Replace(const Fence& fence, Booking& booking, const Ruling& ruling, const Placed& placed);
  // `given`: what the caller removed from the occupancy for the time of this call.
  Answer PlanOn(const Occupancy& occupancy, const Order& order, const Ruling& ruling,
                const IntervalSet& allowed, Instant now, size_t intervals,
                const Booking* present = nullptr, const Released* given = nullptr) const;
  // The chosen way and its first feasible start in `inside`.
  std::optional<Picked> Pick(const Occupancy& occupancy, const Order& order, const Ruling& ruling,
                             const CompiledWays& compiled, const IntervalSet& inside,
                             const std::optional<Present>& present, const Released* given) const;
  // The first feasible start in `inside`. It skips starts that the frontier rules out, and records
  // in the frontier what it proves.
  std::optional<Found> FindFirst(const Occupancy& occupancy, const Order& order,
                                 const Ruling& ruling, const Shape& shape,
                                 const IntervalSet& inside, const Released* given) const;
  // Adds to a reason that without its node sets the order could start earlier, if it could.
  Why WithSets(const Occupancy& occupancy, const Order& order, const Ruling& ruling,
               const IntervalSet& inside, Instant start, Why why) const;
  Why BeyondHorizon(const Occupancy& occupancy, const Order& order, const Shape& shape,
                    Instant from, Instant now) const;
  Instant LastStart(const Order& order, Instant now) const;
  Refused RefusedByRule(const Order& order, const Refusal& refusal, Instant now) const;
  Refused NeverOrBlocked(const Order& order, const Ruling& ruling,
                         const std::optional<Why>& nonsense) const;
  Why WhyNever(const Order& order, const Ruling& ruling) const;
  Ruling RulingOnEmpty(const Order& order) const;
  std::string NoGroupHolds(const NodeSet& set) const;
  std::vector<Chunk> Largest(Order order) const;
  // Does the order map on the empty machine? MapsNow: with the nodes in use, without items out of
  // order. MapsWhole: with all nodes that are not gone and all items that were not given up.
  bool MapsNow(const Order& order, const Ruling& ruling) const;
  bool MapsWhole(const Order& order, const Ruling& ruling) const;
  bool MapsOnEmpty(const Order& order, const Ruling& ruling, const std::vector<bool>& usable,
                   bool with_defects) const;
  Why WhyBlocked(const Order& order, const Ruling& ruling) const;
  Why WhyNotBefore(const Occupancy& occupancy, const Order& order, Instant start,
                   const Mapping& mapping, const Shape& shape) const;
  Why Binding(const Occupancy& occupancy, uint32_t node, uint32_t dimension, Instant end,
              Instant until) const;
  IntervalSet WithinHorizon(const Order& order, const IntervalSet& allowed, Instant now) const;
  struct Overlay;
  std::vector<Reply> AskAll(Overlay& overlay, const std::vector<Question>& questions, Instant now,
                            uint64_t looks);
  Reply Ask(Overlay& overlay, const Question& question, size_t place, Instant now);
  // In ahead.cc, down to OfTopology.
  struct Ahead;
  std::optional<Ahead> LookAhead(const std::vector<Question>& questions) const;
  void Arrange(Overlay& overlay, const Question& question, const Shape& shape, size_t place,
               Instant now, Found& found);
  void ArrangeAsVerified(const Occupancy& occupancy, const Order& order, const Ruling& ruling,
                         Placed& placed) const;
  Why OfTopology(const Occupancy& occupancy, const Shape& shape, Instant start, Why why) const;
  Reply NoneAllowed(const Occupancy& occupancy, const CompiledWays& compiled, const Ruling& ruling,
                    const Question& question, Instant now) const;
  Occupancy Without(const std::vector<Fence>& ignoring) const;
  void AddObstacles(const Occupancy& occupancy, const PartShape& part, const Group& group,
                    Instant start, std::vector<Obstacle>& out) const;
  std::optional<Obstacle> EndOf(const Question& question, const Shape& shape, Instant end) const;
  std::vector<Members> GroupsOf(const std::vector<Fence>& fences) const;
  void PutGroup(Overlay& overlay, const Members& group, bool add) const;
  void BookReply(Overlay& overlay, const std::vector<Members>& ignored, const Fence& as,
                 Booking booking) const;

  // The ways of the order, compiled for the nodes in use; no shape if there is none.
  CompiledWays WaysFor(const Order& order, const Ruling& ruling) const;
  // REQUIRES: `ways.none` is set.
  Refused NoWay(const Ways& ways) const;
  Booking MakeBooking(Order order, const Ruling& ruling, Instant start,
                      std::vector<std::vector<NodeUse>> uses, std::vector<Chosen> chosen) const;
  Members MembersOf(const Fence& fence) const { return MembersOf(fence, bookings_.At(fence)); }
  // The members of the booking's group, or the booking alone.
  Members MembersOf(const Fence& fence, const Booking& booking) const;
  std::vector<Use> Envelope(const Members& members) const;
  void PutCounts(Occupancy& occupancy, const Members& members, bool add) const;
  void Put(Occupancy& occupancy, const Members& members, bool add, bool for_good = true) const;
  void PutLocal(const Fence& fence, const Booking& booking, bool add);
  void Insert(const Fence& fence, Booking booking, std::optional<Fence> beside);
  std::vector<ResourceSet> TakenBy(const std::vector<std::vector<NodeUse>>& uses) const;

  std::shared_ptr<const machine::Machine> machine_;
  Settings settings_;
  std::shared_ptr<const Rules> rules_;
  uint64_t revision_ = 1;
  uint64_t last_group_ = 0;
  std::vector<bool> usable_;
  struct Defect {
    int64_t items = 0;
    bool given_up = false;
  };
  std::map<std::pair<uint32_t, uint32_t>, Defect> defects_;  // by node and resource
  std::vector<bool> gone_;
  std::vector<TimeLimit> time_limits_;  // by node; empty: there are none
  mutable HostLists host_lists_;        // a cache for usable_ and rules_; changes no answer
  // Partitions of the last verdict: set by Verify alone, read by Book.
  struct Verified {
    Part part;
    Instant start;
    machine::Bits units;
  };
  std::vector<Verified> verified_;
  ByFence<Booking> bookings_;
  std::map<uint64_t, std::vector<Fence>> groups_;
  absl::btree_set<Fence> lent_;     // bookings on lent room
  absl::btree_set<Fence> waiting_;  // bookings that wait for lent work
  Occupancy occupancy_;
  std::vector<std::vector<rusv::Rusv>>
      local_;  // by node class and resource: what local bookings take
};

}  // namespace muster::plan
