// Hands over to a program that stands beside this one.
#pragma once

#include <string>
#include <vector>

#include "cli/verbs/verb.h"

namespace muster::cli {

// Executes the program next to this one, in this process; returns only on failure.
Result Become(const std::string& program, const std::vector<std::string>& words);
// The same, and it finds `input` on its stdin.
Result BecomeWith(const std::string& input, const std::string& program,
                  const std::vector<std::string>& words);

}  // namespace muster::cli
