// A hand-written parser: the grammar is one line, and each refusal has to say what was expected
// where.
#include "base/text/chunks.h"

#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "base/status.h"
#include "base/units.h"

namespace muster::text {
namespace {

constexpr char kExample[] = "as in 2:ncpus=4:mem=2gb+1:ngpus=1";
constexpr std::string_view kSelect = "select=";
constexpr size_t kLongestName = 255;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsName(char c) { return IsNameStart(c) || IsDigit(c) || c == '-' || c == '.'; }

bool AllDigits(std::string_view text) {
  for (const char c : text) {
    if (!IsDigit(c)) return false;
  }
  return !text.empty();
}

// A whole number that fits, or nothing.
std::optional<int64_t> WholeNumber(std::string_view text) {
  if (!AllDigits(text)) return std::nullopt;
  int64_t value = 0;
  for (const char c : text) {
    if (value > (std::numeric_limits<int64_t>::max() - 9) / 10) return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Diagnosed<std::vector<ChunkText>> Parse() {
    if (text_.starts_with(kSelect)) at_ = kSelect.size();
    if (at_ == text_.size()) return Wrong("no chunks are given", at_);
    std::vector<ChunkText> chunks;
    while (true) {
      if (chunks.size() == kMostChunks) {
        return Wrong("more than " + std::to_string(kMostChunks) + " chunks in one part", at_);
      }
      ChunkText chunk;
      if (!ReadChunk(chunk)) return wrong_;
      chunks.push_back(std::move(chunk));
      if (at_ == text_.size()) return chunks;
      ++at_;  // '+'
    }
  }

 private:
  Diagnostic Wrong(std::string message, size_t at, size_t length = 1) {
    wrong_ = Diagnostic{.code = "chunk",
                        .message = std::move(message),
                        .where = SourceSpan{},
                        .notes = {},
                        .help = {kExample}};
    wrong_.where->column = static_cast<uint32_t>(at + 1);
    wrong_.where->length = static_cast<uint32_t>(length == 0 ? 1 : length);
    wrong_.where->source_line = std::string(text_);
    return wrong_;
  }
  bool Refuse(std::string message, size_t at, size_t length = 1) {
    Wrong(std::move(message), at, length);
    return false;
  }
  // "before '+'" or "at the end", for what is missing here.
  std::string Here() const {
    if (at_ >= text_.size()) return "at the end";
    return std::string("before '") + text_[at_] + "'";
  }
  bool AtEnd() const { return at_ == text_.size() || text_[at_] == '+'; }

  bool ReadChunk(ChunkText& chunk) {
    names_.clear();
    if (AtEnd()) return Refuse("expected a chunk " + Here(), at_);
    if (IsDigit(text_[at_])) {
      if (!ReadCount(chunk)) return false;
    } else if (!ReadPair(chunk)) {
      return false;
    }
    while (!AtEnd()) {
      if (text_[at_] != ':') {
        return Refuse("expected ':' or '+' " + Here(), at_);
      }
      ++at_;
      if (!ReadPair(chunk)) return false;
    }
    if (chunk.resources.Get("ncpus") == 0) chunk.resources.Set("ncpus", 1);
    return true;
  }

  bool ReadCount(ChunkText& chunk) {
    const size_t begin = at_;
    while (at_ < text_.size() && IsDigit(text_[at_])) ++at_;
    const std::string_view digits = text_.substr(begin, at_ - begin);
    const auto count = WholeNumber(digits);
    if (!count || *count < 1 || *count > kMostSets) {
      return Refuse("a chunk is taken 1 to " + std::to_string(kMostSets) + " times, not " +
                        std::string(digits),
                    begin, digits.size());
    }
    chunk.count = static_cast<uint32_t>(*count);
    return true;
  }

  bool ReadPair(ChunkText& chunk) {
    const size_t begin = at_;
    if (AtEnd() || text_[at_] == ':') return Refuse("expected resource=amount " + Here(), at_);
    if (!IsNameStart(text_[at_])) {
      return Refuse("expected the name of a resource " + Here(), at_);
    }
    while (at_ < text_.size() && IsName(text_[at_])) ++at_;
    const std::string name(text_.substr(begin, at_ - begin));
    if (name.size() > kLongestName) {
      return Refuse("a name has at most " + std::to_string(kLongestName) + " bytes", begin,
                    name.size());
    }
    if (at_ == text_.size() || text_[at_] != '=') {
      return Refuse("expected '=' and an amount after '" + name + "'", begin, name.size());
    }
    ++at_;
    const size_t value_begin = at_;
    while (at_ < text_.size() && text_[at_] != ':' && text_[at_] != '+') ++at_;
    const std::string_view value = text_.substr(value_begin, at_ - value_begin);
    if (value.empty()) return Refuse("expected an amount of " + name + " " + Here(), value_begin);
    if (value.size() > kLongestName) {
      return Refuse("a value has at most " + std::to_string(kLongestName) + " bytes", value_begin,
                    value.size());
    }
    if (!names_.insert(name).second) {
      return Refuse("'" + name + "' is given twice in this chunk", begin, name.size());
    }
    return StoreValue(chunk, name, value, value_begin);
  }

  bool StoreValue(ChunkText& chunk, const std::string& name, std::string_view value, size_t at) {
    const std::string shown = name + "=" + std::string(value);
    const bool counted = name == "ncpus" || name == "ngpus";
    const bool sized = name == "mem";
    if (value[0] == '-' && AllDigits(value.substr(1))) {
      return Refuse(shown + ": an amount is not negative", at, value.size());
    }
    if (sized && AllDigits(value)) {
      return Refuse(shown + ": " + std::string(value) + " what? give a unit, as in mem=2gb", at,
                    value.size());
    }
    const std::optional<int64_t> number = sized ? std::nullopt : WholeNumber(value);
    if (!number && AllDigits(value)) return Refuse(shown + " is too large", at, value.size());
    int64_t amount = number.value_or(0);
    bool is_amount = number.has_value();
    if (!is_amount && !counted && IsDigit(value[0])) {
      const auto size = ParseSize(value);
      is_amount = size.ok();
      if (is_amount) amount = *size;
      if (!is_amount && sized) {
        return Refuse(shown + ": " + std::string(Text(size.status())), at, value.size());
      }
    }
    if (!is_amount && (counted || sized)) {
      const char* expected =
          counted ? ": expected a whole number" : ": expected a size, as in mem=2gb";
      return Refuse(shown + expected, at, value.size());
    }
    if (!is_amount) {
      chunk.properties.emplace(name, value);
      return true;
    }
    if (amount == 0 && (name == "ncpus" || sized)) {
      return Refuse(shown + ": at least one is needed", at, value.size());
    }
    if (amount > kLargestAmount) return Refuse(shown + " is too large", at, value.size());
    chunk.resources.Set(name, amount);
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
  std::set<std::string> names_;  // of the chunk being read
  Diagnostic wrong_;
};

}  // namespace

Diagnosed<std::vector<ChunkText>> ParseChunks(std::string_view text) {
  return Parser(text).Parse();
}

bool IsAmount(std::string_view value) {
  return AllDigits(value) || (!value.empty() && IsDigit(value[0]) && ParseSize(value).ok());
}

std::string ChunksText(std::span<const ChunkText> chunks) {
  std::string text;
  for (const ChunkText& chunk : chunks) {
    if (!text.empty()) text += '+';
    text += std::to_string(chunk.count);
    text += ":ncpus=" + std::to_string(chunk.resources.Get("ncpus"));
    for (const auto& [name, amount] : chunk.resources.entries()) {
      if (name == "ncpus") continue;
      text += ":" + name + "=" + (name == "mem" ? SizeText(amount) : std::to_string(amount));
    }
    for (const auto& [name, value] : chunk.properties) text += ":" + name + "=" + value;
  }
  return text;
}

}  // namespace muster::text
