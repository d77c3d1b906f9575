// Work is processors times the run time at the reference speed. What a job holds is the sum of its
// processors' speeds, for as long as it runs.
#include "sim/replay/speed_figures.h"

#include <algorithm>
#include <map>

#include "base/node_set.h"
#include "sim/replay/node_speeds.h"

namespace muster::sim {
namespace {

constexpr double kWindowWork = 0.9;  // share of all work
constexpr double kLeastRun = 10;     // seconds; shorter jobs count as this long in slowdowns

double ToSeconds(Span span) { return static_cast<double>(span.seconds); }

// The mean of what was added; 0 without any.
class MeanOfJobs {
 public:
  void Add(double value) {
    sum_ += value;
    ++count_;
  }
  double Get() const { return count_ == 0 ? 0 : sum_ / static_cast<double>(count_); }

 private:
  double sum_ = 0;
  size_t count_ = 0;
};

double WorkOf(const FederationJob& job) {
  return static_cast<double>(job.Processors()) * ToSeconds(job.runs);
}

double HeldBy(const JobOutcome& outcome) {
  return static_cast<double>(outcome.held) / static_cast<double>(kFullSpeed);
}

// A job that ends in the second in which it starts counts as one second.
Span Lasted(const JobOutcome& outcome) { return std::max(*outcome.end - *outcome.start, Span{1}); }

// The rates of work done and of speed held, from each instant on.
struct Rates {
  double work = 0;
  double held = 0;
};

}  // namespace

SpeedFigures MeasureSpeeds(const std::vector<ReplaySite>& sites,
                           const std::vector<FederationJob>& jobs, const FederationResult& result) {
  SpeedFigures out;
  for (const ReplaySite& site : sites) out.capacity += CapacityOf(site);
  MeanOfJobs all, balanced, pooled, slowdown;
  std::map<Instant, Rates> changes;
  double work = 0;
  for (size_t i = 0; i < jobs.size(); ++i) {
    const JobOutcome& outcome = result.jobs[i];
    if (outcome.fate != JobFate::kEnded || !outcome.start || !outcome.end) continue;
    const double response = ToSeconds(*outcome.end - jobs[i].submitted);
    all.Add(response);
    (jobs[i].balanced ? balanced : pooled).Add(response);
    slowdown.Add(std::max(response, kLeastRun) / std::max(ToSeconds(jobs[i].runs), kLeastRun));
    const double rate = WorkOf(jobs[i]) / ToSeconds(Lasted(outcome));
    work += WorkOf(jobs[i]);
    Rates& begin = changes[*outcome.start];
    begin.work += rate;
    begin.held += HeldBy(outcome);
    Rates& end = changes[*outcome.start + Lasted(outcome)];
    end.work -= rate;
    end.held -= HeldBy(outcome);
  }
  out.response = all.Get();
  out.response_balanced = balanced.Get();
  out.response_pooled = pooled.Get();
  out.slowdown = slowdown.Get();
  if (changes.empty()) return out;
  double done = 0;
  double held = 0;
  Rates now;
  Instant at = jobs.front().submitted;
  for (const auto& [next, change] : changes) {
    double lasts = ToSeconds(next - at);
    const double left = kWindowWork * work - done;
    const bool last = now.work > 0 && now.work * lasts >= left;
    if (last) lasts = left / now.work;
    done += now.work * lasts;
    held += now.held * lasts;
    out.window += lasts;
    if (last) break;
    now.work += change.work;
    now.held += change.held;
    at = next;
  }
  if (out.window > 0) {
    out.throughput = done / (out.capacity * out.window);
    out.held = held / (out.capacity * out.window);
  }
  out.efficiency = held > 0 ? done / held : 0;
  return out;
}

}  // namespace muster::sim
