// Sums are in the order of the workload, so that equal replays give equal digits.
#include "sim/replay/replay_figures.h"

#include <algorithm>
#include <cmath>

namespace muster::sim {
namespace {

constexpr double kTau = 10;             // seconds; shorter jobs count as this long
constexpr double kTrimmedShare = 0.05;  // share of submissions ignored at each end
constexpr double kWaited = 600;         // seconds; forecasts of longer waits are judged
constexpr double kWideInterval = 60;    // seconds

using Picks = std::vector<size_t>;

double SecondsOf(Span span) { return static_cast<double>(span.seconds); }

double MeanOf(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

ErrorFigures ErrorsOf(const std::vector<double>& errors) {
  std::vector<double> absolute;
  std::vector<double> late;
  for (const double error : errors) {
    absolute.push_back(std::abs(error));
    late.push_back(std::max(error, 0.0));
  }
  ErrorFigures out{.count = errors.size(), .mean = MeanOf(absolute), .late = MeanOf(late)};
  out.p95 = Quantile(absolute, 0.95);
  if (!absolute.empty()) out.most = *std::max_element(absolute.begin(), absolute.end());
  return out;
}

double Share(size_t some, size_t all) {
  return all == 0 ? 0 : static_cast<double>(some) / static_cast<double>(all);
}

class Measurer {
 public:
  Measurer(const std::vector<ReplaySite>& sites, const std::vector<FederationJob>& jobs,
           const FederationResult& result)
      : sites_(sites), jobs_(jobs), outcomes_(result.jobs) {
    if (jobs.empty()) return;
    trim_begin_ = CoreOf(jobs).begin;
    trim_end_ = CoreOf(jobs).end;
  }

  GroupFigures Group(const Picks& picks) const {
    GroupFigures out{.jobs = picks.size()};
    std::vector<double> waits;
    std::vector<double> slowdowns;
    std::vector<double> stretches;
    for (const size_t i : picks) {
      const JobOutcome& outcome = outcomes_[i];
      if (outcome.fate == JobFate::kRefused) ++out.refused;
      if (outcome.fate == JobFate::kCancelled) ++out.cancelled;
      // A job cancelled while it ran says nothing about slowdowns.
      if (!outcome.start || outcome.fate != JobFate::kEnded) continue;
      const double wait = SecondsOf(*outcome.start - jobs_[i].submitted);
      const double ran = SecondsOf(jobs_[i].runs);
      waits.push_back(wait);
      slowdowns.push_back(BoundedSlowdown(wait, ran));
      stretches.push_back((wait + ran) / ran);
      Promise(outcome, out);
    }
    out.started = waits.size();
    out.wait_mean = MeanOf(waits);
    out.wait_p95 = Quantile(waits, 0.95);
    if (!waits.empty()) out.wait_most = *std::max_element(waits.begin(), waits.end());
    out.slowdown = MeanOf(slowdowns);
    out.stretch = MeanOf(stretches);
    Errors(picks, out);
    Forecasts(picks, out);
    return out;
  }

  SiteUse Use(size_t site) const {
    SiteUse out;
    double busy = 0;
    for (size_t i = 0; i < jobs_.size(); ++i) {
      for (size_t part = 0; part < outcomes_[i].sites.size(); ++part) {
        if (outcomes_[i].sites[part] != site) continue;
        ++out.started;
        busy += Inside(i) * static_cast<double>(jobs_[i].parts[part]);
      }
    }
    const double capacity =
        SecondsOf(trim_end_ - trim_begin_) * static_cast<double>(sites_[site].processors);
    out.utilisation = capacity > 0 ? busy / capacity : 0;
    return out;
  }

 private:
  double Inside(size_t job) const {
    const JobOutcome& outcome = outcomes_[job];
    if (!outcome.start || !outcome.end) return 0;
    const Instant begin = std::max(*outcome.start, trim_begin_);
    const Instant end = std::min(*outcome.end, trim_end_);
    return begin < end ? SecondsOf(end - begin) : 0;
  }

  static void Promise(const JobOutcome& outcome, GroupFigures& out) {
    if (!outcome.promise) return;
    ++out.promised;
    if (*outcome.start <= *outcome.promise->starts_by) {
      ++out.kept;
    } else {
      ++out.late[outcome.late.empty() ? "no cause" : outcome.late];
    }
  }

  bool Trimmed(size_t job) const {
    return jobs_[job].submitted < trim_begin_ || jobs_[job].submitted > trim_end_;
  }

  void Errors(const Picks& picks, GroupFigures& out) const {
    std::vector<double> submission;
    std::vector<double> entering;
    std::vector<double> submission_trimmed;
    std::vector<double> entering_trimmed;
    for (const size_t i : picks) {
      const JobOutcome& outcome = outcomes_[i];
      if (!outcome.start) continue;
      const auto add = [&](const std::optional<ToldFigures>& told, std::vector<double>& whole,
                           std::vector<double>& trimmed) {
        if (!told || !told->starts_by) return;
        const double error = SecondsOf(*outcome.start - *told->starts_by);
        whole.push_back(error);
        if (!Trimmed(i)) trimmed.push_back(error);
      };
      add(outcome.first, submission, submission_trimmed);
      add(outcome.promise, entering, entering_trimmed);
    }
    out.at_submission = ErrorsOf(submission);
    out.on_entering = ErrorsOf(entering);
    out.at_submission_trimmed = ErrorsOf(submission_trimmed);
    out.on_entering_trimmed = ErrorsOf(entering_trimmed);
  }

  void Forecasts(const Picks& picks, GroupFigures& out) const {
    std::vector<double> errors;
    std::vector<double> widths;
    size_t within_60 = 0;
    size_t within_600 = 0;
    size_t within_quarter = 0;
    size_t covered = 0;
    for (const size_t i : picks) {
      const JobOutcome& outcome = outcomes_[i];
      if (!outcome.start || !outcome.first || !outcome.first->expected) continue;
      const double wait = SecondsOf(*outcome.start - jobs_[i].submitted);
      const double error = std::abs(SecondsOf(*outcome.start - *outcome.first->expected));
      if (wait > kWaited) {
        errors.push_back(error);
        within_60 += error <= 60 ? 1 : 0;
        within_600 += error <= 600 ? 1 : 0;
        within_quarter += error <= wait / 4 ? 1 : 0;
      }
      if (Trimmed(i)) continue;
      if (wait <= 0) ++out.interval.at_once;
      const double width = SecondsOf(outcome.first->high - outcome.first->low);
      if (width <= kWideInterval) continue;
      widths.push_back(width / std::max(kWideInterval, wait));
      const bool in = outcome.first->low <= *outcome.start && *outcome.start <= outcome.first->high;
      covered += in ? 1 : 0;
    }
    out.forecast = {.count = errors.size(),
                    .median = Quantile(errors, 0.5),
                    .mean = MeanOf(errors),
                    .within_60 = Share(within_60, errors.size()),
                    .within_600 = Share(within_600, errors.size()),
                    .within_quarter = Share(within_quarter, errors.size())};
    out.interval.count = widths.size();
    out.interval.coverage = Share(covered, widths.size());
    out.interval.width_over_wait = Quantile(widths, 0.5);
  }

  const std::vector<ReplaySite>& sites_;
  const std::vector<FederationJob>& jobs_;
  const std::vector<JobOutcome>& outcomes_;
  Instant trim_begin_;
  Instant trim_end_;
};

}  // namespace

std::optional<double> ErrorFigures::Ev() const {
  if (most <= 0) return std::nullopt;
  return 100 * mean / most;
}

Interval CoreOf(const std::vector<FederationJob>& jobs) {
  const auto at = [&](double share) {
    const auto place = static_cast<size_t>(share * static_cast<double>(jobs.size() - 1));
    return jobs[place].submitted;
  };
  return {at(kTrimmedShare), at(1 - kTrimmedShare)};
}

double BoundedSlowdown(double wait, double ran) {
  return std::max(1.0, (wait + ran) / std::max(ran, kTau));
}

double Quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto rank = static_cast<size_t>(std::ceil(share * static_cast<double>(values.size())));
  const size_t place = std::min(std::max<size_t>(rank, 1), values.size()) - 1;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(place),
                   values.end());
  return values[place];
}

