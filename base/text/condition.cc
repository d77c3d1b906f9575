// A recursive-descent parser with one function per line of the grammar. Only brackets and "not"
// recurse, so their nesting is limited.
#include "base/text/condition.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/characters.h"
#include "base/check.h"
#include "base/phrases.h"
#include "base/status.h"
#include "base/units.h"

namespace muster::text {
namespace {

using Operator = Comparison::Operator;
using Subject = Comparison::Subject;
using Kind = Condition::Kind;

constexpr char kConditionExample[] = "as in ncpus < 4 and (duration <= 12h or group in (g1, g2))";
constexpr std::string_view kOperators = "<, <=, >, >=, =, != or in";

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
// Characters of a word without quotes: names, numbers with units, durations like 08:00:00.
bool IsWord(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-' ||
         c == '.' || c == ':';
}
// The subjects that have a name of their own.
constexpr std::pair<std::string_view, Subject> kSubjects[] = {
    {"user", Subject::kUser},         {"group", Subject::kGroup}, {"account", Subject::kAccount},
    {"qos", Subject::kQos},           {"queue", Subject::kQueue}, {"class", Subject::kClass},
    {"duration", Subject::kDuration},
};
const std::pair<std::string_view, Subject>* FindSubject(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kSubjects), std::end(kSubjects),
                   [name](const auto& subject) { return subject.first == name; });
  return found == std::end(kSubjects) ? nullptr : found;
}
bool IsKeyword(std::string_view word) {
  return word == "and" || word == "or" || word == "not" || word == "in";
}

struct Token {
  enum class Kind { kWord, kText, kSign, kEnd };
  Kind kind = Kind::kEnd;
  std::string text;  // without its quotes
  size_t at = 0;     // position in the whole text, in bytes
  size_t length = 1;
  bool Is(std::string_view sign) const { return kind != Kind::kText && text == sign; }
};

class ConditionParser {
 public:
  ConditionParser(std::string_view text, const ConditionNames& names)
      : text_(text), names_(names) {}

  Diagnosed<Condition> Parse() {
    if (!Next()) return wrong_;
    if (token_.kind == Token::Kind::kEnd) {
      Refuse("a condition is missing", token_);
      return wrong_;
    }
    Condition condition;
    if (!ReadAlternatives(condition, 0)) return wrong_;
    if (token_.kind == Token::Kind::kEnd) return condition;
    Refuse(token_.Is(")") ? "this ')' closes nothing"
                          : "expected 'and', 'or' or the end, not " + Shown(token_),
           token_);
    return wrong_;
  }

 private:
  bool Refuse(std::string message, const Token& token, std::string help = kConditionExample,
              std::string note = "") {
    wrong_ = Diagnostic{.code = "condition", .message = std::move(message), .where = SourceSpan{}};
    wrong_.help = {std::move(help)};
    wrong_.where->column = static_cast<uint32_t>(token.at + 1);
    wrong_.where->length = static_cast<uint32_t>(std::max<size_t>(1, token.length));
    wrong_.where->source_line = std::string(text_);
    wrong_.where->caret_note = std::move(note);
    return false;
  }
  static std::string Shown(const Token& token) {
    return token.kind == Token::Kind::kEnd ? "the end" : "'" + token.text + "'";
  }

  // Reads the next token; false if there is no valid one.
  bool Next() {
    while (at_ < text_.size() && IsSpace(text_[at_])) ++at_;
    token_ = Token{.kind = Token::Kind::kEnd, .text = "", .at = at_, .length = 1};
    if (at_ == text_.size()) return true;
    const char c = text_[at_];
    if (c == '\'' || c == '"') return NextQuoted(c);
    size_t end = at_;
    if (IsWord(c)) {
      while (end < text_.size() && IsWord(text_[end])) ++end;
      token_.kind = Token::Kind::kWord;
    } else {
      constexpr std::string_view kSigns = "<>=!(),";
      if (kSigns.find(c) == std::string_view::npos) {
        return Refuse(std::string("unexpected '") + c + "'", token_);
      }
      const bool two = at_ + 1 < text_.size() && text_[at_ + 1] == '=' &&
                       (c == '<' || c == '>' || c == '=' || c == '!');
      end = at_ + (two ? 2 : 1);
      token_.kind = Token::Kind::kSign;
    }
    token_.text = std::string(text_.substr(at_, end - at_));
    token_.length = end - at_;
    at_ = end;
    return true;
  }

  bool NextQuoted(char quote) {
    const size_t close = text_.find(quote, at_ + 1);
    if (close == std::string_view::npos) {
      return Refuse(std::string("this ") + quote + " is never closed", token_);
    }
    token_.kind = Token::Kind::kText;
    token_.text = std::string(text_.substr(at_ + 1, close - at_ - 1));
    token_.length = close + 1 - at_;
    at_ = close + 1;
    return true;
  }

  bool ReadAlternatives(Condition& out, size_t depth) {
    if (!ReadAll(out, depth)) return false;
    while (token_.Is("or")) {
      Condition right;
      if (!Next() || !ReadAll(right, depth)) return false;
      out = Condition::Or(std::move(out), std::move(right));
    }
    return true;
  }

