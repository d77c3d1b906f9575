// Settings and state of the scheduler: what operators set over meta.toml, the vote for a packing
// algorithm with its record, and the cost of the verification loop. Live settings, the vote and its
// record are durable. scheduling.md sections 1 (Waiting room) to 3, cli.md section 3 (scheduler).
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "meta/search/packing/vote.h"
#include "schemas/kept.h"
#include "schemas/scheduler.h"

namespace muster::meta {

struct Options;

// Cost of the verification loop for one block.
struct BlockCost {
  int rounds = 0;
  size_t changed = 0;  // entries whose start is not the one first asked for
  BootSpan time;       // from the first question to the last answer
};

struct Scheduler {
  schemas::KeptOne<schemas::SchedulerRecord> record;
  packing::Voting voting;
  std::deque<BlockCost> costs;  // of the last kBlocksMeasured
};
inline constexpr size_t kBlocksMeasured = 1000;

// Takes a stored record.
void RestoreScheduler(Scheduler& scheduler, schemas::SchedulerRecord record);

// Applies operators' settings on top of the configured options.
void TakeSettings(const schemas::SchedulerChange& set, Options& options);
// The settings as text: "threshold 1h", "packing ffdh*"; empty if nothing is set.
std::vector<std::string> SettingsWords(const schemas::SchedulerChange& set);
std::string SettingsText(const schemas::SchedulerChange& set);

}  // namespace muster::meta
