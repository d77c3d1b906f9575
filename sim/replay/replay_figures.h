// What is measured of a replay, by the formulas of scheduling.md section 10.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/replay/federation_replay.h"

namespace muster::sim {

// Of start - estimate, in seconds.
struct ErrorFigures {
  size_t count = 0;
  double mean = 0;  // of the absolute error
  double late = 0;  // what of that mean is by starts after the estimate; the rest by such before it
  double p95 = 0;
  double most = 0;
  // 100 * mean / most; none if there was no error at all.
  std::optional<double> Ev() const;
};

// How far the forecast was off, over those that waited more than 10 minutes.
struct ForecastFigures {
  size_t count = 0;
  double median = 0;  // absolute error, seconds
  double mean = 0;
  double within_60 = 0;  // shares
  double within_600 = 0;
  double within_quarter = 0;  // of the wait
};

// The interval told first, over those for whom it was wider than 60 s.
struct IntervalFigures {
  size_t count = 0;
  size_t at_once = 0;  // started when they were submitted, whatever was told: counted apart
  double coverage = 0;
  double width_over_wait = 0;  // median of width / max(60 s, wait)
};

// One group of jobs.
struct GroupFigures {
  size_t jobs = 0;
  size_t refused = 0;
  size_t cancelled = 0;
  size_t started = 0;
  double wait_mean = 0;  // seconds, of those that started; so are the next
  double wait_p95 = 0;
  double wait_most = 0;
  double slowdown = 0;                 // bounded by 10 s, mean
  double stretch = 0;                  // mean
  size_t promised = 0;                 // of those that started
  size_t kept = 0;                     // start <= first promise
  std::map<std::string, size_t> late;  // the others, by cause
  ErrorFigures at_submission;          // of the bound or promise told first
  ErrorFigures on_entering;            // of the first promise
  ErrorFigures at_submission_trimmed;  // without the first and last 5 % of submissions
  ErrorFigures on_entering_trimmed;
  ForecastFigures forecast;
  IntervalFigures interval;  // trimmed
};

struct SiteUse {
  size_t started = 0;      // parts
  double utilisation = 0;  // busy / capacity between the 5 % and the 95 % submission instants
};

struct ReplayFigures {
  GroupFigures all;
  std::vector<GroupFigures> by_home;  // as the sites; those without a home are in none
  GroupFigures interactive;
  GroupFigures batch;
  GroupFigures co_allocated;
  std::vector<SiteUse> sites;
  double utilisation = 0;  // of all processors
  double makespan = 0;     // seconds, from the first submission to the last end
};

double BoundedSlowdown(double wait, double ran);

// The value below which a share of `values` lies, by nearest rank; 0 of none.
double Quantile(std::vector<double> values, double share);

ReplayFigures Measure(const std::vector<ReplaySite>& sites, const std::vector<FederationJob>& jobs,
                      const FederationResult& result);

// Busy processors of a site, from each instant on, ascending.
std::vector<std::pair<Instant, int64_t>> BusySteps(size_t site,
                                                   const std::vector<FederationJob>& jobs,
                                                   const FederationResult& result);

}  // namespace muster::sim
