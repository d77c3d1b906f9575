// What is expected of a job that is not submitted yet: for each start that a site offered to a
// question, the job is the last of its queue there, in a copy of that site's plan as the last run
// has it, and only that site's futures are gone through. Equal questions within a second get equal
// answers for nothing. scheduling.md section 6 (Questions), cli.md section 3 (ask).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "meta/forecast/forecast_run.h"
#include "meta/forecast/layer.h"
#include "schemas/views.h"

namespace muster::meta {

struct HeldAnswer;

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

// Goes on with the offers of an answer until about `most` jobs were looked at, or all are done;
// returns how many were. REQUIRES: held.quote, and a run that laid out those who wait.
size_t GoOnQuoting(const ForecastLayer& f, Forecasts& forecasts, const Turn& t, size_t most,
                   HeldAnswer& held);
bool QuoteIsDone(const HeldAnswer& held);

}  // namespace muster::meta
