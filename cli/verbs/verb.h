// The verbs of the command, and what they share.
#pragma once

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
Options QueueOptions();
Options ShowOptions();
Options GanttOptions();
Options SitesOptions();
Options CheckOptions();
Options KeysOptions();
Options UpOptions();
Options DownOptions();
Options SimOptions();
Options DigestOptions();
Options HelpOptions();
Result RunSubmit(const std::vector<std::string>& words);
Result RunAsk(const std::vector<std::string>& words);
Result RunWait(const std::vector<std::string>& words);
Result RunLogs(const std::vector<std::string>& words);
Result RunCancel(const std::vector<std::string>& words);
Result RunQueue(const std::vector<std::string>& words);
Result RunShow(const std::vector<std::string>& words);
Result RunGantt(const std::vector<std::string>& words);
Result RunSites(const std::vector<std::string>& words);
Result RunCheck(const std::vector<std::string>& words);
Result RunKeys(const std::vector<std::string>& words);
Result RunUp(const std::vector<std::string>& words);
Result RunDown(const std::vector<std::string>& words);
Result RunSim(const std::vector<std::string>& words);
Result RunDigest(const std::vector<std::string>& words);
Result RunHelp(const std::vector<std::string>& words);

// What most verbs begin with: options, surroundings, a link to the meta.
struct Session {
  Given given;
  Context context;
  MetaClient client;
};
Expect<Session> OpenSession(const Options& options, const std::vector<std::string>& words);
Expect<Session> OpenSession(Given given);

// The words as sets of jobs, by comma or apart. With none: an error that names `verb`.
Expect<text::JobSet> JobsOf(const std::vector<std::string>& words, const std::string& verb);
// Their numbers; "last" and "all" are asked for. Elements of arrays are refused. Parts count as
// their jobs.
Expect<std::vector<RequestId>> Resolve(MetaClient& client, const text::JobSet& set);
// A job by its number or as "last".
Expect<schemas::Rows> GetJob(MetaClient& client, RequestId id);
RequestId IdOf(const schemas::JobView& job);

// The surroundings of `submit` and `ask`.
Surroundings ReadHere(const Context& context);

// Follows the output of a job until it has ended, or prints what there is. kExitInterrupted after
// Ctrl-C.
struct OutputWanted {
  RequestId job;
  uint32_t part = 0;  // 0: all
  bool follow = false;
};
Result ShowOutput(MetaClient& client, const Context& context,
                  const std::vector<OutputWanted>& wanted);

}  // namespace muster::cli
