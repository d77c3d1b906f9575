// Every text of the user's is one quoted word.
#include "site/driver/slurm/part_command.h"

#include <algorithm>
#include <cctype>

#include "site/driver/part_checks.h"
#include "site/driver/slurm/wrapper.h"
#include "site/driver/surroundings.h"

namespace muster::driver::slurm {
namespace {

// Variables whose values some shell sets, checks or obeys itself; and those of the wrapper's child.
constexpr const char* kOfShells[] = {
    "_",         "DIRSTACK",   "EPOCHREALTIME", "EPOCHSECONDS", "EUID",   "EXECIGNORE", "FUNCNAME",
    "GROUPS",    "HISTCMD",    "IFS",           "LINENO",       "OLDPWD", "OPTARG",     "OPTERR",
    "OPTIND",    "PIPESTATUS", "PPID",          "PWD",          "RANDOM", "SECONDS",    "SHLVL",
    "SHELLOPTS", "SRANDOM",    "TMOUT",         "UID"};
constexpr const char* kOfShellsBegin[] = {"BASH", "muster_"};

// Whether any shell hands the variable to its commands as it was set. To some others it is no name.
bool ShellExports(const std::string& name) {
  const auto of_name = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
         std::ranges::all_of(name, of_name) && std::ranges::count(kOfShells, name) == 0 &&
         std::ranges::none_of(kOfShellsBegin,
                              [&](const char* begin) { return name.starts_with(begin); });
}

// In the order in which a shell does it: what takes time is before `gate`, which waits for the
// part's second, and then its command is the one process that is made. What Slurm sets stays, so
// that srun works in the part. Where a shell would not pass on each variable, env(1) sets them.
std::string CommandText(const std::map<std::string, std::string>& variables,
                        const std::string& submit_dir, const std::string& folder,
                        const std::vector<std::string>& words, const std::string& gate) {
  const std::string work = Quoted(folder + "/work");
  const std::string own = "cd " + work + " 2>/dev/null || { mkdir -p " + work + " && cd " + work +
                          "; } 2>>" + Quoted(folder + "/err") + " || exit 126\n";
  std::string text = "umask 022\n";
  if (submit_dir.empty()) {
    text += own;
  } else {
    text += "if cd " + Quoted(submit_dir) + " 2>/dev/null && [ -w . ]; then\n  export " +
            Quoted("MUSTER_SUBMIT_DIR=" + submit_dir) + "\nelse\n  " + own + "fi\n";
  }
  // The exec of some shells has options.
  const bool exported =
      !words.front().starts_with('-') &&
      std::ranges::all_of(variables, [](const auto& one) { return ShellExports(one.first); });
  std::string set;
  for (const auto& [name, value] : variables) set += " \\\n  " + Quoted(name + "=" + value);
  if (exported && !set.empty()) text += "export" + set + "\n";
  text += gate + "exec";
  if (!exported) {
    text += " env --" + set;
    // To env(1) a first word with '=' is one more variable. The shell that takes it for a command
    // loses variables whose names are none to it.
    if (words.front().find('=') != std::string::npos) {
      text += " \\\n  /bin/sh -c 'exec \"$0\" \"$@\"'";
    }
  }
  for (const std::string& word : words) text += " " + Quoted(word);
  return text + "\n";
}

// `ready` is a function of the wrapper's. The files are made when it has returned.
std::string Gate(const std::string& folder) {
  return "ready\numask 077\nexec >>" + Quoted(folder + "/out") + " 2>>" + Quoted(folder + "/err") +
         "\numask 022\n";
}

std::string SpecText(const StartPart& part, const Graces& graces) {
  const auto line = [](const char* name, int64_t value) {
    return std::string(name) + "=" + std::to_string(value) + "\n";
  };
  const int64_t before = part.notice ? ToBootSpan(part.notice->before).milliseconds : 0;
  const auto signal = part.notice ? SignalNumber(part.notice->signal) : std::nullopt;
  return line("NOT_BEFORE", ToMoment(part.not_before).milliseconds) +
         line("NOT_AFTER", ToMoment(part.not_after).milliseconds) +
         line("WALLTIME", ToBootSpan(part.walltime).milliseconds) +
         line("WALLTIME_GRACE", graces.walltime.milliseconds) +
         line("STOP_GRACE", graces.stop.milliseconds) +
         line("STRAGGLER_GRACE", graces.straggler.milliseconds) +
         line("BEAT", graces.beat.milliseconds) + line("NOTICE", before) +
         (signal ? line("NOTICE_SIGNAL", *signal) : "NOTICE_SIGNAL=\n");
}

}  // namespace

std::map<std::string, std::string> FilesOf(const StartPart& part, const std::string& folder,
                                           const std::optional<Account>& account,
                                           const Graces& graces) {
  std::map<std::string, std::string> variables = EnvironmentOf(
      part, {.node_file = folder + "/nodefile", .secret_file = folder + "/secret"}, {});
  variables.erase("MUSTER_SUBMIT_DIR");  // only where the part runs there
  if (account) {
    variables.try_emplace("HOME", account->home);
    variables.try_emplace("USER", account->name);
    variables.try_emplace("LOGNAME", account->name);
    variables.try_emplace("SHELL", account->shell);
  }
  std::vector<std::string> words = part.payload.argv;
  if (!part.payload.script.empty()) {
    words.insert(words.begin(), folder + "/script");
    if (!part.payload.script.starts_with("#!")) words.insert(words.begin(), "/bin/sh");
  }
  const std::string& submit_dir = part.payload.submit_dir;
  std::map<std::string, std::string> files = {
      {"spec", SpecText(part, graces)},
      {"name", part.part_name},
      {"nodefile", NodeFileText(part.place)},
      {"secret", ToHex(part.secret.bytes.data(), part.secret.bytes.size()) + "\n"},
      {"command", CommandText(variables, submit_dir, folder, words, Gate(folder))}};
  if (!part.payload.script.empty()) files["script"] = part.payload.script;
  if (part.notice && !part.notice->argv.empty()) {
    std::map<std::string, std::string> told = variables;
    told.erase("MUSTER_ENDS_BY");  // the wrapper says the end that is known then
    files["notice"] = CommandText(told, submit_dir, folder, part.notice->argv, "");
  }
  return files;
}

}  // namespace muster::driver::slurm
