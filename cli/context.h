// The environment of one call of the command: terminal, clock, environment variables, and the
// options common to all verbs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/config/user_config.h"
#include "base/time.h"
#include "cli/options.h"
#include "cli/views/format.h"

namespace muster::cli {

struct Context {
  bool json = false;
  bool quiet = false;
  bool utc = false;
  std::optional<config::ColorChoice> color;
  std::optional<std::string> federation;
  std::optional<std::string> via;
  std::optional<std::string> config_path;
  bool terminal_out = false;
  bool terminal_err = false;
  bool terminal_in = false;

  // The context of this process with the given options. Error: an unknown --color.
  static Expect<Context> Of(const Given& given);
  // Applies preferences of the configuration where no option was given.
  void Prefer(const config::UserConfig& config);
  // The options for views made now.
  views::ViewOptions View() const;
};

// This machine's clock, UTC.
Moment WallNow();
// This machine's local time zone, valid from a month ago to over a year ahead.
text::Zone LocalZone(Instant now);
// An environment variable; none if it is absent or empty.
std::optional<std::string> Environment(const char* name);
// The path for display: "~/x" for a path in the home folder.
std::string HomeShown(const std::string& path);
// "$XDG_CONFIG_HOME/muster" or "~/.config/muster"; "$XDG_STATE_HOME/muster" or
// "~/.local/state/muster".
std::string ConfigFolder();
std::string StateFolder();
// The user's name on this machine.
std::string LoginName();
// The folder that contains this program.
std::string ProgramFolder();
// Reads a file. Error: a failure with this code.
Expect<std::string> ReadTextFile(const std::string& path, const std::string& code);

// Prints to stdout. If the write fails, ends the process, since nobody reads the output any more.
void Print(std::string_view text);
// Prints to stderr.
void Say(std::string_view text);
// "muster: TEXT" on stderr.
void Warn(std::string_view text);
// Asks a question on stderr. Returns true if the line read from stdin is "y", "Y" or "yes".
bool Agreed(std::string_view question);
// Prints one JSON document with a final newline; `line`: in one line, as streams have it.
void PrintJson(const Json& document, bool line);

// CatchInterrupt installs a handler for SIGINT; then Interrupted returns true after the first
// Ctrl-C.
void CatchInterrupt();
bool Interrupted();

}  // namespace muster::cli
