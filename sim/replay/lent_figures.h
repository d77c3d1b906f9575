// Replays in which some users may be recalled: who may, and what that cost and gained. Maui Sect.
// IV (preemption-based backfill); scheduling.md section 18.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "meta/options.h"
#include "sim/replay/federation_replay.h"

namespace muster::sim {

struct LentRules {
  uint32_t recallable = 0;    // users who may be recalled, in thousandths, drawn for each
  std::string recall = "no";  // "requeue", "checkpoint"; "no": they are the same, and nobody lends
  bool alone = false;         // they get lent room alone: their QoS has promise = "start"
  uint64_t seed = 1;
};

// Errors: another word for `recall`.
absl::Status GiveContracts(const LentRules& rules, std::vector<FederationJob>& jobs,
                           std::vector<ReplaySite>& sites);
// Each site lends, rather than promises, to users of other homes once it gave them more than its
// own took elsewhere. scheduling.md section 16.
void LendBeyondBalances(std::vector<ReplaySite>& sites);
// Each site keeps so many percent of its processors for interactive jobs (a FreePool), and lends
// that meanwhile if `lend`. 0: nothing.
void KeepForInteractive(int percent, bool lend, std::vector<ReplaySite>& sites);
// The QoS of these jobs: 15 minutes are safe, 3 recalls, and a grace of 20 s; by checkpoint of 90
// s, in which they save their work.
void TellMeta(const LentRules& rules, meta::Options& meta);

// Of jobs that started and were not cancelled. Delay: from submission to the end, less its run
// time.
struct LentFigures {
  size_t recallable = 0;        // jobs with a contract
  uint64_t recalls = 0;         // lives on lent room that were taken back
  double lost = 0;              // work of these, of all work that was done
  double delay = 0;             // mean of all, seconds
  double delay_recallable = 0;  // mean of those with a contract
  double delay_others = 0;
};
LentFigures MeasureLent(const std::vector<FederationJob>& jobs, const FederationResult& result);

}  // namespace muster::sim
