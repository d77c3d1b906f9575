// The command as a whole: finds the verb, runs it, and turns what comes back into an exit status.
// cli.md section 2.
#pragma once

#include <string>
#include <vector>

#include "cli/failure.h"

namespace muster::cli {

// `words` are the arguments. Prints failures to stderr, as muster.error/1 where --json is given.
int Run(const std::vector<std::string>& words);

// The commands by group.
std::string Overview();
// The help of a command, or what an error code means.
Expect<std::string> HelpOn(const std::string& word);
// Why there is no such command: what it is called here, what was meant, or that it is not built
// yet.
Failure UnknownCommand(const std::string& word);

}  // namespace muster::cli
