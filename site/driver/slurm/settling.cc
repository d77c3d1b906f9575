// The key is the token: a job's id proves nothing, as ids are given out again.
#include "site/driver/slurm/settling.h"

#include "site/driver/slurm/seen.h"
#include "site/driver/slurm/shapes.h"

namespace muster::driver::slurm {
namespace {

// Why a job of a known token must go; "": it may stay.
std::string WhyNot(const Job& job, const KnownToken& token) {
  if (token.over) return "its token can start no more";
  if (token.owner != 0 && job.id != token.owner) return "another job has its token";
  // The job was put back by Slurm, and its wrapper would find the token taken.
  if (token.owner == job.id && job.state == JobState::kPending) return "it was requeued";
  return "";
}

void AddJob(const Known& known, const Job& job, Settlement& settlement) {
  const std::string token = TokenOf(job, known.prefix);
  if (token.empty() || job.state == JobState::kEnded || job.state == JobState::kCompleting) return;
  const auto of = known.tokens.find(token);
  if (of == known.tokens.end()) {
    if (known.complete) settlement.kill.push_back({job.id, token, "nobody ordered it"});
    return;
  }
  if (const std::string why = WhyNot(job, of->second); !why.empty()) {
    settlement.kill.push_back({job.id, token, why});
    return;
  }
  // A limit that its owner lowered is the owner's own affair.
  const int64_t ours = of->second.minutes;
  const bool raised = !job.limit || job.limit->seconds > ours * 60;
  if (ours > 0 && raised && job.state == JobState::kRunning) {
    settlement.restore.push_back({job.id, ours});
  }
}

}  // namespace

Settlement SettleJob(const Known& known, const Job& job) {
  Settlement settlement;
  AddJob(known, job, settlement);
  return settlement;
}

Settlement Settle(const Known& known, const Look& look) {
  Settlement settlement;
  for (const Job& job : look.jobs) AddJob(known, job, settlement);
  std::map<std::string, const Reservation*> there;
  for (const Reservation& reservation : look.reservations) {
    if (!IsOwnWall(reservation, known.prefix)) continue;
    there[reservation.name] = &reservation;
    if (known.complete && !known.walls.contains(reservation.name)) {
      settlement.drop.push_back(reservation.name);
    }
  }
  const Instant now = look.at.Floor();
  for (const auto& [name, wanted] : known.walls) {
    // One that is over was purged by Slurm itself.
    if (wanted.when.end <= now || wanted.nodes.empty()) continue;
    const auto found = there.find(name);
    if (found == there.end()) {
      settlement.put.push_back(name);
    } else if (!IsAsAsked(*found->second, wanted, now)) {
      settlement.change.push_back(name);
    }
  }
  return settlement;
}

}  // namespace muster::driver::slurm
