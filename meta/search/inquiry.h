// Searches for a common start that place nothing: for a client's question, or for a change of a
// request that somebody wants explained. Whoever asks for one is told what it found.
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

// Either `as`, or `spec` and `user` of a request that is not submitted.
struct Inquiry {
  schemas::RequestSpec spec;
  std::string user;
  std::optional<Request> as;       // one on record as it would be, without what runs
  std::optional<uint64_t> behind;  // the line it goes behind (GoBehind)
};

// The search of this inquiry is over.
struct InquiryOver {
  uint64_t owner = 0;  // as Inquire returned it
  partitioner::Meeting search;
};

// Those who are laid out before one that waits, as inquiries about it go behind them. Each site is
// asked in one run of tentative proposals, one after the other.
struct BehindOthers {
  std::vector<LaidOut> others;             // in their order
  std::map<std::string, ProposalId> last;  // by site: what the next question continues
};

}  // namespace muster::meta