  bool ReadAll(Condition& out, size_t depth) {
    if (!ReadOne(out, depth)) return false;
    while (token_.Is("and")) {
      Condition right;
      if (!Next() || !ReadOne(right, depth)) return false;
      out = Condition::And(std::move(out), std::move(right));
    }
    return true;
  }

  bool ReadOne(Condition& out, size_t depth) {
    const bool negated = token_.Is("not");
    if (!negated && !token_.Is("(")) return ReadComparison(out);
    if (depth == Condition::kDeepest) {
      return Refuse(fmt::format("brackets and 'not' stand inside each other at most {} times",
                                Condition::kDeepest),
                    token_, "say it with fewer brackets");
    }
    const Token open = token_;
    if (!Next()) return false;
    if (negated) {
      if (!ReadOne(out, depth + 1)) return false;
      out = Condition::Not(std::move(out));
      return true;
    }
    if (!ReadAlternatives(out, depth + 1)) return false;
    if (token_.kind == Token::Kind::kEnd) return Refuse("this '(' is never closed", open);
    if (!token_.Is(")")) return Refuse("expected 'and', 'or' or ')', not " + Shown(token_), token_);
    return Next();
  }

  bool ReadComparison(Condition& out) {
    Comparison comparison;
    if (++comparisons_ > Condition::kMostComparisons) {
      return Refuse(
          fmt::format("a condition has at most {} comparisons", Condition::kMostComparisons),
          token_, "say it with 'in (...)', or with a group");
    }
    bool negated = false;
    if (!ReadName(comparison) || !ReadOperator(comparison, negated) || !ReadValues(comparison)) {
      return false;
    }
    out = Condition(std::move(comparison));
    if (negated) out = Condition::Not(std::move(out));
    return true;
  }