ReplayFigures Measure(const std::vector<ReplaySite>& sites, const std::vector<FederationJob>& jobs,
                      const FederationResult& result) {
  const Measurer measurer(sites, jobs, result);
  Picks all, interactive, batch, co_allocated;
  std::vector<Picks> by_home(sites.size());
  ReplayFigures out;
  Instant last;
  for (size_t i = 0; i < jobs.size(); ++i) {
    all.push_back(i);
    (jobs[i].interactive ? interactive : batch).push_back(i);
    if (jobs[i].parts.size() > 1) co_allocated.push_back(i);
    if (jobs[i].home) by_home[*jobs[i].home].push_back(i);
    if (result.jobs[i].end) last = std::max(last, *result.jobs[i].end);
  }
  out.all = measurer.Group(all);
  out.interactive = measurer.Group(interactive);
  out.batch = measurer.Group(batch);
  out.co_allocated = measurer.Group(co_allocated);
  for (const Picks& picks : by_home) out.by_home.push_back(measurer.Group(picks));
  double busy = 0;
  double processors = 0;
  for (size_t site = 0; site < sites.size(); ++site) {
    out.sites.push_back(measurer.Use(site));
    busy += out.sites.back().utilisation * static_cast<double>(sites[site].processors);
    processors += static_cast<double>(sites[site].processors);
  }
  out.utilisation = processors > 0 ? busy / processors : 0;
  if (!jobs.empty() && last > jobs.front().submitted) {
    out.makespan = SecondsOf(last - jobs.front().submitted);
  }
  return out;
}

std::vector<std::pair<Instant, int64_t>> BusySteps(size_t site,
                                                   const std::vector<FederationJob>& jobs,
                                                   const FederationResult& result) {
  std::map<Instant, int64_t> changes;
  for (size_t i = 0; i < jobs.size(); ++i) {
    const JobOutcome& outcome = result.jobs[i];
    if (!outcome.start || !outcome.end) continue;
    for (size_t part = 0; part < outcome.sites.size(); ++part) {
      if (outcome.sites[part] != site) continue;
      changes[*outcome.start] += jobs[i].parts[part];
      changes[*outcome.end] -= jobs[i].parts[part];
    }
  }
  std::vector<std::pair<Instant, int64_t>> out;
  int64_t busy = 0;
  for (const auto& [at, change] : changes) {
    busy += change;
    if (change != 0) out.push_back({at, busy});
  }
  return out;
}

}  // namespace muster::sim
