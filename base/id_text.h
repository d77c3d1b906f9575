// Parses the texts that ids.h prints for ids.
#pragma once

#include <optional>
#include <string_view>

#include "base/ids.h"

namespace muster {

// Parses "43" or "43[7]"; none if the text is malformed.
std::optional<RequestId> RequestIdOf(std::string_view text);

}  // namespace muster
