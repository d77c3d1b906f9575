// Verbs that run another program or print help: check, sim, help.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/config/user_config.h"
#include "base/io/zmq/keys.h"
#include "base/phrases.h"
#include "base/status.h"
#include "cli/command.h"
#include "cli/notices.h"
#include "cli/verbs/become.h"
#include "cli/verbs/verb.h"

namespace muster::cli {
namespace {

enum class Kind { kMeta, kSite, kUser };

// Determines the kind of a configuration by its sections, not its file name.
Kind KindOf(const std::string& text) {
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line(text.data() + begin, end - begin);
    const size_t first = line.find_first_not_of(" \t");
    if (first != std::string_view::npos) line.remove_prefix(first);
    if (line.starts_with("[meta]")) return Kind::kMeta;
    if (line.starts_with("[site]")) return Kind::kSite;
    begin = end + 1;
  }
  return Kind::kUser;
}

Result CheckUserConfig(const std::string& path, const Context& context) {
  auto config = config::ReadUserConfig(path);
  if (!config.ok()) return config.diagnostic();
  for (const config::FederationAddress& federation : config->federations) {
    const auto keys = io::ReadKeyFile(federation.key_path);
    if (keys.ok()) continue;
    Failure failure = Fail("config", std::string(Text(keys.status())));
    failure.diagnostic.where = federation.key_where;
    return failure;
  }
  const size_t count = config->federations.size();
  if (context.json) {
    PrintJson(ToDocument(CheckDocument{path, "user", count}), false);
  } else {
    Print(fmt::format("{}: well-formed; {}\n", path, Counted(count, "federation")));
  }
  return kExitDone;
}

Options CheckOptions() {
  Options options("check FILE",
                  "Tests a configuration: meta.toml, site.toml or a user's config.toml.",
                  Words::kAnywhere);
  options.Flag("--cluster", "also try what a site needs of its Slurm cluster").Globals();
  options.Note(
      "--cluster makes and removes a reservation and two jobs, one of which runs for a\n"
      "moment, and says line by line what works and what would be promised.\n");
  return options;
}

Result RunCheck(Given given) {
  if (given.words.size() != 1) return UsageError("which file?", "as in muster check site.toml");
  auto context = Context::Of(given);
  if (!context.ok()) return context.failure();
  const std::string& path = given.words.front();
  auto text = ReadTextFile(path, "config");
  if (!text.ok()) return text.failure();
  const bool cluster = given.Has("--cluster");
  const Kind kind = KindOf(text.value());
  if (cluster && kind != Kind::kSite) return UsageError("--cluster is for the file of a site");
  switch (kind) {
    case Kind::kMeta:
      return Become("muster-metad", {"--config", path, "--check"});
    case Kind::kSite:
      return cluster ? Become("muster-sited", {"--config", path, "--check", "--cluster"})
                     : Become("muster-sited", {"--config", path, "--check"});
    case Kind::kUser:
      return CheckUserConfig(path, context.value());
  }
  return kExitInternal;
}

Options SimOptions() {
  return Options("sim ARGUMENTS …", "Runs muster-sim, which stands beside this program.",
                 Words::kUnread);
}

Result RunSim(Given given) { return Become("muster-sim", given.words); }

Options HelpOptions() {
  Options options("help [COMMAND|CODE]", "What a command does, or what the code of an error means.",
                  Words::kAnywhere);
  options.Globals();
  return options;
}

Result RunHelp(Given given) {
  if (given.words.empty()) {
    Print(Overview());
    return kExitDone;
  }
  auto text = HelpOn(given.words.front());
  if (!text.ok()) return text.failure();
  Print(text.value());
  return kExitDone;
}

}  // namespace

const Verb kCheckVerb = {"check", "Operate", "test a configuration file", CheckOptions, RunCheck};
const Verb kSimVerb = {"sim", "Try", "run, replay: the same scheduler on traces", SimOptions,
                       RunSim};
const Verb kHelpVerb = {"help", "Plumbing", "a command, or the code of an error", HelpOptions,
                        RunHelp};

}  // namespace muster::cli
