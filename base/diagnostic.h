// What is told to a person about input that cannot be taken: what is wrong, where, and what would
// be right. One layout for configuration, scripts and options (docs: "When it fails" of the
// command's page).
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
  std::string file;         // as it is shown; empty: not from a file, no "-->" line
  uint32_t line = 0;        // from 1; 0: unknown or without meaning, the gutter stays blank
  uint32_t column = 0;      // from 1; 0: unknown, no caret
  uint32_t length = 1;      // characters under the caret, at least 1
  std::string source_line;  // the whole line, without its end; empty: none is shown
  std::string caret_note;   // after the carets: "did you mean 'ncpus'?"
  bool operator==(const SourceSpan&) const = default;
};

struct Diagnostic {
  std::string code;     // stable: "config", "chunk", "usage", "never"
  std::string message;  // one line, with the offending value
  std::optional<SourceSpan> where;
  std::vector<std::string> notes;  // lines of why, indented by two
  std::vector<std::string> help;   // lines of what would be right; the first follows "help: "
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
// Control characters of the input are shown as '?', so that a file cannot steer the terminal; a
// very long source line is cut around the caret.
std::string Render(const Diagnostic& diagnostic);

// The name of `names` a person most likely meant by `word`: fewest edits (insert, remove, replace,
// swap of neighbours; case counts as no edit), at most `most_edits`, and at most a third of the
// word's length, one more for short words. The first of equals; none if nothing is near.
std::optional<std::string> ClosestName(std::string_view word, std::span<const std::string> names,
                                       size_t most_edits = SIZE_MAX);

// "did you mean 'ncpus'?", or "" if nothing is near.
std::string DidYouMean(std::string_view word, std::span<const std::string> names);

// A value, or what to tell the person whose input has none.
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
