// One `explain` that is under way: what sites were asked about the job as it is, and then which
// changes of it are tried (meta/service/explain.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "meta/requests/request_table.h"
#include "meta/search/verified_run.h"
#include "meta/service/ways_tried.h"
#include "schemas/inspect.h"

namespace muster::meta {

// What sites said of a part (from 0) alone.
using AskedPart = std::pair<uint32_t, std::string>;

// Those who are laid out before one that waits, as questions about it go behind them. Each site is
// asked in one run of tentative proposals, one after the other.
struct BehindOthers {
  std::vector<LaidOut> others;             // in their order
  std::map<std::string, ProposalId> last;  // by site: what the next question continues
};

struct Explaining {
  enum class Stage : uint8_t {
    kOrder,  // the order of those who wait is being laid out
    kParts,  // sites are asked what stands in the way of its parts
    kWays,   // changes are tried
  };
  std::string user;
  std::string link;
  MessageNumber number;
  RequestId request;
  Stage stage = Stage::kParts;
  std::map<uint64_t, AskedPart> out;  // by inspection
  std::map<AskedPart, schemas::ExplainView> views;
  std::optional<BehindOthers> behind;  // it waits in a queue
  WaysTried ways;
  BootInstant stage_until;  // what is not there by then is left out
  BootInstant until;        // the answer goes then
};

}  // namespace muster::meta
