// What clients have asked that others have to answer first (meta/service/gatherings.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/ids.h"
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

// An alteration (meta/service/alter.h): of each request it is awaited what became of it.
struct Altering {
  bool only_try = false;
  bool may_move = false;
  std::vector<RequestId> requests;  // as named
  std::vector<schemas::Refused> refusals = {};
  bool refused = false;  // all of them were, alike
  std::vector<schemas::MoveRow> moves = {};
  std::set<uint64_t> orders = {};  // to sites that have not answered
  // What sites answered about a request, which waits for others of its orders.
  std::map<RequestId, std::string> answered = {};
};
using Alterings = Gatherings<Altering, std::string, RequestId>;

}  // namespace muster::meta
