// What the plan is asked and what it answers, in its own plain types: nothing here knows of
// messages or holds. OpenCCS Sect. 4 (reqRS, njRS), scheduling.md section 3.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "base/ids.h"
#include "base/interval.h"
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

// Who asks; rules are about consumers (OpenCCS Sect. 3).
struct Consumer {
  std::string user;
  std::vector<std::string> groups;
  bool federated = false;  // by way of the meta
  bool operator==(const Consumer&) const = default;
};

// Books [start - turnover, start + length) where start is the order's start + offset.
struct Part {
  std::vector<Chunk> chunks;
  Place place = Place::kFree;
  bool exclusive = false;  // whole nodes, for this part alone
  Span offset;             // >= 0
  Span length;             // duration and tail, > 0
  ResourceSet jobwide;     // of the site, not of a node: licences, disk
  std::string group = {};  // "switch": all chunks below one switch; "": anywhere
  Span tail = {};          // of `length`, beyond the duration asked for; < 0: a part that runs

  Span duration() const { return length - tail; }
};

// The reqRS: what one booking wants (Sect. 4). `label` names it to people in reasons ("41",
// "42.3").
struct Order {
  std::vector<Part> parts;
  std::string label;
  Consumer who = {};
  bool element = false;   // of a job array
  bool standing = false;  // set aside by the site itself, nobody's job
  bool grows = false;     // more for a job that is booked: no job by itself
};

// `count` sets of chunk `chunk` of a part on one node; 0 where the node is only blocked, as a unit
// of a partition that is larger than was asked for.
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

struct Placed {
  Instant start;
  Mapping mapping;
  std::vector<ResourceSet> taken;  // per node class
  bool operator==(const Placed&) const = default;
};

// Why not earlier, or not at all. What binds is a node's resource, held by the booking `label`.
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

// Starts that work: at most as many intervals as asked for, all there are before complete_until.
struct Starts {
  IntervalSet starts;
  Instant complete_until = kFarFuture;
  bool operator==(const Starts&) const = default;
};

// kLater: not at an allowed start; `feasible` says when. kNever: not even on the empty, whole
// machine; `largest` is the most of the first part that fails which would fit. kBlocked: only nodes
// out of use prevent it.
struct Refused {
  enum class Kind : uint8_t { kLater, kNever, kBlocked };
  Kind kind = Kind::kLater;
  Starts feasible;
  Why why;
  std::vector<Chunk> largest;
};

using Answer = std::variant<Placed, Refused>;

// One question of a verdict: as asked, else at the first allowed start. At most `intervals`
// feasible intervals.
struct Question {
  Order order;
  Instant asked;
  IntervalSet allowed;
  size_t intervals = 1;
  bool want_starts = false;
  std::vector<Fence> ignoring;
  bool alternative = false;  // not booked for the questions that follow
};
// `why` is set unless the start is the asked one; `feasible` is filled for counters and where
// wanted.
struct Reply {
  Answer answer;
  Starts feasible;
  std::optional<Why> why;
};

// What keeps a node from taking what is asked of it over some window: a part of a booking there,
// or, without a fence, that the node is out of use.
struct Obstacle {
  uint32_t node = 0;
  std::optional<Fence> fence;
  uint32_t part = 0;  // of the booking
  std::optional<uint32_t>
      dimension;       // of the plan, that it takes too much of; none: the whole node
  int64_t amount = 0;  // what the booking takes of it
  Instant begin;       // as booked: with turnover before and tail after
  Instant end;
  bool operator==(const Obstacle&) const = default;
};

// Starts from `from` on that work without a break.
struct Window {
  Instant from;
  std::optional<Instant> last;       // the last start; none: up to the horizon
  std::vector<uint32_t> nodes;       // of a start at `from`, distinct, in mapping order
  std::optional<Obstacle> ended_by;  // with `last`; none: no later start is allowed
};

// One node as it is now.
struct NodeNow {
  ResourceSet used;
  std::vector<std::pair<Fence, uint32_t>> there;  // bookings and their parts, ascending
  bool booked = false;                            // now or later
  std::optional<Instant> free_at;                 // a booking of the whole node could start here
  std::optional<Instant> free_until;              // and the next booking begins here
};

}  // namespace muster::plan
