// One pass over each line. Every byte of a word keeps its source column, so that quotes do not
// shift carets.
#include "base/text/words.h"

#include <algorithm>
#include <utility>

namespace muster::text {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
// Continuation bytes of a UTF-8 character have the column of its first byte.
bool StartsCharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

// Splits one line. Between calls, the members describe the current word consistently.
class Splitter {
 public:
  Splitter(std::string_view text, std::string_view file, uint32_t line,
           std::string_view source_line, uint32_t first_column)
      : text_(text),
        blank_{.text = {},
               .file = std::string(file),
               .line = line,
               .source_line = std::string(source_line),
               .columns = {}},
        column_(first_column) {}

  Diagnosed<std::vector<Word>> Split() {
    while (at_ < text_.size()) {
      if (IsBlank(text_[at_])) {
        Step();
        continue;
      }
      if (text_[at_] == '#') break;
      word_ = blank_;
      while (at_ < text_.size() && !IsBlank(text_[at_])) {
        if (!ReadPiece()) return wrong_;
      }
      word_.columns.push_back(column_);
      words_.push_back(std::move(word_));
    }
    return std::move(words_);
  }

 private:
  void Step() {
    ++at_;
    if (at_ >= text_.size() || StartsCharacter(text_[at_])) ++column_;
  }
  void Keep() {
    word_.text += text_[at_];
    word_.columns.push_back(column_);
    Step();
  }
  bool Refuse(uint32_t column, std::string message, std::string help) {
    wrong_ = Diagnostic{.code = "usage",
                        .message = std::move(message),
                        .where = SourceSpan{},
                        .notes = {},
                        .help = {std::move(help)}};
    wrong_.where->file = blank_.file;
    wrong_.where->line = blank_.line;
    wrong_.where->column = column;
    wrong_.where->source_line = blank_.source_line;
    return false;
  }
  bool RefuseExpansion() {
    return Refuse(column_, std::string("'") + text_[at_] + "' is not expanded here",
                  "write the value itself, or put it in single quotes");
  }

  // Reads one quoted section or one plain character.
  bool ReadPiece() {
    const char c = text_[at_];
    if (c == '\'') return ReadQuoted('\'');
    if (c == '"') return ReadQuoted('"');
    if (c == '$' || c == '`') return RefuseExpansion();
    if (c == '\\') {
      const uint32_t column = column_;
      Step();
      if (at_ >= text_.size()) {
        return Refuse(column, "nothing follows '\\'", "every line of options stands for itself");
      }
    }
    Keep();
    return true;
  }

  bool ReadQuoted(char quote) {
    const uint32_t opened = column_;
    Step();
    while (at_ < text_.size() && text_[at_] != quote) {
      if (quote == '"') {
        if (text_[at_] == '$' || text_[at_] == '`') return RefuseExpansion();
        const bool escape = text_[at_] == '\\' && at_ + 1 < text_.size() &&
                            (text_[at_ + 1] == '"' || text_[at_ + 1] == '\\');
        if (escape) Step();
      }
      Keep();
    }
    if (at_ >= text_.size()) {
      return Refuse(opened, std::string("this ") + quote + " is never closed",
                    std::string("end the quoted text with ") + quote);
    }
    Step();
    return true;
  }

  std::string_view text_;
  Word blank_;
  Word word_;
  std::vector<Word> words_;
  Diagnostic wrong_;
  size_t at_ = 0;
  uint32_t column_;
};

constexpr std::string_view kMark = "#MUSTER";

}  // namespace

SourceSpan Word::At(size_t offset, size_t length) const {
  const auto column = [&](size_t byte) { return columns[std::min(byte, columns.size() - 1)]; };
  SourceSpan span;
  span.file = file;
  span.line = line;
  span.source_line = source_line;
  if (columns.empty()) return span;
  span.column = column(offset);
  span.length = std::max<uint32_t>(1, column(offset + length) - span.column);
  return span;
}

Diagnosed<std::vector<Word>> SplitWords(std::string_view text, std::string_view file, uint32_t line,
                                        std::string_view source_line, uint32_t first_column) {
  return Splitter(text, file, line, source_line, first_column).Split();
}

Diagnosed<std::vector<Word>> ScriptOptions(std::string_view script, std::string_view file) {
  std::vector<Word> words;
  for (uint32_t number = 1; !script.empty(); ++number) {
    const size_t end = script.find('\n');
    std::string_view line = script.substr(0, end);
    script.remove_prefix(end == std::string_view::npos ? script.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    const size_t first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos) continue;
    if (line[first] != '#') break;
    if (!line.starts_with(kMark)) continue;
    const std::string_view rest = line.substr(kMark.size());
    // Another word that begins with the same letters.
    if (!rest.empty() && !IsBlank(rest[0])) continue;
    auto more = SplitWords(rest, file, number, line, static_cast<uint32_t>(kMark.size()) + 1);
    if (!more.ok()) return more.diagnostic();
    for (Word& word : more.value()) words.push_back(std::move(word));
  }
  return words;
}

Diagnostic PlacedIn(const Word& word, Diagnostic diagnostic) {
  const bool has_column = diagnostic.where && diagnostic.where->column > 0;
  const size_t offset = has_column ? diagnostic.where->column - 1 : 0;
  const size_t length = has_column ? diagnostic.where->length : word.text.size();
  const std::string note = diagnostic.where ? diagnostic.where->caret_note : std::string();
  diagnostic.where = word.At(offset, std::max<size_t>(1, length));
  diagnostic.where->caret_note = note;
  return diagnostic;
}

std::string SingleQuoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string ShellQuoted(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%^[]";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(word);
  }
  return SingleQuoted(word);
}

}  // namespace muster::text
