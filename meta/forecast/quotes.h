// What is expected of jobs that are not submitted yet, as it is worked out
// (meta/forecast/quoting.h) and kept for who asks the same.
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

// One offer of an answer that is being worked on.
struct Quoting {
  SitePlan plan;  // with the job in it
  forecast::Backfilling::Job job = 0;
  bool behind = false;             // it comes behind the first ones
  Instant began;                   // of the run whose plan it is
  Span lead;                       // of the start after its booking
  std::vector<Span> samples = {};  // after `began`
  std::optional<FutureWalk> walk = {};
};

struct Quote {
  schemas::RequestSpec spec;
  std::string user;
  size_t next = 0;  // offer
  std::optional<Quoting> quoting;
};

// What was said of a question; the same for the same.
struct Quoted {
  BootInstant at;
  Digest spec;
  std::string user;
  std::vector<std::string> sites;
  Instant start;
  schemas::Expected expected;
};

}  // namespace muster::meta
