// Measures a replay, by the formulas of scheduling.md section 10.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/replay/federation_replay.h"

namespace muster::sim {

// Errors of an estimate: start - estimate, in seconds.
struct ErrorFigures {
  size_t count = 0;
  double mean = 0;  // mean absolute error
  // the part of `mean` that comes from starts after the estimate; the rest is from earlier starts
  double late = 0;
  double p95 = 0;
  double most = 0;
  // 100 * mean / most; none if all errors are 0.
  std::optional<double> Ev() const;
};

// Errors of the forecast, over jobs that waited more than 10 minutes.
struct ForecastFigures {
  size_t count = 0;
  double median = 0;  // median absolute error, seconds
  double mean = 0;
  double within_60 = 0;  // share of errors of at most 60 s
  double within_600 = 0;
  double within_quarter = 0;  // share of errors of at most a quarter of the wait
};

// The first forecast interval, over jobs whose interval was wider than 60 s.
struct IntervalFigures {
  size_t count = 0;
  // jobs with a forecast that started at submission, however wide the interval
  size_t at_once = 0;
  double coverage = 0;
  double width_over_wait = 0;  // median of width / max(60 s, wait)
};

// Figures of one group of jobs.
struct GroupFigures {
  size_t jobs = 0;
  size_t refused = 0;
  size_t cancelled = 0;
  size_t started = 0;
  // seconds; `started` and the figures from here to `late` are over the jobs that started and were
  // not cancelled
  double wait_mean = 0;
  double wait_p95 = 0;
  double wait_most = 0;
  double slowdown = 0;                 // mean, bounded by 10 s
  double stretch = 0;                  // mean stretch
  size_t promised = 0;                 // of the started jobs
  size_t kept = 0;                     // start <= first promise
  std::map<std::string, size_t> late;  // jobs that started after their first promise, by cause
  ErrorFigures at_submission;          // of the first bound or promise
  ErrorFigures on_entering;            // of the first promise
  ErrorFigures at_submission_trimmed;  // without the first and last 5 % of submissions
  ErrorFigures on_entering_trimmed;
  ForecastFigures forecast;
  IntervalFigures interval;  // without the first and last 5 % of submissions
};

struct SiteUse {
  size_t started = 0;      // parts that started at the site
  double utilisation = 0;  // busy / capacity between the 5 % and 95 % submission instants
};

struct ReplayFigures {
  GroupFigures all;
  std::vector<GroupFigures> by_home;  // by site index; jobs without a home are in none
  GroupFigures interactive;
  GroupFigures batch;
  GroupFigures co_allocated;
  std::vector<SiteUse> sites;
  double utilisation = 0;  // of all sites together
  double makespan = 0;     // seconds, from the first submission to the last end
};

// Between the 5 % and 95 % submission instants. REQUIRES: there are jobs.
Interval CoreOf(const std::vector<FederationJob>& jobs);

double BoundedSlowdown(double wait, double ran);

// The quantile of `values` at `share` by nearest rank; 0 if there are no values.
double Quantile(std::vector<double> values, double share);

ReplayFigures Measure(const std::vector<ReplaySite>& sites, const std::vector<FederationJob>& jobs,
                      const FederationResult& result);

// The number of busy processors of a site from each instant on, ascending in time.
std::vector<std::pair<Instant, int64_t>> BusySteps(size_t site,
                                                   const std::vector<FederationJob>& jobs,
                                                   const FederationResult& result);

}  // namespace muster::sim
