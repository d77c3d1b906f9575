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
  // `words` follow the verb; --help was looked for before.
  Result (*run)(const std::vector<std::string>& words);
};

// In the order of the help.
const std::vector<Verb>& Verbs();

Options SubmitOptions();
Options AskOptions();
Options WaitOptions();
Options LogsOptions();
Options CancelOptions();
Options AlterOptions();
Options HoldOptions();
Options ReleaseOptions();
Options ReserveOptions();
Options QueueOptions();
Options ShowOptions();
Options ExplainOptions();
Options SlotsOptions();
Options GanttOptions();
Options SitesOptions();
Options NodesOptions();
Options LimitsOptions();
Options DrainOptions();
Options ResumeOptions();
Options SettleOptions();
Options SiteOptions();
Options WhatifOptions();
Options CheckOptions();
Options ReloadOptions();
Options KeysOptions();
Options UpOptions();
Options DownOptions();
Options SimOptions();
Options EventsOptions();
Options SchedulerOptions();
Options CalibrationOptions();
Options VerdictsOptions();
Options SchemaOptions();
Options DigestOptions();
Options CompletionOptions();
Options HelpOptions();
Result RunSubmit(const std::vector<std::string>& words);
Result RunAsk(const std::vector<std::string>& words);
Result RunWait(const std::vector<std::string>& words);
Result RunLogs(const std::vector<std::string>& words);
Result RunCancel(const std::vector<std::string>& words);
Result RunAlter(const std::vector<std::string>& words);
Result RunHold(const std::vector<std::string>& words);
Result RunRelease(const std::vector<std::string>& words);
Result RunReserve(const std::vector<std::string>& words);
Result RunQueue(const std::vector<std::string>& words);
Result RunShow(const std::vector<std::string>& words);
Result RunExplain(const std::vector<std::string>& words);
Result RunSlots(const std::vector<std::string>& words);
Result RunGantt(const std::vector<std::string>& words);
Result RunSites(const std::vector<std::string>& words);
Result RunNodes(const std::vector<std::string>& words);
Result RunLimits(const std::vector<std::string>& words);
Result RunCalibration(const std::vector<std::string>& words);
Result RunScheduler(const std::vector<std::string>& words);
Result RunDrain(const std::vector<std::string>& words);
Result RunResume(const std::vector<std::string>& words);
Result RunSettle(const std::vector<std::string>& words);
Result RunSite(const std::vector<std::string>& words);
Result RunWhatif(const std::vector<std::string>& words);
Result RunCheck(const std::vector<std::string>& words);
Result RunReload(const std::vector<std::string>& words);
Result RunKeys(const std::vector<std::string>& words);
Result RunUp(const std::vector<std::string>& words);
Result RunDown(const std::vector<std::string>& words);
Result RunSim(const std::vector<std::string>& words);
Result RunEvents(const std::vector<std::string>& words);
Result RunVerdicts(const std::vector<std::string>& words);
Result RunSchema(const std::vector<std::string>& words);
Result RunDigest(const std::vector<std::string>& words);
Result RunCompletion(const std::vector<std::string>& words);
Result RunHelp(const std::vector<std::string>& words);

// What most verbs begin with: options, surroundings, a link to the meta.
struct Session {
  Given given;
  Context context;
  MetaClient client;
};
Expect<Session> OpenSession(const Options& options, const std::vector<std::string>& words);
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
