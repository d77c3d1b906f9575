// Client questions that need answers from others first (meta/service/gatherings.h).
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

// Quotes: "when would it start, and where?" (meta/service/questions.h), answered by sites'
// verdicts. A quote for several parts awaits no site here but its inquiry (meta/search/inquiry.h),
// whose owner is the number of the quote.
using Quotes = Gatherings<schemas::RequestSpec, schemas::VerdictEntry>;

// A question that only sites can answer (meta/service/site_queries.h).
struct SiteQuery {
  schemas::InspectKind kind = schemas::InspectKind::kBookings;
  std::vector<std::string> sites;  // all sites it concerns, asked or not
  std::string part = {};           // "42.1", for output
  // For kMoves: the act, whose effect the sites are asked about before it is carried out.
  std::optional<schemas::Act> act = {};
  std::optional<RequestId> request = {};  // for kRanks: the job whose priority is shown
};
using SiteQueries = Gatherings<SiteQuery, decltype(schemas::View::what)>;

// The orders to sites that alter one running request.
struct AlteredAtSites {
  std::set<uint64_t> open;  // not answered yet
  std::string done;         // what sites have changed, as they told it
  std::string refused;      // what they refused
};

// An alteration (meta/service/alter.h); it awaits a result for each request.
struct Altering {
  bool only_try = false;
  bool may_move = false;
  std::vector<RequestId> requests;  // as the client named them
  std::vector<schemas::Refused> refusals = {};
  bool refused = false;  // all requests were refused at once
  std::vector<schemas::MoveRow> moves = {};
  std::map<RequestId, AlteredAtSites> running = {};
};
using Alterings = Gatherings<Altering, std::string, RequestId>;

}  // namespace muster::meta
