// What surrounds one call of the command: the terminal, the clock, the environment, and the options
// of every verb.
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

  // Of this process, with what its options say. An unknown --color is an error.
  static Expect<Context> Of(const Given& given);
  // Preferences of the configuration, under the options.
  void Prefer(const config::UserConfig& config);
  // For the views of this moment.
  views::ViewOptions View() const;
};

// UTC, of this machine.
Moment WallNow();
// The zone this machine's clocks show, from a month ago to over a year ahead.
text::Zone LocalZone(Instant now);
// Absent and empty are the same.
std::optional<std::string> Environment(const char* name);
// "~/x" for what lies in the home folder.
std::string HomeShown(const std::string& path);
// "$XDG_CONFIG_HOME/muster" or "~/.config/muster"; "$XDG_STATE_HOME/muster" or
// "~/.local/state/muster".
std::string ConfigFolder();
std::string StateFolder();
// The user's name on this machine.
std::string LoginName();
// The folder of this program.
std::string ProgramFolder();
// The text of a file, or an error of this code.
Expect<std::string> ReadTextFile(const std::string& path, const std::string& code);

// To stdout; a failed write ends the process, since nobody reads on.
void Print(std::string_view text);
// To stderr.
void Say(std::string_view text);
// "muster: TEXT" on stderr.
void Warn(std::string_view text);
// A question on stderr, answered by a line of stdin that begins with 'y'.
bool Agreed(std::string_view question);
// One JSON document and an end of line; streams one line each.
void PrintJson(const Json& document, bool line);

// Set by SIGINT once CatchInterrupt was called.
void CatchInterrupt();
bool Interrupted();

}  // namespace muster::cli
