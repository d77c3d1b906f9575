// Which cause made a job start later than it was told.
#pragma once

#include <vector>

#include "schemas/views.h"

namespace muster::sim {

// The cause of the newest figure that was later than the one before, or that was lost: those after
// it moved the job earlier again. None was: that of the newest figure. Null: it has none.
const schemas::Cause* CauseOfDelay(const std::vector<schemas::FigureChange>& history);

}  // namespace muster::sim
