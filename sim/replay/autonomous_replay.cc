// The machines use the sites' own planners, which are asked only for a place that starts now. So
// both schedulers map by the same rules on the same hardware.
#include "sim/replay/autonomous_replay.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/check.h"
#include "partitioner/split.h"
#include "sim/replay/autonomous.h"
#include "site/planning/planner.h"

namespace muster::sim {
namespace {

constexpr size_t kAutonomousProgressEvery = 256;  // jobs
constexpr size_t kMostSteps = 1'000'000;          // limit on the steps of one run ahead

// One site's hardware, which maps the jobs that it is sent.
class MappedMachine {
 public:
  explicit MappedMachine(const site::Options& options)
      : turnover_(options.facts.turnover), planner_(options), empty_(options) {}

  // True if the job fits on the empty machine.
  bool CouldTake(const schemas::RequestSpec& spec, int64_t processors) {
    const auto known = could_.find(processors);
    if (known != could_.end()) return known->second;
    const bool could = Book(empty_, Fence{{1}, 1}, spec, Instant{0} + turnover_);
    empty_.Free({{1}, 1});
    could_[processors] = could;
    return could;
  }
  bool Take(size_t job, const schemas::RequestSpec& spec, Instant start) {
    return Book(planner_, FenceOf(job), spec, start);
  }
  void Free(size_t job) { planner_.Free(FenceOf(job)); }

 private:
  static Fence FenceOf(size_t job) { return {{1}, job + 1}; }
  bool Book(site::SitePlanner& planner, const Fence& fence, const schemas::RequestSpec& spec,
            Instant start) const {
    const verifier::Demand demand{.parts = {partitioner::DemandOf(spec, 1, Span{0})},
                                  .who = {.user = "anyone"},
                                  .allowed = IntervalSet::Only(start)};
    const verifier::BookAnswer answer =
        planner.Book(fence, demand, start - turnover_, std::nullopt);
    return std::holds_alternative<verifier::Booked>(answer);
  }

  Span turnover_;
  site::SitePlanner planner_;
  site::SitePlanner empty_;
  std::map<int64_t, bool> could_;  // by processors
};

// When this scheduler would plan the request to start if nobody else came and a machine were only a
// number of processors: the system is virtually frozen and the waiting room is emptied. CCS Sect.
// 4.1.
std::optional<Instant> StartIfFrozen(AutonomousScheduler scheduler, size_t number,
                                     const std::vector<ReplaySite>& sites, Instant now) {
  std::optional<Instant> start;
  std::vector<int64_t> free;
  std::set<std::pair<Instant, size_t>> ends;
  std::map<size_t, size_t> site_of;
  for (size_t site = 0; site < sites.size(); ++site) {
    free.push_back(sites[site].processors);
    for (const auto& [other, end] : scheduler.Running(site)) {
      free[site] -= scheduler.RequestOf(other).processors;
      ends.insert({end, other});
      site_of[other] = site;
    }
  }
  const auto send = [&](size_t other, size_t site) {
    const AutonomousRequest& request = scheduler.RequestOf(other);
    if (free[site] < request.processors) return false;
    free[site] -= request.processors;
    ends.insert({now + request.asks, other});
    site_of[other] = site;
    return true;
  };
  const auto enters = [&](size_t other, Instant planned) {
    if (other == number) start = planned;
  };
  for (size_t step = 0; step < kMostSteps; ++step) {
    scheduler.Timers(now, send, enters);
    if (start) break;
    std::optional<Instant> next = scheduler.Next();
    if (!ends.empty()) next = next ? std::min(*next, ends.begin()->first) : ends.begin()->first;
    if (!next) break;
    now = std::max(now, *next);
    bool ended = false;
    for (; !ends.empty() && ends.begin()->first <= now; ended = true) {
      const size_t other = ends.begin()->second;
      ends.erase(ends.begin());
      free[site_of[other]] += scheduler.RequestOf(other).processors;
      scheduler.End(other, now);
    }
    if (ended) scheduler.AfterEnds(now, send, enters);
  }
  return start;
}

class AutonomousReplay {
 public:
  AutonomousReplay(const FederationReplayOptions& options, const std::vector<FederationJob>& jobs)
      : options_(options), jobs_(jobs), scheduler_(OptionsOf(options)) {
    result_.jobs.resize(jobs.size());
    open_ = jobs.size();
    for (const ReplaySite& site : options.sites) {
      machines_.emplace_back(site.site);
      slack_ = std::max(slack_, site.site.facts.start_slack);
    }
  }

  FederationResult Run() {
    while (open_ > 0) {
      const std::optional<Moment> next = NextEvent();
      if (!next) {
        result_.violations.push_back(std::to_string(open_) + " jobs wait and nothing is ever due");
        break;
      }
      now_ = std::max(now_, *next);
      EndAll();
      while (next_job_ < jobs_.size() && jobs_[next_job_].submitted <= now()) Submit(next_job_++);
      scheduler_.Timers(now(), send_, enters_);
    }
    return std::move(result_);
  }

