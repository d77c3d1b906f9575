// Walls: how a driver with users of its own keeps them off the nodes of a hold. A node in the
// driver's commons needs none. protocol.md section 3.1 (asked).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/interval.h"
#include "base/time.h"
#include "schemas/fields.h"
#include "schemas/hold.h"
#include "schemas/reasons.h"

namespace muster::driver {

// --- commands

// Keeps these nodes free for this user over `when`: puts the wall, or changes one of this name. It
// is answered once, by WallStands or WallRefused, with the same `serial`. Nodes in the commons are
// free anyway: a wall on these alone stands without anything.
struct PutWall {
  std::string wall;
  uint64_t serial = 0;
  Interval when;
  std::vector<schemas::PartPlace> places;
  ResourceSet jobwide;  // what is of Facts::jobwide is kept, too
  std::string user;
  // Walls with which it may share nodes: of a hold that this one is to replace.
  std::vector<std::string> beside;
  // What stands under its name is good, too: the change is refused rather than that is risked.
  bool by_choice = false;
  static constexpr auto Fields() {
    return schemas::FieldList(
        schemas::Field("wall", &PutWall::wall), schemas::Field("serial", &PutWall::serial),
        schemas::Field("when", &PutWall::when), schemas::Field("places", &PutWall::places),
        schemas::Field("jobwide", &PutWall::jobwide), schemas::Field("user", &PutWall::user),
        schemas::Field("beside", &PutWall::beside),
        schemas::Field("by_choice", &PutWall::by_choice));
  }
  bool operator==(const PutWall&) const = default;
};
// Takes a wall away. No answer, and no effect if there is none; the driver repeats it for as long
// as something in it is in use.
struct DropWall {
  std::string wall;
  static constexpr auto Fields() {
    return schemas::FieldList(schemas::Field("wall", &DropWall::wall));
  }
  bool operator==(const DropWall&) const = default;
};
// All walls and tokens of this site; whatever else bears its names goes. Sent once by each core,
// after a start of the daemon or a reload, behind FindParts. Each of these walls is answered as a
// PutWall is: one that is not there, or not as asked, is put again first. An Outside that is whole
// follows.
struct Reconcile {
  std::vector<PutWall> walls;
  std::vector<std::string> tokens;
  static constexpr auto Fields() {
    return schemas::FieldList(schemas::Field("walls", &Reconcile::walls),
                              schemas::Field("tokens", &Reconcile::tokens));
  }
  bool operator==(const Reconcile&) const = default;
};

// --- events

// The wall was read back and is as asked.
struct WallStands {
  std::string wall;
  uint64_t serial = 0;
  static constexpr auto Fields() {
    return schemas::FieldList(schemas::Field("wall", &WallStands::wall),
                              schemas::Field("serial", &WallStands::serial));
  }
  bool operator==(const WallStands&) const = default;
};
// The wall cannot be put as asked. What stood under its name stands on, unless it was lost. What is
// in the way is told by an Outside before this.
struct WallRefused {
  std::string wall;
  uint64_t serial = 0;
  std::string why;
  bool again = false;  // somebody came in between: planned anew, it may be granted
  static constexpr auto Fields() {
    return schemas::FieldList(
        schemas::Field("wall", &WallRefused::wall), schemas::Field("serial", &WallRefused::serial),
        schemas::Field("why", &WallRefused::why), schemas::Field("again", &WallRefused::again));
  }
  bool operator==(const WallRefused&) const = default;
};
// A wall that stood is gone or was changed by somebody else, and cannot be put again.
struct WallLost {
  std::string wall;
  schemas::CauseCode code = schemas::CauseCode::kOperator;
  std::string node;  // if one node is the reason
  std::string why;
  static constexpr auto Fields() {
    return schemas::FieldList(
        schemas::Field("wall", &WallLost::wall), schemas::Field("code", &WallLost::code),
        schemas::Field("node", &WallLost::node), schemas::Field("why", &WallLost::why));
  }
  bool operator==(const WallLost&) const = default;
};

}  // namespace muster::driver
