// What a what-if of a week's record takes: a week of the three classic logs as one federation, as
// it was recorded, taken through both configurations (`muster whatif --replay 7d`). MUSTER_TRACES
// names the folder of traces.
#pragma once

namespace muster::bench {

// Seconds of the answer, with reading neither records nor configurations.
double WhatIfReplaySeconds();
// The reference: seconds in which the same week was run once, to make the record.
double WeekReplayedOnce();

}  // namespace muster::bench
