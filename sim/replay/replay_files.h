// Writes replays: tables for people, JSON, CSV with one row per job, and the schedule in the
// Standard Workload Format.
#pragma once

#include <string>
#include <vector>

#include "sim/replay/replay_run.h"

namespace muster::sim {

// The tables of cli.md, "sim replay": a row per run; with classes, a row per run of the waits per
// class; with several sites, a row per home site. What was left out or changed and what was broken
// follows.
std::string ReplayTable(const std::vector<ReplayRun>& runs);

// One "muster.replay/1" document.
std::string ReplayJson(const std::vector<ReplayRun>& runs);

// CSV with a header and one row per submitted job; the first column names the run.
std::string ReplayCsv(const std::vector<ReplayRun>& runs);

// The resulting schedule of one run as SWF.
std::string ReplaySwf(const ReplayRun& run);

// Formats rows of cells as aligned columns; the first row is the header.
std::string Aligned(const std::vector<std::vector<std::string>>& rows);

// Which delays a run simulates, such as "daemon times". It is the heading of the run's tables.
std::string TimesText(const RunSettings& settings);

// A wait in at most two units, such as "31m", "3h02m" or "2d04h".
std::string WaitText(double seconds);

// What was left out of the trace, such as "23 cancelled before start, 4 larger than every machine";
// empty if nothing was.
std::string SkippedText(const WorkloadCounts& counts);
size_t Skipped(const WorkloadCounts& counts);
// What was changed by the rules of scheduling.md section 10, in the same form.
std::string ChangedText(const WorkloadCounts& counts);

}  // namespace muster::sim
