// Points and shares as people are shown them, by the meta and by sites. cli.md section 3 (priority,
// shares).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "policy/points.h"
#include "policy/shares.h"
#include "schemas/priority.h"
#include "schemas/use.h"

namespace muster::policy {

// What is behind the value of a factor: "12m of 24h"; "" for one that is worked out elsewhere, as
// from shares.
std::string Because(Factor factor, const PointsRules& rules, const Asker& asker,
                    const Largest& largest);
// "12.3 %"
std::string PercentText(int64_t millionths);
// "@weather has 35.0 %, target 25.0 %".
std::string TextOf(const Share& share, const Part& part);

// One row for each factor with a weight, and one for a floor. `elsewhere` tells what is behind a
// factor for which Because says nothing, and behind the floor, for which it is asked about
// kFsGlobal or kFsLocal: the one in `floor_of`.
using Elsewhere = std::function<std::string(Factor)>;
std::vector<schemas::PriorityRow> RowsOf(const PointsRules& rules, const Asker& asker,
                                         const Largest& largest, Factor floor_of,
                                         const Elsewhere& elsewhere);
// `new_work`: when a ceiling lets new work start.
schemas::ShareRow RowOf(const Share& share, const Standing& standing,
                        std::optional<Instant> new_work);

}  // namespace muster::policy
