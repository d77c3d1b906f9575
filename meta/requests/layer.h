// Layer of the requests room: requests, figures shown, dependencies, and the waiting room.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "meta/bank/ledger.h"
#include "meta/requests/arrays.h"
#include "meta/requests/askers.h"
#include "meta/requests/attempt_table.h"
#include "meta/requests/balances.h"
#include "meta/requests/dependents.h"
#include "meta/requests/due_requests.h"
#include "meta/requests/limit_use.h"
#include "meta/requests/ranking.h"
#include "meta/requests/request_table.h"
#include "meta/sites/layer.h"
#include "meta/waiting/waiting_room.h"
#include "policy/ceilings.h"
#include "verifier/use_book.h"

namespace muster::meta {

using policy::Ceilings;
using verifier::UseBook;

struct RequestsLayer : SitesLayer {
  using SitesLayer::SitesLayer;

  std::map<std::string, User> users;
  RequestTable requests;
  AttemptTable attempts;  // records of attempts; the attempts room changes them
  WaitingRoom room;
  Ranking ranking;
  Askers askers;  // points.cc reads records into it
  // Values of shares for a time of the grid, in thousandths by who (told_shares.h).
  struct ForSites {
    std::optional<Moment> at;
    std::map<std::string, int64_t> values;
  } shares_for_sites;
  UseBook use;
  Ceilings ceilings;
  Balances balances;
  Ledger bank;
  LimitUse limit_use;
  DueRequests<Instant> windows;  // waiting requests, by their last allowed start
  DueRequests<Moment> ended;     // ended requests, by end; kept for kRecordKeep
  // Reservations, by when they expire unconfirmed or make their next occurrence.
  DueRequests<Moment> provisional;
  Arrays arrays;
  Dependents dependents;
};

}  // namespace muster::meta
