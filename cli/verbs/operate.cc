// Verbs of operators and those that hand over to another program: keys, check, sim, help.
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "base/config/user_config.h"
#include "base/io/zmq/keys.h"
#include "base/status.h"
#include "cli/command.h"
#include "cli/json.h"
#include "cli/verbs/verb.h"

namespace muster::cli {
namespace {

// Becomes the program beside this one; returns only if that fails.
Result Become(const std::string& program, const std::vector<std::string>& words) {
  const std::string path = ProgramFolder() + "/" + program;
  std::vector<std::string> copies = {program};
  copies.insert(copies.end(), words.begin(), words.end());
  std::vector<char*> argv;
  for (std::string& word : copies) argv.push_back(word.data());
  argv.push_back(nullptr);
  execv(path.c_str(), argv.data());
  return Fail("internal", "cannot run " + path + ": " + strerror(errno),
              "it belongs beside this program");
}

enum class Kind { kMeta, kSite, kUser };

// By the sections it has, not by its name.
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
    PrintJson(
        Json{
            {"schema", "muster.check/1"}, {"file", path}, {"kind", "user"}, {"federations", count}},
        false);
  } else {
    Print(path + ": well-formed; " + std::to_string(count) +
          (count == 1 ? " federation\n" : " federations\n"));
  }
  return kExitDone;
}

}  // namespace

Options CheckOptions() {
  Options options("check FILE",
                  "Tests a configuration: meta.toml, site.toml or a user's config.toml.",
                  Words::kAnywhere);
  options.Globals();
  return options;
}

Result RunCheck(const std::vector<std::string>& words) {
  auto given = CheckOptions().Parse(words);
  if (!given.ok()) return given.failure();
  if (given->words.size() != 1) return UsageError("which file?", "as in muster check site.toml");
  auto context = Context::Of(given.value());
  if (!context.ok()) return context.failure();
  const std::string& path = given->words.front();
  auto text = ReadTextFile(path, "config");
  if (!text.ok()) return text.failure();
  switch (KindOf(text.value())) {
    case Kind::kMeta:
      return Become("muster-metad", {"--config", path, "--check"});
    case Kind::kSite:
      return Become("muster-sited", {"--config", path, "--check"});
    case Kind::kUser:
      return CheckUserConfig(path, context.value());
  }
  return kExitInternal;
}

Options KeysOptions() {
  Options options("keys new [FILE]",
                  "Makes a key: its public half goes to an operator, the file stays with you.",
                  Words::kAnywhere);
  options.Globals().Note(
      "FILE: else ~/.config/muster/LOGIN.key. An existing file is never touched.\n");
  return options;
}

Result RunKeys(const std::vector<std::string>& words) {
  auto given = KeysOptions().Parse(words);
  if (!given.ok()) return given.failure();
  if (given->words.empty() || given->words.front() != "new") {
    const std::string word = given->words.empty() ? "" : given->words.front();
    const bool later = word == "list" || word == "rotate" || word == "revoke";
    return UsageError(later          ? "'keys " + word + "' is not in this version of muster"
                      : word.empty() ? "what about keys?"
                                     : "unknown word '" + word + "' after 'keys'",
                      "muster keys new [FILE]");
  }
  if (given->words.size() > 2) return UsageError("'" + given->words[2] + "' is one word too many");
  auto context = Context::Of(given.value());
  if (!context.ok()) return context.failure();
  std::string path = ConfigFolder() + "/" + LoginName() + ".key";
  if (given->words.size() == 2) {
    path = given->words[1];
  } else {
    std::error_code error;
    std::filesystem::create_directories(ConfigFolder(), error);
    if (error) return Fail("internal", "cannot make " + ConfigFolder() + ": " + error.message());
  }
  const io::KeyPair pair = io::SystemEntropy()->NewKeyPair();
  if (const auto written = io::WriteKeyFile(path, pair); !written.ok()) {
    const bool exists = absl::IsAlreadyExists(written);
    return Fail(exists ? "exists" : "internal", std::string(Text(written)),
                exists ? "name another file" : "", "no key was made");
  }
  if (context->json) {
    PrintJson(Json{{"schema", "muster.key/1"}, {"file", path}, {"public_key", pair.public_key}},
              false);
  } else if (context->quiet) {
    Print(pair.public_key + '\n');
  } else {
    Print("public  " + pair.public_key + "\nfile    " + HomeShown(path) +
          "\nSend the public half to an operator; name the file as 'key' in config.toml.\n");
  }
  return kExitDone;
}

Options SimOptions() {
  return Options("sim ARGUMENTS …", "Runs muster-sim, which stands beside this program.",
                 Words::kEnd);
}

Result RunSim(const std::vector<std::string>& words) { return Become("muster-sim", words); }

Options HelpOptions() {
  Options options("help [COMMAND|CODE]", "What a command does, or what the code of an error means.",
                  Words::kAnywhere);
  options.Globals();
  return options;
}

Result RunHelp(const std::vector<std::string>& words) {
  auto given = HelpOptions().Parse(words);
  if (!given.ok()) return given.failure();
  if (given->words.empty()) {
    Print(Overview());
    return kExitDone;
  }
  auto text = HelpOn(given->words.front());
  if (!text.ok()) return text.failure();
  Print(text.value());
  return kExitDone;
}

}  // namespace muster::cli
