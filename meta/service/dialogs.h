// What users wait for: answers that sites give, alterations, a configuration that is read again.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "schemas/client.h"
#include "schemas/inspect.h"

namespace muster::meta {

// What only sites know, asked for a client.
struct InspectPending {
  std::string user;
  std::string link;
  MessageNumber number;
  schemas::InspectKind kind = schemas::InspectKind::kBookings;
  std::string part;                 // "42.1", for output
  std::optional<schemas::Act> act;  // kMoves: what is tried, and then done if it may be
  std::vector<std::string> sites;
  std::set<std::string> out;
  std::map<std::string, decltype(schemas::View::what)> views;
  BootInstant until;
};

// A user who waits until a place for an alteration is found, or a site has changed what runs.
struct AlterPending {
  std::string user;
  std::string link;
  MessageNumber number;
  bool only_try = false;
  bool may_move = false;
  std::vector<RequestId> requests;         // as named
  std::set<RequestId> open;                // not decided yet, elements of arrays too
  std::set<uint64_t> steers;               // orders to sites that have not answered
  std::map<RequestId, std::string> notes;  // what became of each
  std::vector<schemas::Refused> refusals;
  std::vector<schemas::MoveRow> moves;
  BootInstant until;
};

// An operator who waits until the configuration was read again.
struct ReloadPending {
  std::string user;
  std::string link;
  MessageNumber number;
};

struct FollowerKey {
  std::string user;
  std::string link;
  uint64_t number = 0;
  auto operator<=>(const FollowerKey&) const = default;
};
struct Follower {
  std::vector<RequestId> requests;
  BootInstant until;  // without a keep-alive
};

}  // namespace muster::meta
