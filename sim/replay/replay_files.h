// Replays as files and text: the lines people read, JSON, one row a job as CSV, and a trace in the
// Standard Workload Format.
#pragma once

#include <string>
#include <vector>

#include "sim/replay/replay_run.h"

namespace muster::sim {

// As in cli.md, "sim replay": a row each, what was left out, then a row for each home of several.
std::string ReplayTable(const std::vector<ReplayRun>& runs);

// One document, "muster.replay/1".
std::string ReplayJson(const std::vector<ReplayRun>& runs);

// One row a job that was submitted, under a heading; the first column names the run.
std::string ReplayCsv(const std::vector<ReplayRun>& runs);

// The schedule that came out of one run.
std::string ReplaySwf(const ReplayRun& run);

// Rows of cells in columns; the first is a heading.
std::string Aligned(const std::vector<std::vector<std::string>>& rows);

// "daemon times": what a run took its time for; the heading of its tables.
std::string TimesText(const RunSettings& settings);

// "31m", "3h02m", "2d04h": a wait, to two units.
std::string WaitText(double seconds);

// "23 cancelled before start, 4 larger than every machine"; empty: every job of the trace is there.
std::string SkippedText(const WorkloadCounts& counts);
size_t Skipped(const WorkloadCounts& counts);
// What was changed by the rules of scheduling.md section 10, likewise.
std::string ChangedText(const WorkloadCounts& counts);

}  // namespace muster::sim
