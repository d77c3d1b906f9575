// The plan of one machine: books orders at their earliest start, revokes them, and answers what
// would be possible. OpenCCS Sect. 5.1 to 5.3; the booked span is [start - turnover, start +
// length) of every part (protocol.md section 4). All answers are pure functions of what is booked,
// and on a machine with a geometry of what was verified last.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/interval.h"
#include "base/time.h"
#include "site/machine/machine.h"
#include "site/plan/by_fence.h"
#include "site/plan/compile.h"
#include "site/plan/occupancy.h"
#include "site/plan/order.h"
#include "site/plan/shape.h"

namespace muster::plan {

struct Settings {
  Span turnover{1};          // before each booking, >= 0
  Span horizon{90 * 86400};  // starts are offered in [now, now + horizon]
  Policy policy = Policy::kGreedy;
  // Of the partitions of a machine with a geometry, where a verdict knows what comes.
  machine::Choice choice = machine::Choice::kKnownSet;
  std::optional<Span> federated;  // instead, of orders by way of the meta; at most the horizon
};

// Nodes that one verdict looks at (some tenths of a second): no planning pass stalls a daemon.
inline constexpr uint64_t kPlanLooks = 4'000'000;
// On a machine of today; half of that on a slow one.
inline constexpr uint64_t kLooksPerMillisecond = 20'000;

// What is free of everything but the bookings of some owner, per node class; from `from` to the
// next step.
struct FreeStep {
  Instant from;
  std::vector<ResourceSet> free;
};

struct Found;

class Plan {
 public:
  // Without rules nothing but the machine binds.
  Plan(std::shared_ptr<const machine::Machine> machine, Settings settings,
       std::shared_ptr<const Rules> rules = nullptr);

  const machine::Machine& machine() const { return *machine_; }
  // Changes whenever an answer could change other than by the passing of time.
  uint64_t revision() const { return revision_; }
  bool Has(const Fence& fence) const { return bookings_.Has(fence); }
  // REQUIRES: it is booked.
  const Order& OrderOf(const Fence& fence) const { return bookings_.At(fence).order; }
  // REQUIRES: it is booked.
  Instant StartOf(const Fence& fence) const { return bookings_.At(fence).start; }
  size_t booking_count() const { return bookings_.size(); }

  // Books at the earliest allowed start in [now, now + horizon]. Bookings of the group of `beside`
  // count with this one as their maximum, at every instant of every node. Refused as kLater,
  // `feasible` holds up to `intervals` intervals of starts from the first allowed one on, allowed
  // or not: the way out. REQUIRES: `fence` has no booking.
  Answer Book(const Fence& fence, Order order, const IntervalSet& allowed, Instant now,
              std::optional<Fence> beside, size_t intervals);
  // Books these uses (per part, ascending by node) at this start whether or not there is room.
  // REQUIRES: `fence` has no booking; one list per part.
  void Restore(const Fence& fence, Order order, Instant start,
               std::vector<std::vector<NodeUse>> uses);
  // Says that of these two bookings at most one runs. Nothing happens if one of them is not booked.
  void Join(const Fence& fence, const Fence& beside);
  // Plans again as if the booking were not there; on a refusal it stays as it was. REQUIRES: it is
  // booked. With no intervals a refusal says nothing but that.
  Answer Rebook(const Fence& fence, const IntervalSet& allowed, Instant now, size_t intervals);
  // The first `intervals` intervals of allowed starts at which it could be as well. It stays where
  // it is, and no answer changes. REQUIRES: it is booked.
  IntervalSet OtherStarts(const Fence& fence, const IntervalSet& allowed, Instant now,
                          size_t intervals);
  // Revokes the booking, or what one of its parts has from `from` on; nothing happens if there is
  // none.
  void Free(const Fence& fence);
  void FreePartFrom(const Fence& fence, size_t part, Instant from);

