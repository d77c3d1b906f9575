// What a driver tells of those who use its machine without muster: bookings, nodes, and whether it
// sees them at all.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/interval.h"
#include "base/resources.h"
#include "base/time.h"
#include "schemas/fields.h"
#include "schemas/hold.h"
#include "schemas/reasons.h"

namespace muster::driver {

// A booking that is not of this site's ledger.
struct OutsideBooking {
  uint64_t key = 0;   // < 2^62; the same booking keeps it
  std::string label;  // for people: "slurm 4711 ana", "reservation maint"
  std::string user;   // "": nobody's
  std::vector<schemas::ChunkPlace> chunks;
  bool whole_nodes = false;  // nobody else may be on these nodes
  ResourceSet jobwide;       // of Facts::jobwide
  Interval when;             // an end that nobody knows is told again before it is due
  bool running = false;
  // It is only planned there and may go elsewhere: it can neither be on the nodes of a hold nor in
  // its way.
  bool soft = false;
  bool reserved = false;  // a reservation, not a job
  static constexpr auto Fields() {
    using B = OutsideBooking;
    return schemas::FieldList(
        schemas::Field("key", &B::key), schemas::Field("label", &B::label),
        schemas::Field("user", &B::user), schemas::Field("chunks", &B::chunks),
        schemas::Field("whole_nodes", &B::whole_nodes), schemas::Field("jobwide", &B::jobwide),
        schemas::Field("when", &B::when), schemas::Field("running", &B::running),
        schemas::Field("soft", &B::soft), schemas::Field("reserved", &B::reserved));
  }
  bool operator==(const OutsideBooking&) const = default;
};

// What the machine's owners say of a node.
struct OutsideNode {
  std::string node;
  bool usable = true;
  bool commons = false;  // set aside for the federation for good: no wall is needed here
  schemas::CauseCode code = schemas::CauseCode::kNone;  // if not usable: kNodeLost or kOperator
  std::string why;
  Span most_time;          // the longest part that it hosts; 0: there is no limit
  std::string limited_by;  // who says so, for people
  static constexpr auto Fields() {
    using N = OutsideNode;
    return schemas::FieldList(
        schemas::Field("node", &N::node), schemas::Field("usable", &N::usable),
        schemas::Field("commons", &N::commons), schemas::Field("code", &N::code),
        schemas::Field("why", &N::why), schemas::Field("most_time", &N::most_time),
        schemas::Field("limited_by", &N::limited_by));
  }
  bool operator==(const OutsideNode&) const = default;
};

// What has changed since the last one.
struct Outside {
  bool whole = false;  // this is all there is: what was told before and is not here is gone
  Moment at;           // when it was so
  std::vector<OutsideBooking> set;
  std::vector<uint64_t> gone;
  std::vector<OutsideNode> nodes;
  static constexpr auto Fields() {
    return schemas::FieldList(
        schemas::Field("whole", &Outside::whole), schemas::Field("at", &Outside::at),
        schemas::Field("set", &Outside::set), schemas::Field("gone", &Outside::gone),
        schemas::Field("nodes", &Outside::nodes));
  }
  bool operator==(const Outside&) const = default;
};

// Whether the driver reaches its machine. While it is blind, what it told last is all that is
// known; its walls stand, and what runs is taken to run.
struct Sight {
  bool blind = false;
  std::string why;
  Moment since;
  static constexpr auto Fields() {
    return schemas::FieldList(schemas::Field("blind", &Sight::blind),
                              schemas::Field("why", &Sight::why),
                              schemas::Field("since", &Sight::since));
  }
  bool operator==(const Sight&) const = default;
};

}  // namespace muster::driver
