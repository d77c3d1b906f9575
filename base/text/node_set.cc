// Splits at ':' first: none of the pieces may contain one.
#include "base/text/node_set.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/characters.h"
#include "base/phrases.h"
#include "base/units.h"

namespace muster::text {
namespace {

constexpr char kSetExample[] =
    "as in speed~10%:oneof, speed=80%,100%:firstof:wait=15m, rack:oneof:best or switch:oneof";
constexpr char kChoices[] = "oneof, anyof or firstof";
constexpr size_t kMostDigits = 15;

bool IsWordByte(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-' ||
         c == '.';
}

bool IsWord(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsWordByte);
}

std::optional<NodeSet::Choice> ChoiceOf(std::string_view word) {
  if (word == "oneof") return NodeSet::Choice::kOneOf;
  if (word == "anyof") return NodeSet::Choice::kAnyOf;
  if (word == "firstof") return NodeSet::Choice::kFirstOf;
  return std::nullopt;
}

// One piece of the text, between separators, and where it begins.
struct SetPiece {
  std::string_view text;
  size_t at = 0;
};

std::vector<SetPiece> SetPieces(SetPiece whole, char separator) {
  std::vector<SetPiece> out;
  size_t begin = 0;
  while (true) {
    const size_t end = std::min(whole.text.find(separator, begin), whole.text.size());
    out.push_back({whole.text.substr(begin, end - begin), whole.at + begin});
    if (end == whole.text.size()) return out;
    begin = end + 1;
  }
}

class SetParser {
 public:
  explicit SetParser(std::string_view text) : text_(text) {}

  Diagnosed<NodeSet> Parse() {
    if (text_ == kSwitchAttribute) return NodeSet{.attribute = std::string(text_)};
    if (text_.empty()) return Wrong("no node set is given", {});
    if (text_.size() > kLongestSet) {
      return Wrong("a node set of " + std::to_string(text_.size()) + " bytes", {},
                   "at most " + std::to_string(kLongestSet));
    }
    const std::vector<SetPiece> pieces = SetPieces({text_, 0}, ':');
    NodeSet set;
    if (!ReadGroups(pieces[0], set)) return wrong_;
    if (pieces.size() < 2) {
      return Wrong("how to choose nodes by '" + set.attribute + "' is missing", pieces[0],
                   std::string(pieces[0].text) + ":oneof; also " + kChoices);
    }
    if (!ReadChoice(pieces[1], set)) return wrong_;
    for (size_t i = 2; i < pieces.size(); ++i) {
      if (!ReadMore(pieces[i], set)) return wrong_;
    }
    if (!Check(pieces, set)) return wrong_;
    return set;
  }

 private:
  Diagnostic Wrong(std::string message, SetPiece at, std::string help = kSetExample) {
    wrong_ = Diagnostic{.code = "usage",
                        .message = std::move(message),
                        .where = SourceSpan{},
                        .notes = {},
                        .help = {std::move(help)}};
    wrong_.where->column = static_cast<uint32_t>(at.at + 1);
    wrong_.where->length = static_cast<uint32_t>(std::max<size_t>(at.text.size(), 1));
    wrong_.where->source_line = std::string(text_);
    return wrong_;
  }
  bool Refuse(std::string message, SetPiece at, std::string help = kSetExample) {
    Wrong(std::move(message), at, std::move(help));
    return false;
  }

  // ATTRIBUTE [= VALUES] [~ TOLERANCE]
  bool ReadGroups(SetPiece piece, NodeSet& set) {
    const std::vector<SetPiece> sides = SetPieces(piece, '~');
    if (sides.size() > 2) return Refuse("two tolerances", sides[2]);
    const SetPiece left = sides[0];
    const size_t equals = std::min(left.text.find('='), left.text.size());
    const SetPiece name{left.text.substr(0, equals), left.at};
    if (!IsWord(name.text) || IsDigit(name.text[0])) {
      return Refuse("'" + std::string(name.text) + "' names no attribute of nodes", name,
                    "speed, switch or a property; " + std::string(kSetExample));
    }
    set.attribute = std::string(name.text);
    if (equals < left.text.size()) {
      if (!ReadValues({left.text.substr(equals + 1), left.at + equals + 1}, set)) return false;
    }
    return sides.size() < 2 || ReadTolerance(sides[1], set);
  }

  bool ReadValues(SetPiece list, NodeSet& set) {
    for (const SetPiece& piece : SetPieces(list, ',')) {
      std::string value(piece.text);
      if (set.attribute == kSpeedAttribute) {
        const std::optional<int64_t> speed = ParseSpeed(piece.text);
        if (!speed) {
          return Refuse("'" + value + "' is no speed of a node", piece,
                        "per cent of the reference, 1% to 1000%, as in 80%");
        }
        value = SpeedText(*speed);
      } else if (!IsWord(piece.text)) {
        return Refuse("'" + value + "' is no value of '" + set.attribute + "'", piece);
      }
      if (std::find(set.values.begin(), set.values.end(), value) != set.values.end()) {
        return Refuse("'" + value + "' is named twice", piece, "each value once");
      }
      set.values.push_back(std::move(value));
    }
    if (set.values.size() <= kSetGroups) return true;
    return Refuse("a set of " + std::to_string(set.values.size()) + " values", list,
                  "at most " + std::to_string(kSetGroups));
  }

