// Maps words to verbs; has tables of other systems' commands and of commands that are still to
// come.
#include "cli/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

#include "cli/codes.h"
#include "cli/notices.h"
#include "cli/verbs/verb.h"
#include "cli/views/format.h"

namespace muster::cli {
namespace {

#ifndef MUSTER_VERSION
#define MUSTER_VERSION "0.1.0"
#endif

// Commands of other systems, and muster's equivalent.
constexpr std::array<std::pair<std::string_view, std::string_view>, 46> kForeign = {{
    {"extend", "alter 42 -t 40m"},
    {"qalter", "alter"},
    {"bmod", "alter"},
    {"sbatch", "submit"},
    {"srun", "submit -f"},
    {"salloc", "submit --interactive"},
    {"squeue", "queue"},
    {"scancel", "cancel"},
    {"sinfo", "nodes"},
    {"scontrol", "show"},
    {"sacct", "queue --ended"},
    {"sprio", "priority"},
    {"sshare", "shares"},
    {"qsub", "submit"},
    {"qstat", "queue"},
    {"qhold", "hold"},
    {"qrls", "release"},
    {"bstop", "hold"},
    {"bresume", "release"},
    {"condor_hold", "hold"},
    {"condor_release", "release"},
    {"qdel", "cancel"},
    {"pbsnodes", "nodes"},
    {"qnodes", "nodes"},
    {"tracejob", "show"},
    {"bsub", "submit"},
    {"bjobs", "queue"},
    {"bkill", "cancel"},
    {"bhosts", "nodes"},
    {"bpeek", "logs"},
    {"oarsub", "submit"},
    {"oarstat", "queue"},
    {"oardel", "cancel"},
    {"oarnodes", "nodes"},
    {"condor_submit", "submit"},
    {"condor_q", "queue"},
    {"condor_rm", "cancel"},
    {"run", "submit -f"},
    {"kill", "cancel"},
    {"rm", "cancel"},
    {"jobs", "queue"},
    {"ps", "queue"},
    {"status", "queue"},
    {"start", "up"},
    {"stop", "down"},
    {"output", "logs"},
}};

// Commands of cli.md that this version does not have.
constexpr std::array<std::string_view, 3> kLater = {"backup", "restore", "attach"};

const Verb* FindVerb(std::string_view name) {
  if (name == "q") name = "queue";
  for (const Verb& verb : Verbs()) {
    if (verb.name == name) return &verb;
  }
  return nullptr;
}

bool Wants(const std::vector<std::string>& words, std::string_view option) {
  for (const std::string& word : words) {
    if (word == "--") return false;
    if (word == option) return true;
  }
  return false;
}

// Converts RFC 3339 times in a daemon's message to clock times. Errors that point into the user's
// input stay unchanged.
Failure WithClockTimes(Failure failure, const views::ViewOptions& options) {
  Diagnostic& said = failure.diagnostic;
  if (said.where || said.code == "usage") return failure;
  said.message = views::WithClockTimes(said.message, options);
  for (std::string& line : said.notes) line = views::WithClockTimes(line, options);
  for (std::string& line : said.help) line = views::WithClockTimes(line, options);
  return failure;
}

int Report(const Failure& failure, bool json, bool utc) {
  const int exit = ExitOf(failure.diagnostic.code);
  if (json) {
    Say(JsonText(ToDocument(ErrorOf(failure)), false) + '\n');
  } else {
    const views::ViewOptions options = Context{.utc = utc}.View();
    Say(views::Finished(RenderFailure(WithClockTimes(failure, options)), options));
  }
  return exit;
}

// `muster` without a verb: prints the commands and the state of the federation.
Result RunBare(Given given) {
  Print(Overview());
  auto session = OpenSession(std::move(given));
  if (!session.ok()) {
    Print('\n' + session.failure().diagnostic.message + "; 'muster up' starts one\n");
    return kExitDone;
  }
  const std::string name = session->client.federation().address.name;
  auto rows = session->client.Rows(schemas::Get{.kind = schemas::GetKind::kSites}, Seconds(1));
  if (!rows.ok()) {
    Print('\n' + rows.failure().diagnostic.message + '\n');
    return kExitDone;
  }
  size_t up = 0;
  for (const schemas::SiteView& site : rows->sites)
    up += site.state == schemas::SiteState::kUp ? 1 : 0;
  Print(fmt::format("\nFederation '{}': {} of {} sites up\n", name, up, rows->sites.size()));
  return kExitDone;
}

Result Dispatch(const std::vector<std::string>& words) {
  Options options("COMMAND …", "", Words::kEnd);
  options.Globals().Flag("--version", "the version of this program");
  auto given = options.Parse(words);
  if (!given.ok()) return given.failure();
  if (given->Has("--version")) {
    Print("muster " MUSTER_VERSION "\n");
    return kExitDone;
  }
  if (given->words.empty()) {
    if (!given->Has("-h")) return RunBare(std::move(given.value()));
    Print(Overview());
    return kExitDone;
  }
  const std::string& name = given->words.front();
  const Verb* verb = FindVerb(name);
  if (verb == nullptr) return UnknownCommand(name);
  // Options before the verb belong to the verb.
  std::vector<std::string> rest(words.begin(),
                                words.end() - static_cast<std::ptrdiff_t>(given->words.size()));
  rest.insert(rest.end(), given->words.begin() + 1, given->words.end());
  const Options verb_options = verb->options();
  auto rest_given = verb_options.Parse(rest);
  if (!rest_given.ok()) return rest_given.failure();
  if (rest_given->Has("-h")) {
    Print(verb_options.Help());
    return kExitDone;
  }
  return verb->run(std::move(rest_given.value()));
}

}  // namespace

std::string Overview() {
  std::string text = "Usage: muster COMMAND …   (muster help COMMAND tells more)\n";
  std::string_view group;
  for (const Verb& verb : Verbs()) {
    std::string line = views::Padded(verb.group == group ? "" : std::string(verb.group), 10);
    group = verb.group;
    const std::string name(verb.name);
    line += views::Padded(name == "queue" ? "queue (q)" : name, 13) + std::string(verb.about);
    text += line + '\n';
  }
  return text;
}

Expect<std::string> HelpOn(const std::string& word) {
  if (const Verb* verb = FindVerb(word)) return verb->options().Help();
  if (const std::string_view meaning = MeaningOf(word); !meaning.empty()) {
    return fmt::format("error[{}], exit {}\n{}\n", word, ExitOf(word), meaning);
  }
  return UnknownCommand(word);
}

Failure UnknownCommand(const std::string& word) {
  const std::string no = "no command '" + word + "'; ";
  for (const auto& [foreign, here] : kForeign) {
    if (foreign == word) return UsageError(no + "here it is 'muster " + std::string(here) + "'");
  }
  if (std::find(kLater.begin(), kLater.end(), word) != kLater.end()) {
    return UsageError("'" + word + "' is not in this version of muster",
                      "'muster help' lists what is");
  }
  std::vector<std::string> names;
  for (const Verb& verb : Verbs()) names.emplace_back(verb.name);
  const auto close = ClosestName(word, names);
  if (close)
    return UsageError(no + "did you mean '" + *close + "'?", "'muster help' lists them all");
  return UsageError("no command '" + word + "'", "'muster help' lists them all");
}

int Run(const std::vector<std::string>& words) {
  // Last resort: nothing here throws by design, but memory may run out.
  try {
    const Result result = Dispatch(words);
    if (result.ok()) return result.exit();
    return Report(result.failure(), Wants(words, "--json"), Wants(words, "--utc"));
  } catch (const std::exception& error) {
    return Report(Fail("internal", error.what()), Wants(words, "--json"), false);
  }
}

}  // namespace muster::cli
