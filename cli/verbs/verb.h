// The verbs of the command, and functions that they share.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/text/jobs.h"
#include "cli/client.h"
#include "cli/context.h"
#include "cli/failure.h"
#include "cli/options.h"
#include "cli/request.h"

namespace muster::cli {

struct Verb {
  std::string_view name;
  std::string_view group;  // "Work", "Look", …, as the help lists them
  std::string_view about;
  Options (*options)();
  // `given` are the parsed words after the verb; --help is handled before.
  Result (*run)(Given given);
};

// Each verb is defined in its own file, with its options and function.
extern const Verb kSubmitVerb, kAskVerb, kWaitVerb, kLogsVerb, kCancelVerb, kAlterVerb, kHoldVerb,
    kReleaseVerb, kReserveVerb, kQueueVerb, kShowVerb, kExplainVerb, kPriorityVerb, kSharesVerb,
    kAccountVerb, kSlotsVerb, kGanttVerb, kSitesVerb, kNodesVerb, kLimitsVerb, kCalibrationVerb,
    kDrainVerb, kResumeVerb, kSettleVerb, kSiteVerb, kSchedulerVerb, kWhatifVerb, kCheckVerb,
    kReloadVerb, kKeysVerb, kUpVerb, kDownVerb, kSimVerb, kEventsVerb, kVerdictsVerb, kSchemaVerb,
    kDigestVerb, kCompletionVerb, kHelpVerb;

// All verbs in the order of the help.
const std::vector<Verb>& Verbs();

// What most verbs need: the parsed words, the context and a link to the meta.
struct Session {
  Given given;
  Context context;
  MetaClient client;
};
Expect<Session> OpenSession(Given given);

inline constexpr char kJobsNote[] =
    "JOB: 42, 43[7] or 43_7, 43[1-9], 42-48,50, last, all (your unfinished ones).\n";

// Parses sets of jobs, separated by commas or blanks. Fails if a job is malformed or if none is
// given; in the second case the message names `verb`.
Expect<text::JobSet> JobsOf(const std::vector<std::string>& words, const std::string& verb);
// An error if a part is named: `verb` applies to whole jobs.
std::optional<Failure> WholeJobs(const text::JobSet& set, const std::string& verb);
// A job submitted at a site itself.
struct LocalJob {
  std::string site;
  uint64_t number = 0;
  uint32_t part = 0;  // 0: all
};
struct Targets {
  std::vector<RequestId> requests;   // jobs of the daemon that is asked
  std::vector<LocalJob> locals;      // jobs of sites' own users, asked through the meta
  std::set<RequestId> reservations;  // those of `requests` that are reservations
};
// Resolves the names to ids; asks the daemon for "last" and "all", and whether each "R7" is a
// reservation. A part of a request counts as its job. With --via all jobs are the site's, so
// `locals` is empty.
Expect<Targets> ResolveAll(MetaClient& client, const text::JobSet& set);
// The same for verbs that only the daemon owning the job can execute. Error: a local job of a site,
// asked through the meta.
Expect<std::vector<RequestId>> Resolve(MetaClient& client, const text::JobSet& set);
// Fetches a job by its id; an id of zero means "last".
Expect<schemas::Rows> GetJob(MetaClient& client, RequestId id);
Expect<schemas::Rows> GetLocalJob(MetaClient& client, const LocalJob& job);
// The id as the asked daemon shows it: "42", "43[7]", with --via "lakes/17".
std::string IdShown(const MetaClient& client, RequestId id);
// The elements of an array, ascending.
std::vector<RequestId> ElementsOf(const schemas::JobView& array);

// The surroundings of this process.
Surroundings ReadHere(const Context& context);

// Output to print or follow.
struct OutputWanted {
  RequestId job;      // an array means all of its elements
  std::string site;   // site of a local job, asked through the meta; else empty
  uint32_t part = 0;  // 0: all
  bool follow = false;
};
// most elements of one array whose output is shown, since each is asked for separately
inline constexpr uint64_t kElementsFollowed = 100;
Result ShowOutput(MetaClient& client, const Context& context,
                  const std::vector<OutputWanted>& wanted);
// The last non-empty line that the first failed part of a job printed: on stderr, else on stdout.
// "" if nothing was printed, if there is too much output, or if an answer takes too long.
std::string LastLineOf(MetaClient& client, RequestId id, const schemas::JobView& job);

}  // namespace muster::cli
