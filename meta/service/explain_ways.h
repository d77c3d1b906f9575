// Builds the changes of a job that `explain` tries: changes of one part, proposed by its sites
// (site/queries/relaxations.h), and changes of the whole job. cli.md section 3 (explain).
#pragma once

#include <map>

#include "meta/service/explaining.h"
#include "meta/service/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Changes that save less time are not shown.
inline constexpr Span kWaySaves{60};

// `subject` is the job without its payload. Order of the ways: the job as it is, in the least time,
// with parts together, at any site; then the proposals in `views`, by part and site, each site's in
// its own order; with `quarters`, last the shorter durations, if no site proposed one. REQUIRES:
// `earliest` is the first allowed start of the job.
WaysTried WaysOf(const ServiceLayer& f, const Turn& t, const Request& subject,
                 const std::map<AskedPart, schemas::ExplainView>& views, Instant earliest,
                 bool quarters);

}  // namespace muster::meta
