// Writes replays: tables for people, JSON, CSV with one row per job, and the schedule in the
// Standard Workload Format.
#pragma once

#include <string>
#include <vector>

#include "sim/replay/replay_run.h"

namespace muster::sim {

// The table of cli.md, "sim replay": a row per run, what was left out, then a row per home site if
// there are several.
std::string ReplayTable(const std::vector<ReplayRun>& runs);

// One "muster.replay/1" document.
std::string ReplayJson(const std::vector<ReplayRun>& runs);

// CSV with a header and one row per submitted job; the first column names the run.
std::string ReplayCsv(const std::vector<ReplayRun>& runs);

// The resulting schedule of one run as SWF.
std::string ReplaySwf(const ReplayRun& run);

// Formats rows of cells as aligned columns; the first row is the header.
std::string Aligned(const std::vector<std::vector<std::string>>& rows);

// "daemon times": which delays a run simulates; the heading of its tables.
std::string TimesText(const RunSettings& settings);

// "31m", "3h02m", "2d04h": a wait, to two units.
std::string WaitText(double seconds);

// "23 cancelled before start, 4 larger than every machine": what was left out of the trace; empty
// if nothing was.
std::string SkippedText(const WorkloadCounts& counts);
size_t Skipped(const WorkloadCounts& counts);
// What was changed by the rules of scheduling.md section 10, in the same form.
std::string ChangedText(const WorkloadCounts& counts);

}  // namespace muster::sim
