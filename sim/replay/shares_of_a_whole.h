// Shares of a whole as people write them.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

namespace muster::sim {

// "10%" as 100 thousandths; none if it is no share of a whole.
inline std::optional<uint32_t> Thousandths(const std::string& text) {
  char* end = nullptr;
  const double percent = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || std::string(end) != "%" || !(percent >= 0) || percent > 100) {
    return std::nullopt;
  }
  return static_cast<uint32_t>(percent * 10 + 0.5);
}

}  // namespace muster::sim
