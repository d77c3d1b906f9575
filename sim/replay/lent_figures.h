// Replays in which some users may be recalled: who may, and what that cost and gained. Maui Sect.
// IV (preemption-based backfill); scheduling.md section 18.
#pragma once

#include <cstdint>
#include <vector>

#include "meta/options.h"
#include "sim/replay/federation_replay.h"

namespace muster::sim {

// Users who may be recalled, in thousandths, drawn for each user; their jobs of one part have the
// usual contract. 0: none.
void GiveContracts(std::vector<FederationJob>& jobs, uint32_t share, uint64_t seed);
// With such users all sites lend to everybody with a contract.
void LendAtAll(std::vector<ReplaySite>& sites, uint32_t share);

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
