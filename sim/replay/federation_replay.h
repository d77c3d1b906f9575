// Replays jobs through a federation over an ideal link: the real cores place, promise, start and
// end them, and the outcome of each is recorded. scheduling.md section 10.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "meta/options.h"
#include "schemas/request.h"
#include "sim/replay/fillers.h"
#include "sim/replay/replay_times.h"
#include "site/driver/simulated/application.h"
#include "site/options.h"

namespace muster::sim {

// A job of a workload. Each part asks for processors of one site. All parts run equally long on
// nodes of the reference speed; on others NodeSpeeds::RunTime says how long.
struct FederationJob {
  int64_t number = 0;  // in the trace
  Instant submitted;
  Span asks;                   // > 0; at the reference speed, as the next one
  Span runs;                   // > 0, at most `asks`
  std::vector<int64_t> parts;  // processors of each part, > 0; several parts run at different sites
  std::optional<Instant> cancels;  // when its user cancels it, waiting or running
  int64_t user = -1;
  int64_t group = -1;
  std::optional<size_t> home;  // index of its home site
  std::optional<size_t> only;  // index of the only site it may run at
  std::string account = {};    // that pays; "": the meta has none
  bool interactive = false;
  bool balanced = true;  // its processes wait for each other; else they share the work as they come
  std::string set = {};  // node set that each part asks for; "": none
  bool recallable = false;  // it asks for the QoS kRecallable
  int64_t executable = -1;
  std::optional<size_t> app = {};  // the program that it is, of those of the replay
  int64_t times = 1;  // it may have so many times its processors while it runs; 1: it is rigid

  int64_t Processors() const;
};

// QoS of jobs that may be recalled, and how long they take to save their work if it is by
// checkpoint.
inline constexpr char kRecallable[] = "recallable";
inline constexpr Span kTimeToSave{60};

struct ReplaySite {
  site::Options site;
  int64_t processors = 0;   // > 0: most processors that a job may ask for
  bool one_by_one = false;  // each processor is a node: a job asks for chunks of one node each
  bool one_switch = false;  // jobs ask to be placed below one switch
};

struct FederationReplayOptions {
  meta::Options meta;  // sites and users are filled in by the replay
  std::vector<ReplaySite> sites;
  // Submits interactive jobs as such, which matters for the vote. They are not moved to an earlier
  // start less than 15 minutes away.
  bool classes = false;
  // A job without a promise at submission asks for an estimate then, and records what the meta
  // answers: the bound verified by the sites, and the expected start.
  bool estimates = false;
  // Each n-th job that does not start at once asks for its figures at submission, promised or not;
  // 0: none.
  size_t forecasts = 0;
  // The longest delay from a site's order to the start of a part; delays are drawn from the meta's
  // seed.
  BootSpan start_delay_most = kDaemonStartDelay;
  std::optional<LinkDelays> link;  // none: ideal
  FillerRules fillers;             // what is idle is filled with these
  // Programs of the jobs; null: jobs run as long as they run alone.
  std::shared_ptr<const driver::Applications> applications = nullptr;
  // Called now and then with the number of jobs that have ended or were refused or cancelled.
  std::function<void(size_t done)> progress;
};

// The figures shown to a user at one time: the promise, or the bound before it, and the forecast.
struct ToldFigures {
  Moment at;
  std::optional<Instant> starts_by;
  bool firm = false;
  std::optional<Instant> expected;
  Instant low, high;  // interval of `expected`
};

enum class JobFate : uint8_t { kOpen, kRefused, kCancelled, kEnded };
struct JobOutcome {
  JobFate fate = JobFate::kOpen;
  std::string refusal;           // code and message of the refusal
  std::vector<size_t> sites;     // site of every part, filled in as parts start
  std::optional<Instant> start;  // start of its first part, in the life that ended it
  std::optional<Instant> end;    // end of its last part
  int64_t held = 0;  // speeds of the processors it got, summed, in thousandths of the reference
  std::optional<ToldFigures> first;    // figures at submission
  std::optional<ToldFigures> promise;  // first promise
  std::string late;                    // cause of its last move to a later start; empty: none
  uint32_t recalls = 0;                // lives on lent room that were taken back
  int64_t lost = 0;                    // processor-seconds of these that were not saved
  bool cut = false;                    // its walltime ended it
  bool grown = false;                  // it had more processors than it asked for
};

// Statistics of searches for a common start of several parts: effort, and certainty of the results.
struct SearchCounts {
  size_t found = 0;
  size_t proved = 0;             // of `found`: proved that the plans allowed no earlier start
  size_t in_vain = 0;            // found nothing, or nothing better
  size_t messages = 0;           // number of questions to sites
  std::map<int, size_t> rounds;  // number of searches by their rounds of questions
};

struct FederationResult {
  std::vector<JobOutcome> jobs;  // same order as the workload
  SearchCounts first;            // searches for requests without a place
  SearchCounts moves;            // searches for an earlier start
  size_t turns = 0;              // turns of all cores
  FillerOutcome fillers;
  size_t started_apart = 0;  // co-allocations whose parts did not all start in the same second
  std::vector<std::string> violations;  // broken invariants
};

// The request that a job submits to a federation of these sites.
schemas::RequestSpec SpecOf(const FederationJob& job, const std::vector<ReplaySite>& sites);

// The index of the job that a start of its replay is of.
size_t JobOfStart(const driver::StartPart& part);

// Runs until every job has ended or was refused or cancelled. REQUIRES: `jobs` are sorted by
// submission; there is at least one site; site names are unique.
FederationResult ReplayFederation(FederationReplayOptions options,
                                  const std::vector<FederationJob>& jobs);

}  // namespace muster::sim
