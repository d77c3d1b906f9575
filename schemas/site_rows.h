// Rows in which a site shows its plan to people: bookings, nodes, free windows. Node names are for
// display only. cli.md section 3.
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

// kDrained: the node is out of use over the span; the row has no job. kLocal: a job on the site's
// machine that is not muster's, with its name there.
enum class BookingKind : uint8_t { kJob, kReserved, kDrained, kLocal };

// One booking on one node, for charts.
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

// kDraining: drained, but jobs still run or are booked there. kDown: out of use without an
// operator's order.
enum class NodeState : uint8_t { kUp, kDraining, kDrained, kDown };
struct NodeRow {
  std::string name;  // without the site
  NodeState state = NodeState::kUp;
  std::string reason;  // why it is drained or down; may be empty
  ResourceSet total;
  ResourceSet used;               // by bookings at this moment, running or not
  std::vector<std::string> jobs;  // jobs on the node now: "36", "42.1", "lakes/17"
  // From when the whole node is free: the present second if it is free now; none: never.
  std::optional<Instant> free_at;
  std::optional<Instant> free_until;  // next booking after free_at; none: open end
  ResourceSet lost;  // what the node once had and lacks now, without what an operator gave up
  std::optional<int64_t> speed;  // in thousandths of the reference; none: the reference
  static constexpr auto Fields() {
    using N = NodeRow;
    return FieldList(Field("name", &N::name), Field("state", &N::state),
                     Field("reason", &N::reason), Field("total", &N::total),
                     Field("used", &N::used), Field("jobs", &N::jobs),
                     Field("free_at", &N::free_at), Field("free_until", &N::free_until),
                     Field("lost", &N::lost), Field("speed", &N::speed));
  }
  bool operator==(const NodeRow&) const = default;
};

// A free window that a request fits: it may start at any second of [start_from, start_until].
struct SlotRow {
  std::string site;
  Instant start_from;
  std::optional<Instant> start_until;  // last start; none: open end
  std::vector<std::string> nodes;      // nodes that a start at start_from would get
  std::optional<Reason> ended_by;      // what ends the window; none: open end
  static constexpr auto Fields() {
    using S = SlotRow;
    return FieldList(Field("site", &S::site), Field("start_from", &S::start_from),
                     Field("start_until", &S::start_until), Field("nodes", &S::nodes),
                     Field("ended_by", &S::ended_by));
  }
  bool operator==(const SlotRow&) const = default;
};

// A limit and its present usage for a user or group. Texts are for people. cli.md section 3
// (limits).
struct LimitRow {
  std::string site;         // "*": a limit of the federation
  std::string who;          // "kim", "@g1", "*"
  std::string what;         // resource, or "jobs"
  int64_t used = 0;         // current use; for an area limit: seconds x items in the plan
  std::string limit;        // "12/45 %", "500 gpu-h"
  std::string when;         // "always", "Mon-Fri 08-18"
  std::string if_exceeded;  // what happens then: "refused", "later start"
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
  Instant before;                // present start
  std::optional<Instant> after;  // start after the change; none: no start would remain at this site
  std::string because;           // what causes the move: "lakes/n1 drained"
  static constexpr auto Fields() {
    using M = MoveRow;
    return FieldList(Field("job", &M::job), Field("before", &M::before), Field("after", &M::after),
                     Field("because", &M::because));
  }
  bool operator==(const MoveRow&) const = default;
};

}  // namespace muster::schemas