  // A part that runs. REQUIRES: the booking is there and has this part.
  Instant EndOf(const Fence& fence, size_t part) const {
    return bookings_.At(fence).parts[part].end;
  }
  // How far it could go on beyond its end where it is: to `until`, or to the first instant at which
  // a node or an account of its has not the room.
  Instant RoomUntil(const Fence& fence, size_t part, Instant until) const;
  // Other bookings on its nodes at any time of [begin, end), ascending.
  std::vector<Fence> Beside(const Fence& fence, size_t part, Instant begin, Instant end) const;
  // Books it to `end` whether or not there is room; nothing happens if it is booked further.
  void Lengthen(const Fence& fence, size_t part, Instant end);

  // Other rules from now on: all that is booked is counted anew, and stays. With `renewed` they are
  // the same, known for longer: no answer changes.
  void SetRules(std::shared_ptr<const Rules> rules, Instant now, bool renewed = false);
  // Takes a node out of use, or back: new mappings leave it out, bookings on it stay.
  void SetUsable(uint32_t node, bool usable);
  // So much of a resource of a node is out of order: new mappings do without, bookings stay. What
  // needs it is blocked, as by a node out of use.
  void SetDefect(uint32_t node, uint32_t resource, int64_t items);
  // What is out of order of this node does not come back: what needs that can never run.
  void GiveUp(uint32_t node);
  // The whole of it is not there for now: likewise.
  void SetGone(uint32_t node, bool gone);

  // Answers the questions in order on a copy: as asked, else at the first allowed start, which
  // counts for the questions after it (scheduling.md section 3). Once it has looked at that many
  // nodes it answers no further question: the replies are of the first ones, at least of one.
  //
  // Books nothing. On a machine with a geometry partitions are chosen with the later questions in
  // view, and kept until the next call in place of those of the last: Book takes them where the
  // order and its start are the same. Hence it is not const.
  std::vector<Reply> Verify(const std::vector<Question>& questions, Instant now,
                            uint64_t looks = kPlanLooks);
  // The same, and what is answered stays booked in the draft, for questions that continue these.
  // REQUIRES: the draft is new, or of this plan at its present revision.
  struct Draft;  // overlay.h
  std::vector<Reply> Verify(const std::vector<Question>& questions, Instant now, uint64_t looks,
                            Draft& draft);

  // Amounts booked on one node at an instant, by dimension; for reports.
  int64_t FreeAt(uint32_t node, uint32_t resource, Instant t) const;
  ResourceSet FreeNow(Instant now) const;
  // What the bookings of local users (epoch 0) leave free, at most `steps` steps: the nearest
  // exact, the farther merged to their least. REQUIRES steps >= 3.
  std::vector<FreeStep> ProfileWithoutMeta(Instant now, size_t steps) const;
  uint32_t UsableIn(uint32_t node_class) const;

  bool IsUsable(uint32_t node) const { return usable_[node]; }
  // What could host the question's order but does not have the room for a start at `start`, node by
  // node: the bookings in the way and nodes out of use. Empty if every node has all the room it
  // could ever have.
  std::vector<Obstacle> Obstacles(const Question& question, Instant start) const;
  // The first `limit` windows of allowed starts that begin before `until`.
  std::vector<Window> Windows(const Question& question, Instant until, Instant now,
                              size_t limit) const;
  // `closed`: when the node may not be used at all.
  NodeNow Now(uint32_t node, Instant now, const IntervalSet& closed) const;

  // Drops what lies before `t`; no start before t + turnover is offered afterwards.
  void ForgetBefore(Instant t);

  // For tests: what is booked.
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
    std::vector<Count> counts;  // in accounts, by part
    uint64_t group = 0;         // of bookings of which at most one runs; 0: alone
  };
  struct Released {
    Interval booked;
    std::vector<uint32_t> nodes;
    bool for_good = true;  // if a start is found
  };
  using Members = std::vector<std::pair<Fence, const Booking*>>;

