// Jobs through a federation over an ideal link: the real cores place, promise, start and end them,
// and what became of each is kept. scheduling.md section 10.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "meta/options.h"
#include "schemas/request.h"
#include "sim/replay/replay_times.h"
#include "site/options.h"

namespace muster::sim {

// A job of a workload. All parts run equally long; each asks for processors of one site.
struct FederationJob {
  int64_t number = 0;  // in the trace
  Instant submitted;
  Span asks;                       // > 0
  Span runs;                       // > 0, at most `asks`
  std::vector<int64_t> parts;      // processors of each part, > 0; more than one: each apart
  std::optional<Instant> cancels;  // its user takes it back then, waiting or running
  int64_t user = -1;
  int64_t group = -1;
  std::optional<size_t> home;  // place of its home site
  std::optional<size_t> only;  // it may run at this site only
  bool interactive = false;

  int64_t Processors() const;
};

struct ReplaySite {
  site::Options site;
  int64_t processors = 0;   // > 0: what a job may ask of it
  bool one_by_one = false;  // its processors are nodes: jobs ask for so many of one each
  bool one_switch = false;  // jobs ask to be below one switch
};

struct FederationReplayOptions {
  meta::Options meta;  // queues, threshold, rounds, seed, ...; sites and users are filled in
  std::vector<ReplaySite> sites;
  // Interactive jobs are submitted as such, for voting; they are not moved earlier within 15
  // minutes.
  bool classes = false;
  // Who is promised no start at submission asks when it would start, and is told what the meta
  // knows then: the bound that sites verified, and what is expected.
  bool estimates = false;
  // Parts begin up to so much after their site's order, drawn from the meta's seed.
  BootSpan start_delay_most = kDaemonStartDelay;
  std::optional<LinkDelays> link;  // none: ideal
  // Called now and then with the jobs that have ended or been refused so far.
  std::function<void(size_t done)> progress;
};

// What users were told at one time: the promise, or the bound before it, and the forecast.
struct ToldFigures {
  Moment at;
  std::optional<Instant> starts_by;
  bool firm = false;
  std::optional<Instant> expected;
  Instant low, high;  // of `expected`
};

enum class JobFate : uint8_t { kOpen, kRefused, kCancelled, kEnded };
struct JobOutcome {
  JobFate fate = JobFate::kOpen;
  std::string refusal;                 // its code and message
  std::vector<size_t> sites;           // of every part, once one has started
  std::optional<Instant> start;        // of its first part
  std::optional<Instant> end;          // of its last
  std::optional<ToldFigures> first;    // at submission
  std::optional<ToldFigures> promise;  // the first firm one
  std::string late;                    // cause of its last move to a later start, if there was one
};

// Searches for a common start of several parts: how hard they were, and how sure their results.
struct SearchCounts {
  size_t found = 0;
  size_t proved = 0;             // of these: no earlier one was possible, as the plans stood
  size_t in_vain = 0;            // nothing was found, or nothing better
  size_t messages = 0;           // questions to sites
  std::map<int, size_t> rounds;  // searches, by rounds of questions
};

struct FederationResult {
  std::vector<JobOutcome> jobs;         // as in the workload
  SearchCounts first;                   // of those that had no place
  SearchCounts moves;                   // of those that looked for an earlier one
  size_t turns = 0;                     // of all cores
  size_t started_apart = 0;             // several parts that did not start in the same second
  std::vector<std::string> violations;  // of what must always hold
};

// What a job asks of these sites.
schemas::RequestSpec SpecOf(const FederationJob& job, const std::vector<ReplaySite>& sites);

// Runs until every job has ended, was refused or cancelled. `jobs` by submission. REQUIRES: there
// are sites, named apart.
FederationResult ReplayFederation(FederationReplayOptions options,
                                  const std::vector<FederationJob>& jobs);

}  // namespace muster::sim
