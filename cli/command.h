// The command as a whole: finds the verb, runs it, and turns its result into an exit status. cli.md
// section 2.
#pragma once

#include <string>
#include <vector>

#include "cli/failure.h"

namespace muster::cli {

// Runs the command with these arguments and returns the exit status. Prints failures to stderr,
// with --json as muster.error/1.
int Run(const std::vector<std::string>& words);

// The list of commands by group.
std::string Overview();
// The help of a command, or the meaning of an error code.
Expect<std::string> HelpOn(const std::string& word);
// The error for an unknown command: suggests muster's name for a foreign command or a similar
// command, or says that it is not built yet.
Failure UnknownCommand(const std::string& word);

}  // namespace muster::cli
