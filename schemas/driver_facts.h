// What a site's driver is like: what the site must know of it before it plans anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/resources.h"
#include "base/time.h"
#include "schemas/fields.h"

namespace muster::schemas {

// A node that the driver found, where the configuration does not list any.
struct NodeFact {
  std::string name;
  ResourceSet resources;
  std::map<std::string, std::string> properties;
  static constexpr auto Fields() {
    return FieldList(Field("name", &NodeFact::name), Field("resources", &NodeFact::resources),
                     Field("properties", &NodeFact::properties));
  }
  bool operator==(const NodeFact&) const = default;
};

// As the driver knows its machine now; another core plans by others.
struct DriverFacts {
  std::vector<NodeFact> nodes;  // empty: the nodes are those of the configuration
  ResourceSet jobwide;          // of the machine as a whole, as its batch system counts: licences
  Span turnover;                // that a node needs between two parts
  Span start_slack;             // by how much a part may start late
  // By how much a part is handed over before its start, where its nodes are free by then; it waits
  // there for its second (StartPart::not_before).
  Span start_ahead;
  // A part has its nodes for a whole number of these from its start on, however short it is: so
  // much is booked for it. 0: as long as it lasts.
  Span booked_in;
  // A part that is not exclusive gets the same amounts of each of its nodes.
  bool even = false;
  bool finds_parts = true;  // it finds parts by token after a restart of the daemon
  // Its machine has users of its own. It tells what they have booked (Outside); a site plans
  // nothing before it has heard that for the first time, nor while the driver is blind.
  bool shared = false;
  // What is booked on nodes outside of the commons is kept from these users by a wall; at most so
  // many stand at a time. 0: there are no walls.
  uint64_t most_walls = 0;
  std::string wall_prefix;  // with which the names of this site's walls begin
  // What is booked stays free for the site. False: these users may come first, and starts are
  // bounds.
  bool firm = true;
  std::vector<std::string> capabilities;  // words for people and for the meta, ascending
  // Why a user has no account there, by user; "*": who is not named; "": has one. Empty: all have.
  std::map<std::string, std::string> accounts;

  // With a shorter `lead` of the federation the permit of a co-allocation comes too late for
  // start_ahead, and its part here may begin after the others. 0: none is too short.
  Span LeastLead() const { return start_ahead == Span{0} ? Span{0} : start_ahead + kPermitTakes; }

  static constexpr Span kPermitTakes{1};  // from the meta's decision to the driver
  static constexpr auto Fields() {
    using F = DriverFacts;
    return FieldList(Field("nodes", &F::nodes), Field("jobwide", &F::jobwide),
                     Field("turnover", &F::turnover), Field("start_slack", &F::start_slack),
                     Field("start_ahead", &F::start_ahead), Field("booked_in", &F::booked_in),
                     Field("even", &F::even), Field("finds_parts", &F::finds_parts),
                     Field("shared", &F::shared), Field("most_walls", &F::most_walls),
                     Field("wall_prefix", &F::wall_prefix), Field("firm", &F::firm),
                     Field("capabilities", &F::capabilities), Field("accounts", &F::accounts));
  }
  bool operator==(const DriverFacts&) const = default;
};

// For how long a part is booked that lasts so long; `booked_in` as above.
inline Span BookedFor(Span booked_in, Span lasts) {
  if (booked_in <= Span{0}) return lasts;
  return {(lasts.seconds + booked_in.seconds - 1) / booked_in.seconds * booked_in.seconds};
}

}  // namespace muster::schemas
