// One of the two runs behind a what-if: the federation as it is, or changed, with its own cores in
// virtual time. It begins with the records of a snapshot, or, to take a record again, with nothing
// but what that leaves. scheduling.md section 19.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "schemas/whatif.h"
#include "sim/whatif/courses.h"
#include "sim/whatif/past_runs.h"
#include "sim/whatif/snapshot.h"

namespace muster::sim {

// How a job fared in a run.
struct JobCourse {
  std::string name;  // "42", "43[7]"; of a site's own jobs "lakes/17"
  std::string user;
  std::string account;
  Instant submitted;
  std::optional<Instant> told;      // the start it was promised when the run began; none: none
  std::optional<Instant> promised;  // the first start that it was promised at all
  // Its present figure, if it waits; none: it has none.
  std::optional<Instant> starts_by;
  std::optional<Instant> expected;
  Life life;
  std::string because;  // what moved it later last, or why it has no figure
  uint64_t recalls = 0;
  double lost_s = 0;  // processor time whose work was lost
};

struct SideOutcome {
  Instant from;
  Instant until;
  // By a name that is the same in both runs: those that were open when the run began, or came in it
  // and in the time that is looked at.
  std::map<std::string, JobCourse> jobs;
  double used_s = 0;  // processor time from `from` to `until`
  double processors = 0;
  std::map<std::string, double> credits;  // by account: what new work may still cost
  std::string refused;  // a change cannot be made, with the words of who refuses; then nothing else
};

struct SideOptions {
  const FederationSnapshot* snapshot = nullptr;
  const PastRuns* past = nullptr;
  std::string user;                           // who asks; the changes are theirs
  std::vector<schemas::TriedChange> changes;  // none: as it is
  std::optional<Span> ahead;
  std::optional<Span> replay;
};

// How long it takes until everything that follows at once has happened: what cannot wait for an
// event of a job.
inline constexpr Span kWhatIfSettles{30};
// A record that is taken again is begun this much earlier, so that the machines are as full as they
// were.
inline constexpr Span kReplayWarmUp{86400};

// Errors: a record that the cores refuse, a configuration that is no longer accepted as it is. A
// change that is refused is no error (SideOutcome::refused).
absl::StatusOr<SideOutcome> RunSide(const SideOptions& options);

}  // namespace muster::sim
