// Character classification independent of the locale.
#pragma once

namespace muster {

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace muster
