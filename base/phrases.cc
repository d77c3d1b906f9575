// These texts are part of user-visible messages; none depends on the locale.
#include "base/phrases.h"

namespace muster {

std::string Quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

std::string Grouped(int64_t number) {
  std::string text = std::to_string(number);
  const size_t first = number < 0 ? 2 : 1;  // first position for a separator: after the first digit
  for (size_t at = text.size(); at > first + 2; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string Counted(int64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace muster
