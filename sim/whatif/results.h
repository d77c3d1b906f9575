// Reads how each job fared from a federation at the end of its run.
#pragma once

#include <functional>

#include "sim/replay/ideal_federation.h"
#include "sim/whatif/courses.h"
#include "sim/whatif/retaken.h"
#include "sim/whatif/side.h"

namespace muster::sim {

struct EndOfRun {
  const IdealFederation& federation;
  const MetaSnapshot& meta;  // with which it began
  const Courses& courses;
  const Retaken* retaken = nullptr;                // null: it is no record taken again
  std::function<schemas::Rows(schemas::Get)> ask;  // an operator asks the meta
};

void TakeResults(const EndOfRun& end, SideOutcome& out);

}  // namespace muster::sim
