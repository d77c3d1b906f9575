// Building blocks of messages: quoted words, lists, counts with their noun.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace muster {

// "'text'".
std::string Quoted(std::string_view text);

// "1,204", "-1,204".
std::string Grouped(int64_t number);

// "1 job", "0 jobs", "2 jobs": `noun` is the singular, its plural ends in an s.
std::string Counted(int64_t count, std::string_view noun);

// The texts that `text_of` returns for the elements, in order, separated by `joint`: "a, b, c".
template <class Range, class TextOf = std::identity>
std::string Joined(const Range& range, std::string_view joint = ", ", TextOf text_of = {}) {
  std::string text;
  bool first = true;
  for (const auto& element : range) {
    if (!first) text += joint;
    first = false;
    text += std::invoke(text_of, element);
  }
  return text;
}

}  // namespace muster
