// The scheduler as it is set and as it works: what meta.toml says and operators set over it, the
// vote for a packing algorithm with its record, and what the verification loop takes. What is set
// live is durable; so are the vote and its record. scheduling.md sections 1 (Waiting room) to 3,
// cli.md section 3 (scheduler).
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

// What the loop took for one block.
struct BlockCost {
  int rounds = 0;
  size_t changed = 0;  // entries whose start a site changed
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

// What operators set, put over options that come from the configuration.
void TakeSettings(const schemas::SchedulerChange& set, Options& options);
// The same for people: "threshold 1h" and "packing ffdh*"; empty if nothing is set.
std::vector<std::string> SettingsWords(const schemas::SchedulerChange& set);
std::string SettingsText(const schemas::SchedulerChange& set);

}  // namespace muster::meta
