// Ids read back from the text that ids.h makes of them.
#pragma once

#include <optional>
#include <string_view>

#include "base/ids.h"

namespace muster {

// What "43" or "43[7]" names; none if it is no such text.
std::optional<RequestId> RequestIdOf(std::string_view text);

}  // namespace muster
