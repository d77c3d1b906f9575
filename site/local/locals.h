// What a site remembers, while it runs, of the jobs submitted at it and of who asks about them. All
// of it is rebuilt from the ledger, or said again by its clients. protocol.md section 3.1 (local
// jobs).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "schemas/fields.h"

namespace muster::site {

// Where an answer goes.
struct ClientLine {
  std::string user;
  std::string link;
  MessageNumber number;
  static constexpr auto Fields() {
    return schemas::FieldList(schemas::Field("user", &ClientLine::user),
                              schemas::Field("link", &ClientLine::link),
                              schemas::Field("number", &ClientLine::number));
  }
  auto operator<=>(const ClientLine&) const = default;
};

struct Follower {
  std::vector<uint64_t> jobs;
  BootInstant until;  // without a keep-alive
};

struct Locals {
  std::map<std::pair<std::string, std::string>, uint64_t> keys;  // (user, client key): its job
  std::map<std::string, std::set<uint64_t>> open;                // unfinished, by user
  std::map<uint64_t, Fence> holds;                               // of jobs that have one
  std::set<uint64_t> waiting;  // that lost theirs: placed again when the plan changes
  std::set<std::pair<Moment, uint64_t>> ended;  // by end: kept for kRecordKeep
  uint64_t tried_up_to = 0;           // of a pass over the waiting ones that goes on; 0: none does
  std::optional<PlanRevision> pass;   // at which it began
  std::optional<PlanRevision> tried;  // at this revision the waiting ones did not fit

  std::set<Fence> failed;      // a part ended badly and the others are to stop
  std::set<Fence> closed;      // to be ended, or placed again
  std::set<uint64_t> changed;  // in this turn: followers are told

  std::map<ClientLine, Follower> followers;
  std::map<uint64_t, std::pair<ClientLine, std::string>> readings;  // output asked of the driver
  uint64_t last_reading = 0;
};

// Inspections of the meta have numbers below this, readings for clients above.
inline constexpr uint64_t kFirstReading = uint64_t{1} << 63;

}  // namespace muster::site
