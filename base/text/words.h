// Splits a line into words as a shell would, recording each word's position; and extracts the
// options in the "#MUSTER" lines of a script.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace muster::text {

// A word with its position. `columns[i]` is the column (characters, from 1) of byte i of `text` in
// the source line; the last entry is the column after the word.
struct Word {
  std::string text;
  std::string file;
  uint32_t line = 0;
  std::string source_line;
  std::vector<uint32_t> columns;

  // The source span of `length` bytes of the word from byte `offset`.
  SourceSpan At(size_t offset, size_t length = 1) const;
};

// Splits at blanks. '...' is literal, "..." knows \" and \\, a backslash outside quotes escapes the
// next character, and '#' at the start of a word begins a comment. Nothing is expanded: '$' and '`'
// outside single quotes are refused, so that nobody relies on expansion. `text` begins at `line`
// and `first_column` of `source_line`.
Diagnosed<std::vector<Word>> SplitWords(std::string_view text, std::string_view file, uint32_t line,
                                        std::string_view source_line, uint32_t first_column);

// The words of all "#MUSTER" lines above the first command of a script, in order. Skips other
// comments and blank lines. "#MUSTER" must start the line and be followed by a blank.
Diagnosed<std::vector<Word>> ScriptOptions(std::string_view script, std::string_view file);

// Moves a diagnostic to the word's position in its source. The diagnostic comes from a parser of
// `word.text`; its columns count bytes of it, from 1.
Diagnostic PlacedIn(const Word& word, Diagnostic diagnostic);

// The text in a shell's single quotes.
std::string SingleQuoted(std::string_view text);
// The word quoted for a shell and for SplitWords; unchanged if it needs no quotes.
std::string ShellQuoted(std::string_view word);

}  // namespace muster::text
