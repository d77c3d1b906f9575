// Input of the independent plan checker: a machine, its rules and its bookings as plain values. It
// shares no code with the planner, so it cannot repeat the planner's mistakes. OpenCCS Sect. 3, 4,
// 5.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/calendar.h"
#include "base/condition.h"
#include "base/interval.h"
#include "base/resources.h"
#include "base/time.h"
#include "base/validity.h"

namespace muster::sim {

struct NodeFacts {
  std::string name;
  ResourceSet has;
  std::map<std::string, std::string> properties;
  std::string below;  // the switch directly above it; "": none
  Condition only;     // only chunks that satisfy this may use the node; empty: all
  // Expensive resources (Sect. 5.4): the amount `kept` is reserved for parts that ask for one of
  // the resources `kept_for`.
  ResourceSet kept;
  std::vector<std::string> kept_for;
  int64_t speed = 1000;  // in thousandths of the reference
};

// A number of items, such as "30/45%": the larger of `count` and `percent`; an absent one is
// ignored.
struct ItemsFacts {
  std::optional<int64_t> count;
  std::optional<int64_t> percent;  // of the machine's total
};

// A limit on what a consumer may have at the instants of `valid` (Sect. 3, Limit). For a resource,
// a user's own limits apply, if there are any; else those of all groups of the user. When none of
// these is valid, those of "*" apply. Among the limits of one consumer, one for the resource itself
// overrides one for resource "*" while it is valid.
struct LimitFacts {
  // "kim"; "@students": the group's users together; "*": each user separately
  std::string who = "*";
  std::string resource = "*";  // also "jobs", and "arrayjobs": elements of arrays
  std::optional<ItemsFacts> items;
  std::optional<Span> duration;
  std::optional<int64_t> area;  // item-seconds of what is planned from now on
  Validity valid;
  bool soft = false;  // does not apply to bookings that start at once
  bool each = false;  // of a group: each of its users separately
};

// An amount that is kept free of consumers that do not satisfy `open_to` (Sect. 3, FreePool).
struct PoolFacts {
  std::string name;
  std::string resource;
  ItemsFacts keep;
  Condition open_to;
  Validity valid;
};

// A standing reservation: while `valid`, the nodes are only for the users and groups in `allow`.
struct StandingFacts {
  std::string name;
  std::vector<std::string> nodes;
  std::vector<std::string> allow;  // users, "@group"
  Validity valid;
};

struct PlanFacts {
  std::vector<NodeFacts> nodes;
  std::map<std::string, std::string> above;  // by switch: the switch directly above it, if any
  ResourceSet jobwide;                       // job-wide resources of the machine
  std::vector<LimitFacts> limits;
  std::vector<PoolFacts> pools;
  std::vector<StandingFacts> standing;
  // share of every resource that the federation's requests may have
  int64_t federation_percent = 100;
  Zone zone;
};

enum class Spread : uint8_t { kFree, kPack, kScatter };

struct WantedChunk {
  int64_t count = 1;
  ResourceSet resources;
  std::map<std::string, std::string> properties;
};

struct PlacedSet {
  std::string node;
  ResourceSet resources;
};

struct BookedPart {
  std::string name;  // for messages
  Interval span;     // booked time, with turnover and tail
  Span duration;     // requested
  std::vector<WantedChunk> wanted;
  std::vector<PlacedSet> placed;  // one per chunk set, in the order of `wanted`
  // Units of its partition that host no chunk set. For a reservation, jobs inside of it may use
  // them.
  std::vector<std::string> bare;
  Spread spread = Spread::kFree;
  bool exclusive = false;
  bool one_switch = false;
  // resized while it ran, so it no longer has the placement of its first mapping
  bool resized = false;
  ResourceSet jobwide;
};

struct BookedOrder {
  std::string name;   // unique
  std::string chain;  // of the orders of one chain at most one runs; "": no chain
  std::string user;
  std::vector<std::string> groups;
  std::string account;  // of the three, empty: none
  std::string qos;
  std::string queue;
  bool interactive = false;
  std::vector<BookedPart> parts;
  bool element = false;    // an array element
  bool at_once = false;    // booked to start at once: soft limits do not apply
  bool federated = false;  // a request of the federation, not of the site's own users
  // A reservation: its resources are for its owner and for `allow` only.
  bool reserves = false;
  std::vector<std::string> allow;
  std::string inside;  // name of the order of the reservation it runs in; "": none
  // The order's reservation is over and its processes are being stopped. They still occupy their
  // nodes, but no rule counts them.
  bool outlives = false;
  // Of others at the machine: no rule counts it, but for what it has job-wide.
  bool outside = false;
};

}  // namespace muster::sim
