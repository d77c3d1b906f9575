// See lent_figures.h.
#include "sim/replay/lent_figures.h"

#include <map>
#include <utility>

#include "base/random.h"

namespace muster::sim {

absl::Status GiveContracts(const LentRules& rules, std::vector<FederationJob>& jobs,
                           std::vector<ReplaySite>& sites) {
  const bool known = rules.recall == "no" || rules.recall == "requeue" ||
                     rules.recall == "checkpoint" || rules.recall == "suspend";
  if (!known) {
    return InvalidArgument("recall '" + rules.recall +
                           "'; there are no, requeue, checkpoint, suspend");
  }
  std::map<int64_t, bool> users;
  for (FederationJob& job : jobs) {
    const auto [user, fresh] = users.try_emplace(job.user, false);
    if (fresh) {
      Random random(rules.seed ^ 0x6c656e74 ^
                    (static_cast<uint64_t>(job.user) * 0x9e3779b97f4a7c15));
      user->second = random.Chance(rules.recallable);
    }
    job.recallable = user->second && job.parts.size() == 1;
  }
  for (ReplaySite& site : sites) {
    if (rules.recall != "no") site.site.lends_to = {"*"};
  }
  return absl::OkStatus();
}

void LendBeyondBalances(std::vector<ReplaySite>& sites) {
  for (ReplaySite& site : sites) site.site.lends_beyond = 0;
}

void KeepForInteractive(int percent, bool lend, std::vector<ReplaySite>& sites) {
  if (percent == 0) return;
  for (ReplaySite& site : sites) {
    rules::Pool pool{.name = "quick", .resource = "ncpus", .lend = lend};
    pool.keep.percent = percent;
    pool.open_to = Condition(
        {.subject = Comparison::Subject::kClass, .texts = {std::string(Comparison::kInteractive)}});
    site.site.rules.pools.push_back(std::move(pool));
  }
}

void TellMeta(const LentRules& rules, meta::Options& meta) {
  if (rules.recallable == 0) return;
  policy::Qos& qos =
      meta.credentials.qos.emplace_back(policy::Qos{.name = kRecallable, .grant = {"*"}});
  if (rules.recall == "no") return;
  qos.recall.emplace();
  if (rules.alone) qos.promise = policy::PromiseTime::kStart;
  if (rules.recall == "suspend") qos.recall->way = policy::Recall::kSuspend;
  if (rules.recall != "checkpoint") return;
  qos.recall->way = policy::Recall::kCheckpoint;
  qos.recall->grace = Span{90};
}

LentFigures MeasureLent(const std::vector<FederationJob>& jobs, const FederationResult& result) {
  LentFigures out;
  double work = 0;
  double lost = 0;
  size_t others = 0;
  for (size_t i = 0; i < jobs.size(); ++i) {
    const FederationJob& job = jobs[i];
    const JobOutcome& outcome = result.jobs[i];
    out.recalls += outcome.recalls;
    lost += static_cast<double>(outcome.lost);
    if (outcome.fate != JobFate::kEnded || !outcome.start || !outcome.end) continue;
    const double runs = static_cast<double>(job.runs.seconds);
    work += runs * static_cast<double>(job.Processors());
    const double delay = static_cast<double>((*outcome.end - job.submitted).seconds) - runs;
    out.delay += delay;
    (job.recallable ? out.delay_recallable : out.delay_others) += delay;
    ++(job.recallable ? out.recallable : others);
  }
  const auto mean = [](double sum, size_t count) {
    return count > 0 ? sum / static_cast<double>(count) : 0;
  };
  out.delay = mean(out.delay, out.recallable + others);
  out.delay_recallable = mean(out.delay_recallable, out.recallable);
  out.delay_others = mean(out.delay_others, others);
  out.lost = work > 0 ? lost / work : 0;
  return out;
}

}  // namespace muster::sim
