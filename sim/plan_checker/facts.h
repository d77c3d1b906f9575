// What the independent checker of plans judges by: a machine, its rules and what is booked, as
// plain values of its own. Nothing here is shared with the planner, so that no mistake of the
// planner's is repeated. OpenCCS Sect. 3, 4, 5.
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
  std::string below;  // the switch right above it; "": none
  Condition only;     // for chunks of which this holds; empty: for all
  // Expensive resources (Sect. 5.4): so much is for parts that ask for one of `kept_for` too.
  ResourceSet kept;
  std::vector<std::string> kept_for;
};

// "30/45%": the larger of both; what is absent does not count.
struct ItemsFacts {
  std::optional<int64_t> count;
  std::optional<int64_t> percent;  // of what the machine has
};

// What a consumer may have at an instant of `valid` (Sect. 3, Limit). A user's own limits count, if
// there are any for the resource, else those of all its groups; where none of them is valid, those
// of "*". Of one consumer, one of the resource itself counts before one of "*".
struct LimitFacts {
  std::string who = "*";       // "kim", "@students": all together, "*": every user for itself
  std::string resource = "*";  // also "jobs", and "arrayjobs": elements of arrays
  std::optional<ItemsFacts> items;
  std::optional<Span> duration;
  std::optional<int64_t> area;  // items times seconds, of what is planned from now on
  Validity valid;
  bool soft = false;  // leaves alone what started at once
};

// What is kept free of those of whom `open_to` does not hold (Sect. 3, FreePool).
struct PoolFacts {
  std::string name;
  std::string resource;
  ItemsFacts keep;
  Condition open_to;
  Validity valid;
};

// Whole nodes that are for those allowed alone while it holds.
struct StandingFacts {
  std::string name;
  std::vector<std::string> nodes;
  std::vector<std::string> allow;  // users, "@group"
  Validity valid;
};

struct PlanFacts {
  std::vector<NodeFacts> nodes;
  std::map<std::string, std::string> above;  // of a switch: the one right above it, if any
  ResourceSet jobwide;                       // of the machine as a whole
  std::vector<LimitFacts> limits;
  std::vector<PoolFacts> pools;
  std::vector<StandingFacts> standing;
  int64_t federation_percent = 100;  // of every resource, for what is not of the site's own users
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
  std::string name;  // for people
  Interval span;     // all that is booked, with turnover and tail
  Span duration;     // as asked for
  std::vector<WantedChunk> wanted;
  std::vector<PlacedSet> placed;  // one per chunk set, in the order of `wanted`
  // Units of its partition that host none: of a reservation they can be had inside.
  std::vector<std::string> bare;
  Spread spread = Spread::kFree;
  bool exclusive = false;
  bool one_switch = false;
  bool resized = false;  // while it ran: it is no longer what it was mapped as
  ResourceSet jobwide;
};

struct BookedOrder {
  std::string name;   // unique
  std::string chain;  // of those with the same chain one at most runs; "": alone
  std::string user;
  std::vector<std::string> groups;
  std::vector<BookedPart> parts;
  bool element = false;    // of an array
  bool at_once = false;    // booked to start at once, what soft limits leave alone
  bool federated = false;  // not of a user of the site itself
  // A reservation: a system of its own for those allowed, besides its owner.
  bool reserves = false;
  std::vector<std::string> allow;
  std::string inside;  // name of the reservation it runs in; "": none
  // It ran in one that is over, and is being stopped: its nodes are still its own, and no rule
  // counts it.
  bool outlives = false;
};

}  // namespace muster::sim