  static Released GivenBy(const Members& members, Instant now);
  // The first `intervals` of the starts that are possible in `inside`, as the plan stands.
  IntervalSet StartsIn(const Order& order, const Ruling& ruling, const Shape& shape,
                       const IntervalSet& inside, const Released* given, size_t intervals) const;
  // Could an earlier start inside need what the booking itself has?
  bool NeedsItself(const Booking& booking, const Shape& shape, const IntervalSet& inside) const;
  // Rebook with the booking left in place meanwhile; none if that could change the answer.
  std::optional<Answer> RebookBesideItself(const Fence& fence, const IntervalSet& allowed,
                                           Instant now);
  void Replace(const Fence& fence, Booking& booking, const Ruling& ruling, const Placed& placed);
  // `given` is only out of the occupancy while this is planned.
  Answer PlanOn(const Occupancy& occupancy, const Order& order, const Ruling& ruling,
                const IntervalSet& allowed, Instant now, size_t intervals,
                const Released* given = nullptr) const;
  // The first start inside that works, from where it may; what that shows is kept.
  std::optional<Found> FindFirst(const Occupancy& occupancy, const Order& order,
                                 const Ruling& ruling, const Shape& shape,
                                 const IntervalSet& inside, const Released* given) const;
  Why BeyondHorizon(const Occupancy& occupancy, const Order& order, const Shape& shape,
                    Instant from, Instant now) const;
  Instant LastStart(const Order& order, Instant now) const;
  Refused RefusedByRule(const Order& order, const Refusal& refusal, Instant now) const;
  Refused NeverOrBlocked(const Order& order, const Ruling& ruling,
                         const std::optional<Why>& nonsense) const;
  Why WhyNever(const Order& order, const Ruling& ruling) const;
  Ruling RulingOnEmpty(const Order& order) const;
  std::vector<Chunk> Largest(Order order) const;
  // On the empty machine, with what is in use and in order now; with all that was not given up.
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
  // ahead.cc
  struct Ahead;
  std::optional<Ahead> LookAhead(const std::vector<Question>& questions) const;
  void Arrange(Overlay& overlay, const Question& question, const Shape& shape, size_t place,
               Instant now, Found& found);
  void ArrangeAsVerified(const Occupancy& occupancy, const Order& order, const Ruling& ruling,
                         Placed& placed) const;
  Why OfTopology(const Occupancy& occupancy, const Shape& shape, Instant start, Why why) const;
  Reply NoneAllowed(const Occupancy& occupancy, const Shape& shape, const Ruling& ruling,
                    const Question& question, Instant now) const;
  Occupancy Without(const std::vector<Fence>& ignoring) const;
  void AddObstacles(const Occupancy& occupancy, const PartShape& part, const Group& group,
                    Instant start, std::vector<Obstacle>& out) const;
  std::optional<Obstacle> EndOf(const Question& question, const Shape& shape, Instant end) const;
  std::vector<Members> GroupsOf(const std::vector<Fence>& fences) const;
  void PutGroup(Overlay& overlay, const Members& group, bool add) const;
  void BookReply(Overlay& overlay, const std::vector<Members>& ignored, const Fence& as,
                 Booking booking) const;

  // For the nodes in use.
  Shape ShapeOf(const Order& order, const Ruling& ruling) const {
    return Compile(order, *machine_, usable_, settings_.turnover, ruling, &host_lists_,
                   settings_.policy);
  }
  Booking MakeBooking(Order order, const Ruling& ruling, Instant start,
                      std::vector<std::vector<NodeUse>> uses) const;
  Members MembersOf(const Fence& fence) const { return MembersOf(fence, bookings_.At(fence)); }
  // The group of this booking of the fence, or it alone.
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
  mutable HostLists host_lists_;  // of usable_ and rules_; changes no answer
  // Partitions of the last verdict: set by Verify alone, read by Book.
  struct Verified {
    Part part;
    Instant start;
    machine::Bits units;
  };
  std::vector<Verified> verified_;
  ByFence<Booking> bookings_;
  std::map<uint64_t, std::vector<Fence>> groups_;
  Occupancy occupancy_;
  std::vector<std::vector<rusv::Rusv>>
      local_;  // by node class and resource: what local bookings take
};

}  // namespace muster::plan
