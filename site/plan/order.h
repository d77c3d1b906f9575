// The plan's orders, questions and answers, as plain types that know nothing of messages or holds.
// OpenCCS Sect. 4 (reqRS, njRS), scheduling.md section 3.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "base/credentials.h"
#include "base/ids.h"
#include "base/interval.h"
#include "base/node_set.h"
#include "base/resources.h"
#include "base/time.h"

namespace muster::plan {

// free: chunks anywhere, several may share a node; pack: all on one node; scatter: each on its own
// node.
enum class Place : uint8_t { kFree, kPack, kScatter };

// `count` equal sets of resources, each on one node that has these properties.
struct Chunk {
  uint32_t count = 1;
  ResourceSet resources;
  std::map<std::string, std::string> properties;
};

// For whom an order is placed; rules apply to consumers (OpenCCS Sect. 3).
struct Consumer : Credentials {
  bool federated = false;  // the order comes from the meta
  bool lent = false;       // on room that is lent: also where what is kept for others is lent
  bool operator==(const Consumer&) const = default;
};

// A part books [start - turnover, start + length) on nodes of the reference speed, where start is
// the order's start + offset; on others, its duration is that of their speed (ways.h).
struct Part {
  std::vector<Chunk> chunks;
  Place place = Place::kFree;
  bool exclusive = false;           // whole nodes, for this part alone
  Span offset;                      // >= 0
  Span length;                      // duration and tail, > 0
  ResourceSet jobwide;              // of the site, not of a node: licences, disk
  std::optional<NodeSet> set = {};  // what its nodes must be together; none: any nodes
  Span tail = {};         // `length` minus the requested duration; may be < 0 while a part runs
  bool by_clock = false;  // lasts as long on slow nodes as on fast ones
  // Each of its nodes gives it as much as any other: all that some batch systems can be asked for.
  // An exclusive part may be uneven.
  bool even = false;

  Span duration() const { return length - tail; }
};

// The longest part that a node hosts, as the machine's users without muster are bound as well; 0:
// there is no limit. `by`: who says so, for people.
struct TimeLimit {
  Span most;
  std::string by;
};

// The reqRS: what one booking wants (Sect. 4). `label` is the job's name in reasons for people
// ("41", "42.3").
struct Order {
  std::vector<Part> parts;
  std::string label;
  Consumer who = {};
  bool element = false;   // of a job array
  bool standing = false;  // a standing reservation of the site, not a job
  // Of those who use the machine without muster: no rule counts it, but for what it has job-wide.
  bool outside = false;
  bool grows = false;  // adds resources to a booked job; not counted as a job
  // On lent room: how long it may stay from its start on if nobody takes the room back, on nodes of
  // the reference speed. Its parts are booked for less, and by the clock on any node.
  std::optional<Span> stays = {};
  bool waits_for_lent = false;  // keeps out of the way of what is lent for all of `stays`
};

// `count` sets of chunk `chunk` of a part on one node. A count of 0 only blocks the node: it is a
// unit of a partition that is larger than the part needs.
struct Assignment {
  uint32_t chunk = 0;
  uint32_t node = 0;
  uint32_t count = 0;
  bool operator==(const Assignment&) const = default;
};
// One list per part; within a part ascending by chunk, then in the order they were placed.
using Mapping = std::vector<std::vector<Assignment>>;

// What a part blocks of one node, per dimension of the plan (resources by index, then the share of
// the node).
using Amounts = absl::InlinedVector<int64_t, 6>;
struct NodeUse {
  uint32_t node = 0;
  Amounts amounts;
  bool operator==(const NodeUse&) const = default;
};

// What a part got of its set and of the speed of its nodes.
struct Chosen {
  Span slower;        // booked beyond its length, because its nodes are slower; < 0: faster
  std::string group;  // of its set; "": none was chosen
  bool operator==(const Chosen&) const = default;
};

struct Placed {
  Instant start;
  Mapping mapping;
  std::vector<ResourceSet> taken;   // by node class: amounts that the order blocks
  std::vector<Chosen> chosen = {};  // by part; empty: nothing differs from its order
  bool operator==(const Placed&) const = default;
};

// The reason why an order does not start earlier, or not at all. For kBooking: booking `label`
// holds `resource` of `node` until `until`.
struct Why {
  enum class Code : uint8_t {
    kBooking,
    kNode,
    kProperty,
    kPolicy,
    kHorizon,
    kLimit,
    kFreepool,
    kReservation,
    kTopology
  };
  Code code = Code::kBooking;
  std::string node;
  std::string label;
  std::string resource;  // empty: the whole node
  std::optional<Instant> until;
  std::string text;
  bool operator==(const Why&) const = default;
};

// Feasible starts: at most the requested number of intervals. The list is complete for starts
// before `complete_until`.
struct Starts {
  IntervalSet starts;
  Instant complete_until = kFarFuture;
  bool operator==(const Starts&) const = default;
};

// kLater: no allowed start works; `feasible` holds starts that do, if they were searched for.
// kNever: the order makes no sense, breaks an absolute rule, or does not fit even on the empty
// machine with all nodes that are not gone; if one of its parts alone does not fit, `largest` holds
// the most of the first such part that would. kBlocked: the order fits, or keeps to an absolute
// rule, only with nodes that are out of use or items that are out of order.
struct Refused {
  enum class Kind : uint8_t { kLater, kNever, kBlocked };
  Kind kind = Kind::kLater;
  Starts feasible;
  Why why;
  std::vector<Chunk> largest;
};

using Answer = std::variant<Placed, Refused>;

// One question of a verdict: place `order` at `asked`, else at the first start in `allowed`. The
// reply holds at most `intervals` intervals of feasible starts.
struct Question {
  Order order;
  Instant asked;
  IntervalSet allowed;
  size_t intervals = 1;
  bool want_starts = false;
  std::vector<Fence> ignoring;
  bool alternative = false;  // the answer is not booked for later questions
};
// `why` is set unless the order starts at `asked`. `feasible` is filled for counters and refusals,
// and with `want_starts` always.
struct Reply {
  Answer answer;
  Starts feasible;
  std::optional<Why> why;
};

// Why a node cannot take what an order needs of it over some window: a part of a booking is there
// or, without a fence, the node is out of use.
struct Obstacle {
  uint32_t node = 0;
  std::optional<Fence> fence;
  uint32_t part = 0;  // of the booking
  // The dimension of the plan in which the node lacks room; none: the whole node.
  std::optional<uint32_t> dimension;
  int64_t amount = 0;  // what the booking blocks of the dimension
  Instant begin;       // booked span, with turnover before and tail after
  Instant end;
  bool operator==(const Obstacle&) const = default;
};

// A maximal interval of feasible starts, the first at `from`.
struct Window {
  Instant from;
  std::optional<Instant> last;  // the last feasible start; none: up to the horizon
  std::vector<uint32_t> nodes;  // used by a start at `from`; distinct, in mapping order
  // set only with `last`; none: the next start is not allowed, or what prevents it is no booking
  std::optional<Obstacle> ended_by;
};

// Use, bookings and next free span of one node.
struct NodeNow {
  ResourceSet used;
  std::vector<std::pair<Fence, uint32_t>> there;  // bookings and their parts, ascending
  bool booked = false;             // has a booking now or later, other than a standing reservation
  std::optional<Instant> free_at;  // earliest start of a booking of the whole node
  std::optional<Instant> free_until;  // end of the free span that begins at free_at
};

}  // namespace muster::plan
