// An error message for a person about bad input: what is wrong, where, and what would be right.
// Configuration, scripts and options share one layout (docs: "When it fails" of the command's
// page).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace muster {

// A place in a text. Columns count characters (UTF-8), from 1.
struct SourceSpan {
  std::string file;         // name as shown; empty: not from a file, no "-->" line
  uint32_t line = 0;        // from 1; 0: unknown or meaningless, the gutter stays blank
  uint32_t column = 0;      // from 1; 0: unknown, no caret
  uint32_t length = 1;      // characters under the caret, at least 1
  std::string source_line;  // the whole line without its line end; empty: not shown
  std::string caret_note;   // text after the carets: "did you mean 'ncpus'?"
  bool operator==(const SourceSpan&) const = default;
};

struct Diagnostic {
  std::string code;     // stable: "config", "chunk", "usage", "never"
  std::string message;  // one line, including the bad value
  std::optional<SourceSpan> where;
  std::vector<std::string> notes;  // lines that explain why, indented by two
  std::vector<std::string> help;   // lines that say what would be right; the first follows "help: "
  bool operator==(const Diagnostic&) const = default;
};

// The text as printed on stderr, every line ended by '\n':
//
//   muster: error[config]: unknown name 'ncpu'
//     --> site.toml:17:16
//   17 | resources  = { ncpu = 16, mem = "64gb" }
//      |                ^^^^ did you mean 'ncpus'?
//     help: declared: ncpus, mem, ngpus
//
// Control characters of the input are printed as '?', so that input cannot control the terminal. A
// very long source line is cut to the part around the caret.
std::string Render(const Diagnostic& diagnostic);

// The element of `names` that a person most likely meant by `word`. It needs the fewest edits
// (insert, remove, replace, swap of neighbours; a change of case is free): at most `most_edits`,
// and at most a third of the word's length, one more for short words. Of equals, the first; none if
// nothing is close.
std::optional<std::string> ClosestName(std::string_view word, std::span<const std::string> names,
                                       size_t most_edits = SIZE_MAX);

// "did you mean 'ncpus'?", or "" if no name is close.
std::string DidYouMean(std::string_view word, std::span<const std::string> names);

// A value, or a diagnostic that says why the input has none.
template <class T>
class Diagnosed {
 public:
  Diagnosed(T value) : content_(std::in_place_index<0>, std::move(value)) {}
  Diagnosed(Diagnostic diagnostic) : content_(std::in_place_index<1>, std::move(diagnostic)) {}

  bool ok() const { return content_.index() == 0; }
  // REQUIRES ok().
  const T& value() const& { return std::get<0>(content_); }
  T& value() & { return std::get<0>(content_); }
  T&& value() && { return std::get<0>(std::move(content_)); }
  const T* operator->() const { return &value(); }
  const T& operator*() const& { return value(); }
  // REQUIRES !ok().
  const Diagnostic& diagnostic() const { return std::get<1>(content_); }

 private:
  std::variant<T, Diagnostic> content_;
};

}  // namespace muster
