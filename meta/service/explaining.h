// One `explain` that is under way: what sites were asked about the job as it is, and then which
// changes of it are tried (meta/service/explain.h).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "meta/requests/request_table.h"
#include "meta/service/gatherings.h"
#include "meta/service/ways_tried.h"
#include "schemas/inspect.h"

namespace muster::meta {

// What sites said of a part (from 0) alone.
using AskedPart = std::pair<uint32_t, std::string>;

struct Explaining {
  enum class Stage : uint8_t {
    kOrder,  // the order of those who wait is being laid out
    kParts,  // sites are asked what stands in the way of its parts
    kWays,   // changes are tried
  };
  RequestId request;
  Stage stage = Stage::kParts;
  std::map<uint64_t, AskedPart> inspections;  // what sites were asked in stage kParts
  bool behind = false;                        // it waits in a queue, and its ways go behind others
  WaysTried ways;
  // Ways that are searched for, and the request so changed, by the inquiry's owner.
  std::map<uint64_t, std::pair<size_t, Request>> inquiries;
  BootInstant stage_until;  // what is not there by then is left out
};
using Explanations = Gatherings<Explaining, schemas::ExplainView, AskedPart>;

}  // namespace muster::meta
