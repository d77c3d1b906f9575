// Searches for a common start that place nothing: for a client's question, or to explain the change
// of a request. The asker gets the result.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "meta/requests/request_table.h"
#include "meta/search/verified_run.h"
#include "partitioner/meeting.h"
#include "schemas/request.h"

namespace muster::meta {

// The request to search for: `as`, or else `spec` and `user` of a request that is not submitted.
struct Inquiry {
  schemas::RequestSpec spec;
  std::string user;
  std::optional<Request> as;  // a request on record, changed as asked and without its running parts
  std::optional<uint64_t> behind;  // the line it is planned behind (GoBehind)
};

// A finished search of an inquiry.
struct InquiryOver {
  uint64_t owner = 0;  // as Inquire returned it
  partitioner::Meeting search;
};

// The requests that are laid out before a waiting one; inquiries about that one are planned behind
// them. Each site gets a chain of tentative proposals.
struct BehindOthers {
  std::vector<LaidOut> others;             // in the order of layout
  std::map<std::string, ProposalId> last;  // by site: the proposal that the next question continues
};

}  // namespace muster::meta
