// State of one `explain`: first the questions to sites about the job as it is, then the changes
// that are tried (meta/service/explain.h).
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

// A question about one part (from 0) alone, and the site that is asked.
using AskedPart = std::pair<uint32_t, std::string>;

struct Explaining {
  enum class Stage : uint8_t {
    kOrder,  // the waiting requests are being laid out
    kParts,  // sites are asked what blocks an earlier start of the parts
    kWays,   // changes are tried
  };
  RequestId request;
  Stage stage = Stage::kParts;
  std::map<uint64_t, AskedPart> inspections;  // questions of stage kParts, by inspection number
  bool behind = false;  // the request is in a queue, so its ways are asked behind other requests
  WaysTried ways;
  // Ways being searched, by owner of the inquiry: index of the way, and the request so changed.
  std::map<uint64_t, std::pair<size_t, Request>> inquiries;
  BootInstant stage_until;  // when kOrder or kParts ends, even if answers are missing
};
using Explanations = Gatherings<Explaining, schemas::ExplainView, AskedPart>;

}  // namespace muster::meta
