// The text is the table shown on the terminal; the plots show the jobs.
#include "sim/replay/replay_plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "base/calendar.h"
#include "sim/replay/replay_files.h"

namespace muster::sim {
namespace {

constexpr size_t kDaysDrawn = 200;

using ValueOf = std::function<std::optional<double>(const FederationJob&, const JobOutcome&)>;

// Adds a plot with one curve per run that has such values; none if no run has.
void AddDistributions(PlotSection& section, const std::vector<ReplayRun>& runs, CurvePlot plot,
                      const ValueOf& value_of) {
  plot.y = "% of jobs at or below";
  plot.log_x = true;
  for (const ReplayRun& run : runs) {
    std::vector<double> values;
    for (size_t i = 0; i < run.workload.jobs.size(); ++i) {
      const auto value = value_of(run.workload.jobs[i], run.result.jobs[i]);
      if (value) values.push_back(*value);
    }
    if (values.empty()) continue;
    plot.curves.push_back(Distribution(run.settings.name, std::move(values)));
  }
  if (!plot.curves.empty()) section.plots.emplace_back(std::move(plot));
}

double Waited(const FederationJob& job, const JobOutcome& outcome) {
  return static_cast<double>((*outcome.start - job.submitted).seconds);
}

std::optional<double> ErrorOf(const std::optional<ToldFigures>& told, const JobOutcome& outcome,
                              bool expected) {
  if (!told || !outcome.start) return std::nullopt;
  const std::optional<Instant>& figure = expected ? told->expected : told->starts_by;
  if (!figure) return std::nullopt;
  return std::abs(static_cast<double>((*outcome.start - *figure).seconds)) / kMinuteSeconds;
}

PlotSection Waits(const std::vector<ReplayRun>& runs) {
  PlotSection out{.title = "Waits"};
  AddDistributions(out, runs, {.title = "Wait", .x = "minutes"},
                   [](const auto& job, const auto& o) -> std::optional<double> {
                     if (!o.start) return std::nullopt;
                     return Waited(job, o) / kMinuteSeconds;
                   });
  AddDistributions(out, runs, {.title = "Bounded slowdown (10 s)", .x = "times"},
                   [](const auto& job, const auto& o) -> std::optional<double> {
                     if (!o.start) return std::nullopt;
                     const auto ran = static_cast<double>(job.runs.seconds);
                     return BoundedSlowdown(Waited(job, o), ran);
                   });
  AddDistributions(out, runs, {.title = "Stretch", .x = "times"},
                   [](const auto& job, const auto& o) -> std::optional<double> {
                     if (!o.start) return std::nullopt;
                     const auto ran = static_cast<double>(job.runs.seconds);
                     return (Waited(job, o) + ran) / ran;
                   });
  return out;
}

PlotSection Errors(const std::vector<ReplayRun>& runs) {
  PlotSection out{.title = "What users were told"};
  const std::string x = "minutes, absolute";
  AddDistributions(out, runs, {.title = "Error of what was told at submission (starts by)", .x = x},
                   [](const auto&, const auto& o) { return ErrorOf(o.first, o, false); });
  AddDistributions(out, runs, {.title = "Error of the first promise", .x = x},
                   [](const auto&, const auto& o) { return ErrorOf(o.promise, o, false); });
  AddDistributions(out, runs, {.title = "Error of the forecast at submission (expected)", .x = x},
                   [](const auto&, const auto& o) { return ErrorOf(o.first, o, true); });
  return out;
}

// Utilisation of each site, averaged over equal spans of at least a day.
CurvePlot Use(const ReplayRun& run) {
  const Instant begin = run.workload.jobs.front().submitted;
  const auto lasts = static_cast<int64_t>(run.figures.makespan);
  const int64_t days =
      std::max<int64_t>(1, lasts / kDaySeconds / static_cast<int64_t>(kDaysDrawn) + 1);
  const int64_t bucket = days * kDaySeconds;
  const auto buckets = static_cast<size_t>(lasts / bucket + 1);
  CurvePlot plot{.title = run.settings.name + ": processors in use",
                 .x = "days since the first submission",
                 .y = "% of the site"};
  for (size_t site = 0; site < run.sites.size(); ++site) {
    std::vector<double> busy(buckets);
    const auto steps = BusySteps(site, run.workload.jobs, run.result);
    for (size_t i = 0; i + 1 < steps.size(); ++i) {
      int64_t from = (steps[i].first - begin).seconds;
      const int64_t to = (steps[i + 1].first - begin).seconds;
      while (from < to) {
        const int64_t place = from / bucket;
        const int64_t next = std::min(to, (place + 1) * bucket);
        busy[static_cast<size_t>(place)] +=
            static_cast<double>(next - from) * static_cast<double>(steps[i].second);
        from = next;
      }
    }
    Curve curve{.name = run.sites[site].site.name};
    const double full =
        static_cast<double>(bucket) * static_cast<double>(run.sites[site].processors) / 100;
    for (size_t i = 0; i < buckets; ++i) {
      curve.points.push_back({static_cast<double>(i) * static_cast<double>(days), busy[i] / full});
    }
    // The end of the last span: without it the last step would not be visible.
    curve.points.push_back(
        {static_cast<double>(buckets) * static_cast<double>(days), curve.points.back().second});
    plot.curves.push_back(std::move(curve));
  }
  return plot;
}

// The day on which most jobs started.
Instant BusyDay(const ReplayRun& run) {
  std::map<int64_t, size_t> starts;
  for (const JobOutcome& outcome : run.result.jobs) {
    if (outcome.start) ++starts[outcome.start->seconds / kDaySeconds];
  }
  if (starts.empty()) return {0};
  const auto most =
      std::max_element(starts.begin(), starts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return {most->first * kDaySeconds};
}

// Assigns lanes of the chart: a part gets the lowest lanes that are free from its start on, in
// several pieces if they are not adjacent.
class Lanes {
 public:
  explicit Lanes(int64_t count) : free_at_(static_cast<size_t>(count)) {}

  std::vector<std::pair<int64_t, int64_t>> Take(int64_t start, int64_t end, int64_t wanted) {
    std::vector<std::pair<int64_t, int64_t>> out;
    for (int64_t lane = 0; lane < std::ssize(free_at_) && wanted > 0; ++lane) {
      int64_t& free_at = free_at_[static_cast<size_t>(lane)];
      if (free_at > start) continue;
      free_at = end;
      --wanted;
      if (!out.empty() && out.back().second == lane) {
        ++out.back().second;
      } else {
        out.push_back({lane, lane + 1});
      }
    }
    return out;
  }

 private:
  std::vector<int64_t> free_at_;
};

// The chart group of a job: its home site; after the sites come the groups of jobs without a home
// and of co-allocations.
size_t GroupOf(const ReplayRun& run, const FederationJob& job) {
  if (job.parts.size() > 1) return run.sites.size() + 1;
  return job.home ? *job.home : run.sites.size();
}

std::vector<std::string> Groups(const ReplayRun& run) {
  std::vector<std::string> out;
  for (const ReplaySite& site : run.sites) out.push_back("home " + site.site.name);
  out.push_back("no home");
  out.push_back("co-allocated");
  return out;
}

// Parts that ran at this site, sorted by start; their rows are not yet set.
std::vector<ScheduledPart> PartsAt(const ReplayRun& run, size_t site) {
  const Instant begin = run.workload.jobs.front().submitted;
  std::vector<ScheduledPart> out;
  for (size_t i = 0; i < run.workload.jobs.size(); ++i) {
    const FederationJob& job = run.workload.jobs[i];
    const JobOutcome& o = run.result.jobs[i];
    if (!o.start || !o.end) continue;
    for (size_t part = 0; part < o.sites.size(); ++part) {
      if (o.sites[part] != site) continue;
      out.push_back({.job = job.number,
                     .begin_s = (*o.start - begin).seconds,
                     .end_s = (*o.end - begin).seconds,
                     .waited_s = (*o.start - job.submitted).seconds,
                     .processors = job.parts[part],
                     .group = GroupOf(run, job)});
    }
  }
  std::stable_sort(out.begin(), out.end(), [](const ScheduledPart& a, const ScheduledPart& b) {
    return a.begin_s < b.begin_s;
  });
  return out;
}

// REQUIRES: the run has jobs.
SchedulePlot Schedule(const ReplayRun& run, size_t site) {
  constexpr int64_t kLanesMost = 4096;  // on a larger site one lane stands for several processors
  const int64_t processors = run.sites[site].processors;
  const int64_t per_lane = (processors + kLanesMost - 1) / kLanesMost;
  const int64_t day = (BusyDay(run) - run.workload.jobs.front().submitted).seconds;
  SchedulePlot plot{.title = run.settings.name + ": " + run.sites[site].site.name,
                    .processors = processors,
                    .view_begin_s = day,
                    .view_end_s = day + kDaySeconds,
                    .groups = Groups(run),
                    .parts = PartsAt(run, site)};
  Lanes lanes((processors + per_lane - 1) / per_lane);
  for (ScheduledPart& part : plot.parts) {
    part.rows = lanes.Take(part.begin_s, part.end_s, (part.processors + per_lane - 1) / per_lane);
    for (auto& [low, high] : part.rows) {
      low *= per_lane;
      high = std::min(high * per_lane, processors);
    }
  }
  return plot;
}

}  // namespace

PlotDocument ReplayPlots(const std::string& title, const std::vector<ReplayRun>& runs) {
  PlotSection use{.title = "Use of the sites"};
  PlotSection schedules{.title = "Schedules", .note = "At first, the day with the most starts."};
  for (const ReplayRun& run : runs) {
    if (run.workload.jobs.empty()) continue;
    use.plots.emplace_back(Use(run));
    for (size_t site = 0; site < run.sites.size(); ++site) {
      schedules.plots.emplace_back(Schedule(run, site));
    }
  }
  return {.title = title,
          .text = ReplayTable(runs),
          .sections = {Waits(runs), Errors(runs), std::move(use), std::move(schedules)}};
}

}  // namespace muster::sim
