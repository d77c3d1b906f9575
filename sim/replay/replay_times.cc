// Delays are drawn by job and part, not in order of calls: a job has the same delay in every replay
// with this seed.
#include "sim/replay/replay_times.h"

#include "base/random.h"

namespace muster::sim {

void MakeIdeal(site::Options& site) {
  site.facts.turnover = {0};
  site.facts.start_slack = {0};
}

schemas::ProtocolValues IdealValues() {
  schemas::ProtocolValues out;
  out.lead = {0};
  out.start_wait = Seconds(1);
  out.permit_window = Milliseconds(500);
  return out;
}

BootSpan StartDelay(uint64_t seed, size_t job, size_t part, BootSpan most) {
  Random of_seed(seed);
  Random of_job(of_seed.Next() ^ job);
  Random of_part(of_job.Next() ^ part);
  return {of_part.Between(0, most.milliseconds)};
}

}  // namespace muster::sim
