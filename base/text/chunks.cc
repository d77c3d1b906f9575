// A hand-written parser: the grammar is small, and each error must say what was expected where.
#include "base/text/chunks.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "base/characters.h"
#include "base/phrases.h"
#include "base/status.h"
#include "base/units.h"

namespace muster::text {
namespace {

constexpr char kChunkExample[] = "as in 2:ncpus=4:mem=2gb+1:ngpus=1";
constexpr std::string_view kFronts[] = {"select=", "rset="};
constexpr std::string_view kPlaces[] = {"free", "pack", "scatter"};
constexpr size_t kLongestName = 255;

bool IsNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsName(char c) { return IsNameStart(c) || IsDigit(c) || c == '-' || c == '.'; }

bool AllDigits(std::string_view text) {
  for (const char c : text) {
    if (!IsDigit(c)) return false;
  }
  return !text.empty();
}

// Parses a whole number that fits; else none.
std::optional<int64_t> WholeNumber(std::string_view text) {
  if (!AllDigits(text)) return std::nullopt;
  int64_t value = 0;
  for (const char c : text) {
    if (value > (std::numeric_limits<int64_t>::max() - 9) / 10) return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

class ChunkParser {
 public:
  // Without `whole`, accepts only chunks.
  ChunkParser(std::string_view text, bool whole) : text_(text), whole_(whole) {}

  Diagnosed<PartText> Parse() {
    for (const std::string_view front : kFronts) {
      if (at_ == 0 && text_.starts_with(front)) at_ = front.size();
    }
    if (at_ == text_.size()) return Wrong("no chunks are given", at_);
    PartText part;
    if (!ReadChunks(part.chunks)) return wrong_;
    names_.clear();
    while (at_ < text_.size()) {
      ++at_;  // ','
      if (!ReadJobWide(part)) return wrong_;
    }
    return part;
  }

 private:
  Diagnostic Wrong(std::string message, size_t at, size_t length = 1) {
    wrong_ = Diagnostic{.code = "chunk",
                        .message = std::move(message),
                        .where = SourceSpan{},
                        .notes = {},
                        .help = {kChunkExample}};
    wrong_.where->column = static_cast<uint32_t>(at + 1);
    wrong_.where->length = static_cast<uint32_t>(length == 0 ? 1 : length);
    wrong_.where->source_line = std::string(text_);
    return wrong_;
  }
  bool Refuse(std::string message, size_t at, size_t length = 1) {
    Wrong(std::move(message), at, length);
    return false;
  }
  // Where something is missing: "before '+'" or "at the end".
  std::string Here() const {
    if (at_ >= text_.size()) return "at the end";
    return std::string("before '") + text_[at_] + "'";
  }
  bool AtComma() const { return whole_ && text_[at_] == ','; }
  bool AtEnd() const { return at_ == text_.size() || text_[at_] == '+' || AtComma(); }

  bool ReadChunks(std::vector<ChunkText>& chunks) {
    while (true) {
      if (chunks.size() == kMostChunks) {
        return Refuse(fmt::format("more than {} chunks in one part", kMostChunks), at_);
      }
      ChunkText chunk;
      if (!ReadChunk(chunk)) return false;
      chunks.push_back(std::move(chunk));
      if (at_ == text_.size() || AtComma()) return true;
      ++at_;  // '+'
    }
  }

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
        return Refuse(
            std::string(whole_ ? "expected ':', '+' or ',' " : "expected ':' or '+' ") + Here(),
            at_);
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
      return Refuse(fmt::format("a chunk is taken 1 to {} times, not {}", kMostSets, digits), begin,
                    digits.size());
    }
    chunk.count = static_cast<uint32_t>(*count);
    if (at_ == text_.size() || text_[at_] != '-') return true;
    const size_t last_begin = ++at_;
    while (at_ < text_.size() && IsDigit(text_[at_])) ++at_;
    const std::string_view last = text_.substr(last_begin, at_ - last_begin);
    const auto most = WholeNumber(last);
    if (!most || *most < *count || *most > kMostSets) {
      return Refuse(
          "expected " + std::string(digits) + " or more sets after '-', as in 2-4:ncpus=4",
          last_begin, last.size());
    }
    chunk.least = chunk.count;
    chunk.most = static_cast<uint32_t>(*most);
    return true;
  }

  // A "name=value" pair, and where its name and its value begin.
  struct Pair {
    std::string name;
    std::string_view value;
    size_t name_at = 0;
    size_t value_at = 0;
  };

  // Takes a pair; its value ends before one of the characters in `ends`.
  bool TakePair(Pair& pair, std::string_view ends) {
    pair.name_at = at_;
    if (AtEnd() || text_[at_] == ':') return Refuse("expected resource=amount " + Here(), at_);
    if (!IsNameStart(text_[at_])) {
      return Refuse("expected the name of a resource " + Here(), at_);
    }
    while (at_ < text_.size() && IsName(text_[at_])) ++at_;
    pair.name = std::string(text_.substr(pair.name_at, at_ - pair.name_at));
    if (pair.name.size() > kLongestName) {
      return Refuse(fmt::format("a name has at most {} bytes", kLongestName), pair.name_at,
                    pair.name.size());
    }
    if (at_ == text_.size() || text_[at_] != '=') {
      return Refuse("expected '=' and an amount after '" + pair.name + "'", pair.name_at,
                    pair.name.size());
    }
    pair.value_at = ++at_;
    at_ = std::min(text_.find_first_of(ends, at_), text_.size());
    pair.value = text_.substr(pair.value_at, at_ - pair.value_at);
    if (pair.value.empty()) {
      return Refuse("expected an amount of " + pair.name + " " + Here(), pair.value_at);
    }
    if (pair.value.size() > kLongestName) {
      return Refuse(fmt::format("a value has at most {} bytes", kLongestName), pair.value_at,
                    pair.value.size());
    }
    if (names_.insert(pair.name).second) return true;
    return Refuse("'" + pair.name + "' is given twice" + (in_chunks_ ? " in this chunk" : ""),
                  pair.name_at, pair.name.size());
  }

  bool ReadPair(ChunkText& chunk) {
    Pair pair;
    return TakePair(pair, whole_ ? ":+," : ":+") &&
           StoreValue(pair, chunk.resources, chunk.properties);
  }

  bool ReadJobWide(PartText& part) {
    in_chunks_ = false;
    Pair pair;
    if (!TakePair(pair, ",")) return false;
    if (pair.name == "place") return ReadPlace(pair, part);
    if (pair.name == "walltime") return ReadWalltime(pair, part);
    if (pair.name == "ncpus" || pair.name == "mem" || pair.name == "ngpus") {
      return Refuse("'" + pair.name + "' is of chunks, not of the job as a whole", pair.name_at,
                    pair.name.size());
    }
    const size_t odd = pair.value.find_first_of(":+");
    if (odd != std::string_view::npos) {
      return Refuse("expected ',' before '" + std::string(1, pair.value[odd]) + "'",
                    pair.value_at + odd);
    }
    if (pair.value.find_first_not_of('0') == std::string_view::npos) {
      return Refuse(pair.name + "=" + std::string(pair.value) + ": at least one, or leave it out",
                    pair.value_at, pair.value.size());
    }
    return StoreValue(pair, part.jobwide, part.properties);
  }

  bool ReadPlace(const Pair& pair, PartText& part) {
    for (size_t begin = 0; begin <= pair.value.size();) {
      const size_t end = std::min(pair.value.find(':', begin), pair.value.size());
      const std::string_view word = pair.value.substr(begin, end - begin);
      const auto* const place = std::find(std::begin(kPlaces), std::end(kPlaces), word);
      const bool sharing = word == "excl" || word == "shared";
      if (place == std::end(kPlaces) && !sharing) {
        return Refuse("unknown placement '" + std::string(word) +
                          "'; it is free, pack or scatter, and excl or shared",
                      pair.value_at + begin, word.size());
      }
      if (sharing ? part.exclusive.has_value() : part.place.has_value()) {
        return Refuse("a second word of the same kind: '" + std::string(word) + "'",
                      pair.value_at + begin, word.size());
      }
      if (sharing) {
        part.exclusive = word == "excl";
      } else {
        part.place = static_cast<PartText::Place>(place - std::begin(kPlaces));
      }
      begin = end + 1;
    }
    return true;
  }

  bool ReadWalltime(const Pair& pair, PartText& part) {
    const absl::StatusOr<Span> span = ParseDuration(pair.value);
    if (!span.ok()) {
      return Refuse(std::string(Text(span.status())), pair.value_at, pair.value.size());
    }
    if (*span <= Span{0}) {
      return Refuse("a job lasts longer than nothing", pair.value_at, pair.value.size());
    }
    part.walltime = *span;
    return true;
  }

  bool StoreValue(const Pair& pair, ResourceSet& resources,
                  std::map<std::string, std::string>& properties) {
    const std::string& name = pair.name;
    const std::string_view value = pair.value;
    const size_t at = pair.value_at;
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
      properties.emplace(name, value);
      return true;
    }
    if (amount == 0 && (name == "ncpus" || sized)) {
      return Refuse(shown + ": at least one is needed", at, value.size());
    }
    if (amount > kLargestAmount) return Refuse(shown + " is too large", at, value.size());
    resources.Set(name, amount);
    return true;
  }

