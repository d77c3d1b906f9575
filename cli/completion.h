// Shell completion, generated from the verbs and their options; only the shells' own syntax is
// written by hand.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster::cli {

// The supported shells: bash, fish, zsh.
const std::vector<std::string>& Shells();
// The completion script for the shell to source. REQUIRES: one of Shells().
std::string CompletionFor(std::string_view shell);

}  // namespace muster::cli
