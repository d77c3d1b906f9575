// What clients have asked that others have to answer first (meta/service/gatherings.h).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "meta/service/gatherings.h"
#include "schemas/client.h"
#include "schemas/inspect.h"
#include "schemas/request.h"

namespace muster::meta {

// "When would it start, and where?" (meta/service/questions.h): sites give verdicts. A quote for
// several parts asks nobody here; it waits for its inquiry (meta/search/inquiry.h), whose owner is
// its number.
using Quotes = Gatherings<schemas::RequestSpec, schemas::VerdictEntry>;

// What only sites know (meta/service/inspections.h).
struct SiteQuery {
  schemas::InspectKind kind = schemas::InspectKind::kBookings;
  std::vector<std::string> sites;        // it is about, asked or not
  std::string part = {};                 // "42.1", for output
  std::optional<schemas::Act> act = {};  // kMoves: what is tried, and then done if it may be
};
using SiteQueries = Gatherings<SiteQuery, decltype(schemas::View::what)>;

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

}  // namespace muster::meta
