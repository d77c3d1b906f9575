// The codes of errors, which are stable: what each means and with which status the command exits.
// cli.md sections 1 and 1.10.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster::cli {

// What it means, in a few lines without an end; empty: there is no such code.
std::string_view MeaningOf(std::string_view code);
// Ascending.
std::vector<std::string> ErrorCodes();

}  // namespace muster::cli
