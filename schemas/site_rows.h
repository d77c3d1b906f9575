// What a site shows of its plan, row by row: bookings, nodes, free windows. For people; node names
// are text for display. cli.md section 3.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/resources.h"
#include "base/time.h"
#include "schemas/fields.h"
#include "schemas/reasons.h"

namespace muster::schemas {

// kDrained: the node is out of use over that span; no job.
enum class BookingKind : uint8_t { kJob, kReserved, kDrained };

// One booking on one node, for drawing.
struct BookingRow {
  std::string node;
  std::string job;  // "42.1", or "lakes/17"
  Instant begin;
  Instant end;  // without turnover and tail
  bool running = false;
  bool co_allocation = false;
  ResourceSet resources;
  BookingKind kind = BookingKind::kJob;
  static constexpr auto Fields() {
    using B = BookingRow;
    return FieldList(Field("node", &B::node), Field("job", &B::job), Field("begin", &B::begin),
                     Field("end", &B::end), Field("running", &B::running),
                     Field("co_allocation", &B::co_allocation), Field("resources", &B::resources),
                     Field("kind", &B::kind));
  }
  bool operator==(const BookingRow&) const = default;
};

// kDraining: drained, and something still runs there. kDown: the site lost it.
enum class NodeState : uint8_t { kUp, kDraining, kDrained, kDown };
struct NodeRow {
  std::string name;  // without its site
  NodeState state = NodeState::kUp;
  std::string reason;  // of a drain, or why it is down; may be empty
  ResourceSet total;
  ResourceSet used;                   // by what runs or is booked now
  std::vector<std::string> jobs;      // there now: "36", "42.1", "lakes/17"
  std::optional<Instant> free_at;     // whole and free from here on (now: the present second)
  std::optional<Instant> free_until;  // with free_at: the next booking; none: open end
  ResourceSet lost;                   // of what it had, and not given up yet
  static constexpr auto Fields() {
    using N = NodeRow;
    return FieldList(Field("name", &N::name), Field("state", &N::state),
                     Field("reason", &N::reason), Field("total", &N::total),
                     Field("used", &N::used), Field("jobs", &N::jobs),
                     Field("free_at", &N::free_at), Field("free_until", &N::free_until),
                     Field("lost", &N::lost));
  }
  bool operator==(const NodeRow&) const = default;
};

// A free window that a request fits: it may start at any second of [start_from, start_until].
struct SlotRow {
  std::string site;
  Instant start_from;
  std::optional<Instant> start_until;  // last start; none: open end
  std::vector<std::string> nodes;      // those a start at start_from would get
  std::optional<Reason> ended_by;      // what ends the window; none: open end
  static constexpr auto Fields() {
    using S = SlotRow;
    return FieldList(Field("site", &S::site), Field("start_from", &S::start_from),
                     Field("start_until", &S::start_until), Field("nodes", &S::nodes),
                     Field("ended_by", &S::ended_by));
  }
  bool operator==(const SlotRow&) const = default;
};

// A limit as it stands for somebody; texts for people. cli.md section 3 (limits).
struct LimitRow {
  std::string site;         // "*": the federation's own
  std::string who;          // "kim", "@g1", "*"
  std::string what;         // resource, or "jobs"
  int64_t used = 0;         // now; of an area, seconds times items in the plan
  std::string limit;        // "12/45 %", "500 gpu-h"
  std::string when;         // "always", "Mon-Fri 08-18"
  std::string if_exceeded;  // "refused", "later start"
  static constexpr auto Fields() {
    using L = LimitRow;
    return FieldList(Field("site", &L::site), Field("who", &L::who), Field("what", &L::what),
                     Field("used", &L::used), Field("limit", &L::limit), Field("when", &L::when),
                     Field("if_exceeded", &L::if_exceeded));
  }
  bool operator==(const LimitRow&) const = default;
};

// A promise that a change would move.
struct MoveRow {
  std::string job;               // "42", "43[7]", "lakes/17", "R7"
  Instant before;                // its start as it is
  std::optional<Instant> after;  // and as it would be; none: no start would be left at the site
  std::string because;           // "lakes/n1 drained"
  static constexpr auto Fields() {
    using M = MoveRow;
    return FieldList(Field("job", &M::job), Field("before", &M::before), Field("after", &M::after),
                     Field("because", &M::because));
  }
  bool operator==(const MoveRow&) const = default;
};

}  // namespace muster::schemas