  bool ReadTolerance(SetPiece piece, NodeSet& set) {
    std::string_view digits = piece.text;
    Tolerance tolerance;
    tolerance.relative = digits.ends_with('%');
    if (tolerance.relative) digits.remove_suffix(1);
    const std::optional<int64_t> most = NumberIn(digits);
    if (!most || *most < 1 || (tolerance.relative && *most > 1000)) {
      return Refuse("'~" + std::string(piece.text) + "' is no tolerance", piece,
                    "per cent of the least value, as in ~10%, or a number, as in ~50");
    }
    tolerance.most = *most;
    if (set.attribute == kSwitchAttribute) {
      return Refuse("a tolerance needs numbers, and switches are none", piece,
                    "switch:oneof, or a tolerance for 'speed' or a property of numbers");
    }
    for (const std::string& value : set.values) {
      if (set.attribute == kSpeedAttribute || NumberIn(value)) continue;
      return Refuse("a tolerance needs numbers, and '" + value + "' is a word", piece,
                    "the values without '~" + std::string(piece.text) + "'");
    }
    set.tolerance = tolerance;
    return true;
  }

  bool ReadChoice(SetPiece piece, NodeSet& set) {
    const std::optional<NodeSet::Choice> choice = ChoiceOf(piece.text);
    if (!choice) {
      return Refuse("'" + std::string(piece.text) + "' is no way to choose nodes", piece, kChoices);
    }
    set.choice = *choice;
    return true;
  }

  bool ReadMore(SetPiece piece, NodeSet& set) {
    constexpr std::string_view kWait = "wait=";
    if (piece.text == "best" && !set.best) {
      set.best = true;
      return true;
    }
    if (!piece.text.starts_with(kWait) || set.wait > Span{0}) {
      return Refuse("'" + std::string(piece.text) + "' says nothing here", piece,
                    "after the choice: best, wait=DURATION or both");
    }
    const std::string_view duration = piece.text.substr(kWait.size());
    const absl::StatusOr<Span> wait = ParseDuration(duration);
    if (!wait.ok() || *wait <= Span{0}) {
      return Refuse("'" + std::string(duration) + "' is no time to wait", piece,
                    DurationHelp(duration));
    }
    set.wait = *wait;
    return true;
  }

  bool Check(const std::vector<SetPiece>& pieces, const NodeSet& set) {
    using Choice = NodeSet::Choice;
    const SetPiece& choice = pieces[1];
    if (set.choice == Choice::kFirstOf && set.values.empty()) {
      return Refuse("'firstof' needs values, in the order in which they are wanted", choice,
                    set.attribute + "=V1,V2:firstof; or oneof, whichever is best");
    }
    if (set.choice == Choice::kAnyOf && set.best) {
      return Refuse("'best' is for oneof and firstof: anyof mixes groups already", pieces[2],
                    "anyof alone, or oneof:best");
    }
    const bool any_speed = set.attribute == kSpeedAttribute || set.tolerance.has_value();
    if (set.choice == Choice::kAnyOf && set.values.empty() && any_speed) {
      return Refuse("'anyof' without values leaves every node", choice,
                    set.attribute + "=V1,V2:anyof; or oneof");
    }
    if (set.wait > Span{0} && !set.best && set.choice != Choice::kFirstOf) {
      return Refuse("'wait' is for best and firstof: nothing else is there to wait for",
                    pieces.back(), "oneof:best:wait=15m, or no wait");
    }
    return true;
  }

  std::string_view text_;
  Diagnostic wrong_;
};

std::string_view WordOf(NodeSet::Choice choice) {
  switch (choice) {
    case NodeSet::Choice::kAnyOf:
      return "anyof";
    case NodeSet::Choice::kFirstOf:
      return "firstof";
    case NodeSet::Choice::kOneOf:
      break;
  }
  return "oneof";
}

}  // namespace

Diagnosed<NodeSet> ParseNodeSet(std::string_view text) { return SetParser(text).Parse(); }

std::string NodeSetText(const NodeSet& set) {
  if (set.IsOneSwitch()) return kSwitchAttribute;
  std::string out = set.attribute;
  if (!set.values.empty()) out += "=" + Joined(set.values, ",");
  if (set.tolerance) {
    out += "~" + std::to_string(set.tolerance->most) + (set.tolerance->relative ? "%" : "");
  }
  out += ":" + std::string(WordOf(set.choice));
  if (set.best) out += ":best";
  if (set.wait > Span{0}) out += ":wait=" + DurationText(set.wait);
  return out;
}

std::optional<int64_t> ParseSpeed(std::string_view text) {
  if (text.ends_with('%')) text.remove_suffix(1);
  int64_t tenths = 0;
  const size_t dot = text.find('.');
  if (dot != std::string_view::npos) {
    if (text.size() != dot + 2 || !IsDigit(text[dot + 1])) return std::nullopt;
    tenths = text[dot + 1] - '0';
    text = text.substr(0, dot);
  }
  const std::optional<int64_t> percent = NumberIn(text);
  if (!percent || *percent > kMostSpeed) return std::nullopt;
  const int64_t speed = *percent * 10 + tenths;
  if (speed < kLeastSpeed || speed > kMostSpeed) return std::nullopt;
  return speed;
}

std::string SpeedText(int64_t thousandths) {
  std::string out = std::to_string(thousandths / 10);
  if (thousandths % 10 != 0) out += "." + std::to_string(thousandths % 10);
  return out + "%";
}

std::optional<int64_t> NumberIn(std::string_view text) {
  if (text.empty() || text.size() > kMostDigits) return std::nullopt;
  int64_t value = 0;
  for (const char c : text) {
    if (!IsDigit(c)) return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

}  // namespace muster::text
