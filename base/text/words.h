// Words of a line as a shell would split it, with the place each came from, and the option words
// that a script carries in its "#MUSTER" lines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace muster::text {

// One word. `columns[i]` is the column (characters, from 1) of byte i of `text` in the source line;
// the last entry is the column after the word.
struct Word {
  std::string text;
  std::string file;
  uint32_t line = 0;
  std::string source_line;
  std::vector<uint32_t> columns;

  // Where byte `offset` of the word stands, `length` bytes from there.
  SourceSpan At(size_t offset, size_t length = 1) const;
};

// Splits at blanks; '...' is literal, "..." knows \" and \\, a backslash outside takes the next
// character, '#' at the start of a word ends the line. Nothing is expanded: '$' and '`' outside
// single quotes are refused, so that nobody expects it. `line` and `first_column` say where `text`
// stands in `source_line`.
Diagnosed<std::vector<Word>> SplitWords(std::string_view text, std::string_view file, uint32_t line,
                                        std::string_view source_line, uint32_t first_column);

// The words of all "#MUSTER" lines above the script's first command, in order. Other comments and
// blank lines are passed over; "#MUSTER" must start the line and be followed by a blank.
Diagnosed<std::vector<Word>> ScriptOptions(std::string_view script, std::string_view file);

// The diagnostic of a parser that was given `word.text` (its columns count bytes of it, from 1),
// placed where the word stands.
Diagnostic PlacedIn(const Word& word, Diagnostic diagnostic);

// The text within single quotes of a shell.
std::string SingleQuoted(std::string_view text);
// The word quoted so that a shell, and SplitWords, read it back; as it is when it needs no quotes.
std::string ShellQuoted(std::string_view word);

}  // namespace muster::text