  bool ReadName(Comparison& comparison) {
    if (token_.kind != Token::Kind::kWord || IsKeyword(token_.text)) {
      return Refuse("expected what is to be compared, not " + Shown(token_), token_);
    }
    const std::string& name = token_.text;
    const auto listed = [&name](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    if (const auto* const subject = FindSubject(name)) {
      comparison.subject = subject->second;
    } else if (listed(names_.resources)) {
      comparison.subject = Subject::kAmount;
      comparison.name = name;
    } else if (listed(names_.properties)) {
      comparison.subject = Subject::kProperty;
      comparison.name = name;
    } else {
      return RefuseName();
    }
    name_ = token_;
    return Next();
  }

  bool RefuseName() {
    std::vector<std::string> known;
    for (const auto& [word, subject] : kSubjects) known.emplace_back(word);
    known.insert(known.end(), names_.resources.begin(), names_.resources.end());
    known.insert(known.end(), names_.properties.begin(), names_.properties.end());
    std::string help = "declared: ";
    for (const std::string& name : known) help += (name == known[0] ? "" : ", ") + name;
    return Refuse("unknown name '" + token_.text + "'", token_, std::move(help),
                  DidYouMean(token_.text, known));
  }

  bool ReadOperator(Comparison& comparison, bool& negated) {
    const Token sign = token_;
    if (token_.Is("not")) {
      negated = true;
      if (!Next()) return false;
      if (!token_.Is("in")) {
        return Refuse("expected 'in' after 'not', not " + Shown(token_), token_,
                      "as in user not in (alice, bob)");
      }
    }
    const std::pair<std::string_view, Operator> signs[] = {
        {"<", Operator::kLess},     {"<=", Operator::kAtMost}, {">=", Operator::kAtLeast},
        {">", Operator::kMore},     {"=", Operator::kEqual},   {"==", Operator::kEqual},
        {"!=", Operator::kUnequal}, {"in", Operator::kIn}};
    const auto* const found =
        std::find_if(std::begin(signs), std::end(signs),
                     [this](const auto& candidate) { return token_.Is(candidate.first); });
    if (found == std::end(signs)) {
      return Refuse("expected " + std::string(kOperators) + " after '" + name_.text + "', not " +
                        Shown(token_),
                    token_);
    }
    comparison.op = found->second;
    if (IsOfTexts(comparison.subject) && comparison.op < Operator::kEqual) {
      return Refuse("'" + name_.text + "' has no order; it compares by =, != and in", sign,
                    "as in " + name_.text + " = a or " + name_.text + " in (a, b)");
    }
    return Next();
  }

  bool ReadValues(Comparison& comparison) {
    if (comparison.op != Operator::kIn) return ReadValue(comparison);
    const Token open = token_;
    if (!token_.Is("(")) {
      return Refuse("expected '(' after 'in', not " + Shown(token_), token_,
                    "as in " + name_.text + " in (a, b)");
    }
    do {
      if (!Next() || !ReadValue(comparison)) return false;
    } while (token_.Is(","));
    if (token_.kind == Token::Kind::kEnd) return Refuse("this '(' is never closed", open);
    if (!token_.Is(")")) return Refuse("expected ',' or ')', not " + Shown(token_), token_);
    return Next();
  }

  bool ReadValue(Comparison& comparison) {
    const bool texts = IsOfTexts(comparison.subject);
    const bool word = token_.kind == Token::Kind::kWord && !IsKeyword(token_.text);
    if (!word && !(texts && token_.kind == Token::Kind::kText)) {
      const std::string what = comparison.subject == Subject::kDuration ? "a duration"
                               : texts                                  ? "a name"
                                                                        : "an amount";
      return Refuse("expected " + what + ", not " + Shown(token_), token_);
    }
    if (texts) {
      if (token_.text.empty()) return Refuse("this text is empty", token_);
      const bool of_class =
          token_.text == Comparison::kInteractive || token_.text == Comparison::kBatch;
      if (comparison.subject == Subject::kClass && !of_class) {
        return Refuse("there is no class '" + token_.text + "'", token_,
                      "class = interactive or class = batch");
      }
      comparison.texts.push_back(token_.text);
      return Next();
    }
    const bool duration = comparison.subject == Subject::kDuration;
    std::string help = duration ? DurationHelp(token_.text) : "as in ncpus < 4 or mem >= 80gb";
    absl::StatusOr<int64_t> number = int64_t{0};
    if (duration) {
      const absl::StatusOr<Span> span = ParseDuration(token_.text);
      number = span.ok() ? absl::StatusOr<int64_t>(span->seconds) : span.status();
    } else {
      number = ParseSize(token_.text);
    }
    if (!number.ok()) {
      return Refuse(name_.text + ": " + std::string(Text(number.status())), token_,
                    std::move(help));
    }
    comparison.numbers.push_back(*number);
    return Next();
  }

  std::string_view text_;
  const ConditionNames& names_;
  size_t at_ = 0;
  Token token_;  // the next token
  Token name_;   // name of the current comparison
  size_t comparisons_ = 0;
  Diagnostic wrong_;
};

std::string ValueText(const std::string& text) {
  const bool plain =
      !text.empty() && std::all_of(text.begin(), text.end(), IsWord) && !IsKeyword(text);
  if (plain) return text;
  const char quote = text.find('\'') == std::string::npos ? '\'' : '"';
  return quote + text + quote;
}

std::vector<std::string> ValuesOf(const Comparison& comparison) {
  std::vector<std::string> values;
  for (const std::string& text : comparison.texts) values.push_back(ValueText(text));
  for (const int64_t number : comparison.numbers) {
    if (comparison.subject == Subject::kDuration) {
      values.push_back(DurationText(Span{number}));
    } else {
      // Prints multiples of a megabyte as sizes; other numbers were probably meant as counts.
      constexpr int64_t kMegabyte = int64_t{1} << 20;
      const bool size = number >= kMegabyte && number % kMegabyte == 0;
      values.push_back(size ? SizeText(number) : std::to_string(number));
    }
  }
  return values;
}

std::string ComparisonText(const Comparison& comparison) {
  constexpr std::string_view kSigns[] = {" < ", " <= ", " >= ", " > ", " = ", " != ", " in "};
  std::string text = comparison.name;
  for (const auto& [word, subject] : kSubjects) {
    if (subject == comparison.subject) text = word;
  }
  text += kSigns[static_cast<size_t>(comparison.op)];
  const std::vector<std::string> values = ValuesOf(comparison);
  if (comparison.op != Operator::kIn) return text + values[0];
  return text + "(" + Joined(values) + ")";
}

// A printed operand, and its outermost operator.
struct Written {
  Kind kind;
  std::string text;
};

std::string InBrackets(const Written& piece, bool needed) {
  return needed ? "(" + piece.text + ")" : piece.text;
}

}  // namespace

const std::vector<std::string>& ConditionWords() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> out = {"and", "or", "not", "in"};
    for (const auto& [word, subject] : kSubjects) out.emplace_back(word);
    return out;
  }();
  return words;
}

Diagnosed<Condition> ParseCondition(std::string_view text, const ConditionNames& names) {
  return ConditionParser(text, names).Parse();
}

std::string ConditionText(const Condition& condition) {
  std::vector<Written> pieces;
  for (const Condition::Step& step : condition.steps()) {
    if (step.kind == Kind::kComparison) {
      pieces.push_back({Kind::kComparison, ComparisonText(step.comparison)});
      continue;
    }
    const Written last = std::move(pieces.back());
    if (step.kind == Kind::kNot) {
      pieces.back() = {
          Kind::kNot, "not " + InBrackets(last, last.kind == Kind::kAnd || last.kind == Kind::kOr)};
      continue;
    }
    pieces.pop_back();
    const Written first = std::move(pieces.back());
    const bool is_and = step.kind == Kind::kAnd;
    // Operators associate to the left, so an equal operator needs brackets only on the right.
    const bool left = is_and && first.kind == Kind::kOr;
    const bool right = last.kind == Kind::kOr || (is_and && last.kind == Kind::kAnd);
    pieces.back() = {
        step.kind, InBrackets(first, left) + (is_and ? " and " : " or ") + InBrackets(last, right)};
  }
  MUSTER_CHECK(pieces.size() <= 1);
  return pieces.empty() ? "" : pieces[0].text;
}

}  // namespace muster::text
