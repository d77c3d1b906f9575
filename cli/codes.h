// The stable error codes: the meaning and the exit status of each. cli.md sections 1 and 1.10.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster::cli {

// The meaning of a code, several lines without a final newline; empty: unknown code.
std::string_view MeaningOf(std::string_view code);
// All codes, ascending.
std::vector<std::string> ErrorCodes();

}  // namespace muster::cli