  std::string_view text_;
  const bool whole_;
  size_t at_ = 0;
  bool in_chunks_ = true;
  std::set<std::string> names_;  // names used so far in the chunk, or after the chunks
  Diagnostic wrong_;
};

}  // namespace

Diagnosed<PartText> ParsePart(std::string_view text) { return ChunkParser(text, true).Parse(); }

Diagnosed<std::vector<ChunkText>> ParseChunks(std::string_view text) {
  Diagnosed<PartText> part = ChunkParser(text, false).Parse();
  if (!part.ok()) return part.diagnostic();
  return std::move(part.value().chunks);
}

bool IsAmount(std::string_view value) {
  return AllDigits(value) || (!value.empty() && IsDigit(value[0]) && ParseSize(value).ok());
}

std::string ChunksText(std::span<const ChunkText> chunks) {
  return Joined(chunks, "+", [](const ChunkText& chunk) {
    std::string text = chunk.most == 0 ? std::to_string(chunk.count)
                                       : fmt::format("{}-{}", chunk.least, chunk.most);
    text += fmt::format(":ncpus={}", chunk.resources.Get("ncpus"));
    for (const auto& [name, amount] : chunk.resources.entries()) {
      if (name == "ncpus") continue;
      text +=
          fmt::format(":{}={}", name, name == "mem" ? SizeText(amount) : std::to_string(amount));
    }
    for (const auto& [name, value] : chunk.properties) text += fmt::format(":{}={}", name, value);
    return text;
  });
}

std::string PartToText(const PartText& part) {
  std::string text = ChunksText(part.chunks);
  for (const auto& [name, amount] : part.jobwide.entries()) {
    text += fmt::format(",{}={}", name, amount);
  }
  for (const auto& [name, value] : part.properties) text += fmt::format(",{}={}", name, value);
  if (part.place || part.exclusive) {
    text += ",place=";
    if (part.place) text += kPlaces[static_cast<size_t>(*part.place)];
    if (part.place && part.exclusive) text += ':';
    if (part.exclusive) text += *part.exclusive ? "excl" : "shared";
  }
  if (part.walltime) text += ",walltime=" + DurationText(*part.walltime);
  return text;
}

}  // namespace muster::text
