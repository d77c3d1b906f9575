// State of expected starts for jobs that are not submitted yet (meta/forecast/quoting.h), and the
// results kept for equal questions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "meta/forecast/forecast_run.h"
#include "meta/forecast/site_plan.h"
#include "schemas/request.h"
#include "schemas/views.h"

namespace muster::meta {

inline constexpr BootSpan kQuotesKept = Seconds(1);

// The offer whose expected start is being worked out.
struct Quoting {
  SitePlan plan;  // a copy that includes the job
  forecast::Backfilling::Job job = 0;
  Instant began;                   // when the run began that the plan was copied from
  Span lead;                       // from the job's booking to its start
  std::vector<Span> samples = {};  // sampled starts, relative to `began`
  std::optional<forecast::FutureWalk> walk = {};
};

struct Quote {
  schemas::RequestSpec spec;
  std::string user;
  size_t next = 0;  // index of the offer to work on
  std::optional<Quoting> quoting;
};

// The expected start found for one offer. Equal questions get the same figure.
struct Quoted {
  BootInstant at;
  Digest spec;
  std::string user;
  std::vector<std::string> sites;
  Instant start;  // `starts by` of the offer
  schemas::Expected expected;
};

}  // namespace muster::meta
