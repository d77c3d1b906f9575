// Completion for shells, generated from the command tree: nothing in it is written by hand but the
// shells' own grammar.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster::cli {

// The shells known: bash, fish, zsh.
const std::vector<std::string>& Shells();
// The text to be sourced. REQUIRES one of Shells().
std::string CompletionFor(std::string_view shell);

}  // namespace muster::cli
