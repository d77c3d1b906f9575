// The verbs of the command, and what they share.
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
  // `given` is what the options make of the words that follow the verb; there is no --help in it.
  Result (*run)(Given given);
};

// Each is declared once, in its file, with its options and what runs it.
extern const Verb kSubmitVerb, kAskVerb, kWaitVerb, kLogsVerb, kCancelVerb, kAlterVerb, kHoldVerb,
    kReleaseVerb, kReserveVerb, kQueueVerb, kShowVerb, kExplainVerb, kSlotsVerb, kGanttVerb,
    kSitesVerb, kNodesVerb, kLimitsVerb, kCalibrationVerb, kDrainVerb, kResumeVerb, kSettleVerb,
    kSiteVerb, kSchedulerVerb, kWhatifVerb, kCheckVerb, kReloadVerb, kKeysVerb, kUpVerb, kDownVerb,
    kSimVerb, kEventsVerb, kVerdictsVerb, kSchemaVerb, kDigestVerb, kCompletionVerb, kHelpVerb;

// In the order of the help.
const std::vector<Verb>& Verbs();

// What most verbs need: what was given, surroundings, a link to the meta.
struct Session {
  Given given;
  Context context;
  MetaClient client;
};
Expect<Session> OpenSession(Given given);

inline constexpr char kJobsNote[] =
    "JOB: 42, 43[7] or 43_7, 43[1-9], 42-48,50, last, all (your unfinished ones).\n";

// The words as sets of jobs, by comma or apart. With none: an error that names `verb`.
Expect<text::JobSet> JobsOf(const std::vector<std::string>& words, const std::string& verb);
// Refuses parts: what `verb` does, it does to all of a job.
std::optional<Failure> WholeJobs(const text::JobSet& set, const std::string& verb);
// A job submitted at a site itself.
struct LocalJob {
  std::string site;
  uint64_t number = 0;
  uint32_t part = 0;  // 0: all
};
struct Targets {
  std::vector<RequestId> requests;   // of whoever is asked
  std::vector<LocalJob> locals;      // of sites, asked through the meta
  std::set<RequestId> reservations;  // of `requests`, those that are reservations
};
// Their numbers; "last" and "all" are asked for. Parts count as their jobs. With --via the jobs are
// the site's, so there are no locals.
Expect<Targets> ResolveAll(MetaClient& client, const text::JobSet& set);
// The same for verbs that only whoever has a job can do: locals are refused.
Expect<std::vector<RequestId>> Resolve(MetaClient& client, const text::JobSet& set);
// A job by its number or, zero, as "last".
Expect<schemas::Rows> GetJob(MetaClient& client, RequestId id);
Expect<schemas::Rows> GetLocalJob(MetaClient& client, const LocalJob& job);
// As whoever is asked shows it: "42", "43[7]", and with --via "lakes/17".
std::string IdShown(const MetaClient& client, RequestId id);
// Elements in the order of their numbers.
std::vector<RequestId> ElementsOf(const schemas::JobView& array);

// The surroundings of `submit` and `ask`.
Surroundings ReadHere(const Context& context);

// Follows the output of jobs until they have ended, or prints what there is. kExitInterrupted after
// Ctrl-C.
struct OutputWanted {
  RequestId job;      // a whole array: all of its elements
  std::string site;   // of a job of a site alone, asked through the meta; else empty
  uint32_t part = 0;  // 0: all
  bool follow = false;
};
inline constexpr uint64_t kElementsFollowed = 100;  // of one array: each is asked for by itself
Result ShowOutput(MetaClient& client, const Context& context,
                  const std::vector<OutputWanted>& wanted);
// The last line with something in it that a job which failed printed: on stderr, else on stdout. ""
// if it is not known soon, or nothing was printed.
std::string LastLineOf(MetaClient& client, RequestId id, const schemas::JobView& job);

}  // namespace muster::cli