 private:
  static AutonomousOptions OptionsOf(const FederationReplayOptions& options) {
    AutonomousOptions out{.sites = {},
                          .threshold = options.meta.threshold,
                          .packing = options.meta.packing,
                          .block_max = options.meta.block_max};
    for (const ReplaySite& site : options.sites) {
      out.sites.push_back({site.site.name, site.processors, site.site.facts.turnover});
    }
    return out;
  }

  // The current second: plans are made in whole seconds.
  Instant now() const { return now_.Floor(); }

  std::optional<Moment> NextEvent() const {
    std::optional<Moment> next;
    const auto consider = [&next](Moment at) { next = next ? std::min(*next, at) : at; };
    if (const auto due = scheduler_.Next()) consider(ToMoment(*due));
    if (!ends_.empty()) consider(ends_.begin()->first);
    if (next_job_ < jobs_.size()) consider(ToMoment(jobs_[next_job_].submitted));
    return next;
  }

  void EndAll() {
    bool ended = false;
    for (; !ends_.empty() && ends_.begin()->first <= now_; ended = true) {
      const size_t job = ends_.begin()->second;
      ends_.erase(ends_.begin());
      machines_[result_.jobs[job].sites[0]].Free(job);
      scheduler_.End(job, now());
      result_.jobs[job].end = now();
      Close(job, JobFate::kEnded);
    }
    if (ended) scheduler_.AfterEnds(now(), send_, enters_);
  }

  void Submit(size_t index) {
    const FederationJob& job = jobs_[index];
    const schemas::RequestSpec spec = SpecOf(job, options_.sites);
    AutonomousRequest request{.processors = job.Processors(),
                              .asks = job.asks,
                              .user = job.user,
                              .interactive = options_.classes && job.interactive,
                              .home = job.home,
                              .sites = {}};
    for (size_t site = 0; site < machines_.size(); ++site) {
      if (job.only.value_or(site) != site) continue;
      if (machines_[site].CouldTake(spec, request.processors)) request.sites.push_back(site);
    }
    if (request.sites.empty()) {
      result_.jobs[index].refusal = "unsatisfiable: no site could ever run it";
      Close(index, JobFate::kRefused);
      return;
    }
    scheduler_.Submit(index, request, now(), enters_);
    JobOutcome& outcome = result_.jobs[index];
    if (!outcome.promise && options_.estimates) {
      outcome.first = ToldFigures{.at = now_};
      if (const auto start = StartIfFrozen(scheduler_, index, options_.sites, now())) {
        outcome.first->starts_by = *start + slack_;
      }
    }
    scheduler_.Timers(now(), send_, enters_);
  }

  // Starts a job if its machine takes it. The processes begin, and thus end, up to start_delay_most
  // later than the booking.
  bool Start(size_t job, size_t site) {
    if (!machines_[site].Take(job, SpecOf(jobs_[job], options_.sites), now())) return false;
    const BootSpan late = StartDelay(options_.meta.seed, job, 0, options_.start_delay_most);
    const Moment begins{now_.milliseconds + late.milliseconds};
    JobOutcome& outcome = result_.jobs[job];
    outcome.start = begins.Floor();
    outcome.sites = {site};
    ends_.insert({{begins.milliseconds + jobs_[job].runs.seconds * 1000}, job});
    return true;
  }

  void Enter(size_t job, Instant planned) {
    JobOutcome& outcome = result_.jobs[job];
    outcome.promise = ToldFigures{.at = now_, .starts_by = planned + slack_, .firm = true};
    if (!outcome.first) outcome.first = outcome.promise;
  }

  void Close(size_t job, JobFate fate) {
    result_.jobs[job].fate = fate;
    --open_;
    if (options_.progress && open_ % kAutonomousProgressEvery == 0)
      options_.progress(jobs_.size() - open_);
  }

  const FederationReplayOptions& options_;
  const std::vector<FederationJob>& jobs_;
  AutonomousScheduler scheduler_;
  std::vector<MappedMachine> machines_;
  std::set<std::pair<Moment, size_t>> ends_;
  const AutonomousScheduler::Send send_ = [this](size_t job, size_t site) {
    return Start(job, site);
  };
  const AutonomousScheduler::Enters enters_ = [this](size_t job, Instant planned) {
    Enter(job, planned);
  };
  Moment now_;
  Span slack_;  // start slack, which announced starts include, as promises do
  size_t next_job_ = 0;
  size_t open_ = 0;
  FederationResult result_;
};

}  // namespace

absl::StatusOr<FederationResult> ReplayAutonomous(const FederationReplayOptions& options,
                                                  const std::vector<FederationJob>& jobs) {
  MUSTER_CHECK(!options.sites.empty());
  for (const FederationJob& job : jobs) {
    if (job.parts.size() > 1) {
      return InvalidArgument("the autonomous scheduler knows no requests of several parts");
    }
    if (job.cancels) return InvalidArgument("the autonomous scheduler knows no cancellations");
  }
  return AutonomousReplay(options, jobs).Run();
}

}  // namespace muster::sim
