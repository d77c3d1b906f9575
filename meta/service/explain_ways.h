// Which changes of a job are tried for `explain`: those that its sites propose of a part alone
// (site/queries/relaxations.h), and those of the whole job. cli.md section 3 (explain).
#pragma once

#include <map>

#include "meta/service/explaining.h"
#include "meta/service/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Changes that save less are not told of.
inline constexpr Span kWaySaves{60};

// `subject` is the job as it is, without what runs. First the job as it is and in the least time,
// then what `views` propose of the parts, the fewest things given up first, and at last what is of
// the whole job. With `quarters` shorter times are tried though no site proposed one.
// REQUIRES: earliest is its first allowed start.
WaysTried WaysOf(const ServiceLayer& f, const Turn& t, const Request& subject,
                 const std::map<AskedPart, schemas::ExplainView>& views, Instant earliest,
                 bool quarters);

}  // namespace muster::meta
