// Lays out diagnostics, and guesses the intended name.
#include "base/diagnostic.h"

#include <algorithm>
#include <cctype>

namespace muster {
namespace {

// Limits for source lines: a wider line is cut around its caret, with 60 characters kept before the
// caret.
constexpr size_t kShownWidth = 160;
constexpr size_t kShownBefore = 60;

bool StartsCharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

// Splits the text into characters and replaces control characters. A tab becomes one blank, so that
// carets align.
std::vector<std::string> Characters(std::string_view text) {
  std::vector<std::string> out;
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (StartsCharacter(c) || out.empty()) {
      const bool control = byte < 0x20 || byte == 0x7F;
      out.emplace_back(1, c == '\t' ? ' ' : control ? '?' : c);
    } else {
      out.back() += c;
    }
  }
  return out;
}

std::string Clean(std::string_view text) {
  std::string out;
  for (const std::string& character : Characters(text)) out += character;
  return out;
}

// Prints the source line after its gutter, then the line of carets.
std::string RenderSource(const SourceSpan& where) {
  const std::vector<std::string> line = Characters(where.source_line);
  size_t first = 0;
  size_t last = line.size();
  const size_t caret = where.column == 0 ? 0 : std::min<size_t>(where.column - 1, line.size());
  if (line.size() > kShownWidth) {
    if (caret > kShownBefore) first = std::min(caret - kShownBefore, line.size());
    last = std::min(line.size(), first + kShownWidth);
  }
  std::string number = where.line == 0 ? "" : std::to_string(where.line);
  number.insert(0, number.size() < 2 ? 2 - number.size() : 0, ' ');

  std::string out = number + " | ";
  if (first > 0) out += "…";
  for (size_t i = first; i < last; ++i) out += line[i];
  if (last < line.size()) out += "…";
  out += '\n';
  if (where.column == 0) return out;

  const size_t before = caret - first + (first > 0 ? 1 : 0);
  const size_t rest = last > caret ? last - caret : 1;
  const size_t carets = std::clamp<size_t>(where.length, 1, rest);
  out +=
      std::string(number.size(), ' ') + " | " + std::string(before, ' ') + std::string(carets, '^');
  if (!where.caret_note.empty()) out += " " + Clean(where.caret_note);
  return out + '\n';
}

// The number of edits that turn one name into the other (optimal string alignment). Names are
// short, so a full table is cheap.
size_t Edits(std::string_view a, std::string_view b) {
  const auto same = [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  };
  std::vector<std::vector<size_t>> edits(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) edits[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) edits[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replace = edits[i - 1][j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1);
      edits[i][j] = std::min({replace, edits[i - 1][j] + 1, edits[i][j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]);
      if (swapped) edits[i][j] = std::min(edits[i][j], edits[i - 2][j - 2] + 1);
    }
  }
  return edits[a.size()][b.size()];
}

// A longer word is no typing error, and would make the table large.
constexpr size_t kLongestWord = 100;

}  // namespace

std::string Render(const Diagnostic& diagnostic) {
  std::string out = "muster: error[" + diagnostic.code + "]: " + Clean(diagnostic.message) + "\n";
  if (diagnostic.where) {
    const SourceSpan& where = *diagnostic.where;
    if (!where.file.empty()) {
      out += "  --> " + Clean(where.file);
      if (where.line > 0) out += ":" + std::to_string(where.line);
      if (where.line > 0 && where.column > 0) out += ":" + std::to_string(where.column);
      out += '\n';
    }
    if (!where.source_line.empty()) out += RenderSource(where);
  }
  for (const std::string& note : diagnostic.notes) out += "  " + Clean(note) + "\n";
  for (size_t i = 0; i < diagnostic.help.size(); ++i) {
    out += (i == 0 ? "  help: " : "        ") + Clean(diagnostic.help[i]) + "\n";
  }
  return out;
}

std::optional<std::string> ClosestName(std::string_view word, std::span<const std::string> names,
                                       size_t most_edits) {
  if (word.empty() || word.size() > kLongestWord) return std::nullopt;
  size_t best = std::max<size_t>(1, word.size() / 3 + (word.size() < 6 ? 1 : 0)) + 1;
  best = std::min(best, word.size());  // replacing every character does not count as similar
  std::optional<std::string> closest;
  for (const std::string& name : names) {
    if (name.size() > kLongestWord) continue;
    const size_t edits = Edits(word, name);
    if (edits <= most_edits && edits < best) {
      best = edits;
      closest = name;
    }
  }
  return closest;
}

std::string DidYouMean(std::string_view word, std::span<const std::string> names) {
  const std::optional<std::string> name = ClosestName(word, names);
  return name ? "did you mean '" + *name + "'?" : "";
}

}  // namespace muster
