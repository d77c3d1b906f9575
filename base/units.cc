// Hand-written scanners: the texts are short, and each error has its own message.
#include "base/units.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "base/characters.h"

namespace muster {
namespace {

constexpr std::string_view kForms = "as in 90s, 1h30m, 2d, 08:00:00 or 1-12:00:00";

bool AllDigits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsDigit);
}

// Takes the digits at the front of `text`; none if there are none or the number exceeds 10^15.
std::optional<int64_t> TakeNumber(std::string_view& text) {
  constexpr int64_t kMost = 1'000'000'000'000'000;
  if (text.empty() || !IsDigit(text.front())) return std::nullopt;
  int64_t value = 0;
  while (!text.empty() && IsDigit(text.front())) {
    value = value * 10 + (text.front() - '0');
    if (value > kMost) return std::nullopt;
    text.remove_prefix(1);
  }
  return value;
}

// Spells a number: "thirty", "forty-five"; digits from a hundred on.
std::string InWords(std::string_view digits) {
  static constexpr std::array<std::string_view, 20> kSmall = {
      "zero",     "one",     "two",     "three",     "four",     "five",    "six",
      "seven",    "eight",   "nine",    "ten",       "eleven",   "twelve",  "thirteen",
      "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
  static constexpr std::array<std::string_view, 10> kTens = {
      "", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"};
  std::string_view rest = digits;
  const std::optional<int64_t> number = TakeNumber(rest);
  if (!number || *number >= 100) return std::string(digits);
  const auto n = static_cast<size_t>(*number);
  if (n < 20) return std::string(kSmall[n]);
  std::string out(kTens[n / 10]);
  if (n % 10 != 0) out += "-" + std::string(kSmall[n % 10]);
  return out;
}

bool IsMinutesAndSeconds(std::string_view text) {
  const size_t colon = text.find(':');
  return colon != std::string_view::npos && AllDigits(text.substr(0, colon)) &&
         AllDigits(text.substr(colon + 1));
}

absl::Status NotADuration(std::string_view text) {
  return InvalidArgument("'" + std::string(text) + "' is not a duration");
}

absl::Status TooLong() {
  return InvalidArgument("a duration is at most " + DurationText(kLongestDuration));
}

// Parses "[D-]HH:MM:SS" to seconds.
absl::StatusOr<int64_t> ParseClock(std::string_view text) {
  std::string_view rest = text;
  int64_t days = 0;
  const bool with_days = rest.find('-') != std::string_view::npos;
  if (with_days) {
    const std::optional<int64_t> number = TakeNumber(rest);
    if (!number || rest.empty() || rest.front() != '-') return NotADuration(text);
    rest.remove_prefix(1);
    days = *number;
  }
  std::array<int64_t, 3> fields{};
  for (size_t i = 0; i < fields.size(); ++i) {
    const std::optional<int64_t> number = TakeNumber(rest);
    if (!number) return NotADuration(text);
    fields[i] = *number;
    if (i + 1 == fields.size()) break;
    if (rest.empty() || rest.front() != ':') return NotADuration(text);
    rest.remove_prefix(1);
  }
  if (!rest.empty()) return NotADuration(text);
  if (fields[1] > 59) return InvalidArgument("minutes go to 59, not " + std::to_string(fields[1]));
  if (fields[2] > 59) return InvalidArgument("seconds go to 59, not " + std::to_string(fields[2]));
  if (with_days && fields[0] > 23) {
    return InvalidArgument("after days, hours go to 23, not " + std::to_string(fields[0]));
  }
  if (std::max(days, fields[0]) > kLongestDuration.seconds) return TooLong();
  return days * 86400 + fields[0] * 3600 + fields[1] * 60 + fields[2];
}

struct Unit {
  std::string_view name;
  int64_t milliseconds;
};
constexpr std::array<Unit, 5> kUnits = {
    {{"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}, {"ms", 1}}};

// Parses "1h30m" to milliseconds, with the first `units` units of kUnits.
absl::StatusOr<int64_t> ParseUnits(std::string_view text, size_t units) {
  std::string_view rest = text;
  int64_t total = 0;
  size_t next = 0;  // earlier units may not occur any more
  while (!rest.empty()) {
    const std::optional<int64_t> number = TakeNumber(rest);
    if (!number) return NotADuration(text);
    const size_t letters = std::min(
        rest.size(),
        static_cast<size_t>(std::find_if(rest.begin(), rest.end(), IsDigit) - rest.begin()));
    const std::string_view name = rest.substr(0, letters);
    rest.remove_prefix(letters);
    size_t unit = next;
    while (unit < units && kUnits[unit].name != name) ++unit;
    if (unit == units) return NotADuration(text);
    next = unit + 1;
    if (*number > kLongestDuration.seconds * 1000 / kUnits[unit].milliseconds) return TooLong();
    total += *number * kUnits[unit].milliseconds;
  }
  return total;
}

absl::StatusOr<int64_t> ParseMilliseconds(std::string_view text, size_t units) {
  if (text.empty()) return InvalidArgument("a duration is missing");
  if (text.front() == '-') return InvalidArgument("a duration is not negative");
  if (AllDigits(text)) return InvalidArgument(InWords(text) + " what?");
  if (IsMinutesAndSeconds(text)) {
    return InvalidArgument("'" + std::string(text) +
                           "': minutes and seconds, or hours and minutes?");
  }
  int64_t milliseconds = 0;
  if (text.find(':') != std::string_view::npos) {
    MUSTER_ASSIGN_OR_RETURN(const int64_t seconds, ParseClock(text));
    if (seconds > kLongestDuration.seconds) return TooLong();
    milliseconds = seconds * 1000;
  } else {
    MUSTER_ASSIGN_OR_RETURN(milliseconds, ParseUnits(text, units));
  }
  if (milliseconds > kLongestDuration.seconds * 1000) return TooLong();
  return milliseconds;
}

std::string UnitsText(int64_t milliseconds) {
  std::string out;
  for (const Unit& unit : kUnits) {
    const int64_t count = milliseconds / unit.milliseconds;
    milliseconds %= unit.milliseconds;
    if (count > 0) out += std::to_string(count) + std::string(unit.name);
  }
  return out.empty() ? "0s" : out;
}

constexpr std::array<std::string_view, 5> kSizeUnits = {"b", "kb", "mb", "gb", "tb"};

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

// Node names exclude the characters that other notations need: '/', ':', ',', '+', brackets and
// blanks.
bool IsNameCharacter(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-' ||
         c == '.';
}

struct Names {
  std::vector<std::string> list;
  std::set<std::string, std::less<>> seen;
};

absl::Status AddName(std::string name, Names& names) {
  if (names.list.size() == kNamesInRange) {
    return InvalidArgument("more than " + std::to_string(kNamesInRange) + " names");
  }
  if (!names.seen.insert(name).second) return InvalidArgument("'" + name + "' stands twice");
  names.list.push_back(std::move(name));
  return absl::OkStatus();
}

// Adds one "7" or "01-12" between brackets; `after` follows the closing bracket.
absl::Status AddRange(std::string_view before, std::string_view range, std::string_view after,
                      Names& names) {
  const size_t dash = range.find('-');
  const std::string_view low = range.substr(0, dash);
  const std::string_view high = dash == std::string_view::npos ? low : range.substr(dash + 1);
  std::string_view low_rest = low;
  std::string_view high_rest = high;
  const std::optional<int64_t> first = TakeNumber(low_rest);
  const std::optional<int64_t> last = TakeNumber(high_rest);
  if (!first || !last || !low_rest.empty() || !high_rest.empty()) {
    return InvalidArgument("'" + std::string(range) + "' is not a number or a range as in 1-16");
  }
  if (*last < *first) return InvalidArgument("the range " + std::string(range) + " falls");
  const size_t width = low.size() > 1 && low.front() == '0' ? low.size() : 0;
  for (int64_t n = *first; n <= *last; ++n) {
    std::string digits = std::to_string(n);
    if (digits.size() < width) digits.insert(0, width - digits.size(), '0');
    MUSTER_RETURN_IF_ERROR(AddName(std::string(before) + digits + std::string(after), names));
  }
  return absl::OkStatus();
}

// Adds one name or one bracketed set of names, without a comma outside of brackets.
absl::Status AddExpression(std::string_view text, Names& names) {
  const size_t open = text.find('[');
  const size_t close = text.find(']');
  const bool bracketed = open != std::string_view::npos;
  if (bracketed != (close != std::string_view::npos) || (bracketed && close < open)) {
    return InvalidArgument("a bracket is missing in '" + std::string(text) + "'");
  }
  const std::string_view before = text.substr(0, open);
  const std::string_view after = bracketed ? text.substr(close + 1) : "";
  if (text.empty()) return InvalidArgument("a name is missing");
  for (std::string_view piece : {before, after}) {
    const auto odd = std::find_if_not(piece.begin(), piece.end(), IsNameCharacter);
    if (odd == piece.end()) continue;
    if (*odd == '[' || *odd == ']') {
      return InvalidArgument("one pair of brackets per name, not '" + std::string(text) + "'");
    }
    return InvalidArgument("names are made of letters, digits, '.', '_' and '-', not '" +
                           std::string(text) + "'");
  }
  if (!bracketed) return AddName(std::string(text), names);
  std::string_view ranges = text.substr(open + 1, close - open - 1);
  while (true) {
    const size_t comma = ranges.find(',');
    MUSTER_RETURN_IF_ERROR(AddRange(before, ranges.substr(0, comma), after, names));
    if (comma == std::string_view::npos) return absl::OkStatus();
    ranges.remove_prefix(comma + 1);
  }
}

}  // namespace

absl::StatusOr<Span> ParseDuration(std::string_view text) {
  MUSTER_ASSIGN_OR_RETURN(const int64_t milliseconds, ParseMilliseconds(text, kUnits.size() - 1));
  return Span{milliseconds / 1000};
}

absl::StatusOr<BootSpan> ParseBootSpan(std::string_view text) {
  MUSTER_ASSIGN_OR_RETURN(const int64_t milliseconds, ParseMilliseconds(text, kUnits.size()));
  return Milliseconds(milliseconds);
}

std::string DurationHelp(std::string_view text) {
  constexpr size_t kLongestQuoted = 9;
  if (text.size() > kLongestQuoted) return std::string(kForms);
  const std::string quoted(text);
  if (AllDigits(text)) return quoted + "m or " + quoted + "s";
  if (IsMinutesAndSeconds(text)) return "00:" + quoted + " or " + quoted + ":00";
  return std::string(kForms);
}

std::string DurationText(Span span) { return UnitsText(span.seconds * 1000); }
std::string DurationText(BootSpan span) { return UnitsText(span.milliseconds); }

absl::StatusOr<int64_t> ParseSize(std::string_view text) {
  if (text.empty()) return InvalidArgument("a size is missing");
  if (text.front() == '-') return InvalidArgument("a size is not negative");
  std::string_view rest = text;
  const std::optional<int64_t> number = TakeNumber(rest);
  if (!number) return InvalidArgument("'" + std::string(text) + "' is not a size");
  if (rest.starts_with('.')) {
    return InvalidArgument("'" + std::string(text) +
                           "': sizes are whole numbers, the next smaller unit helps");
  }
  std::string unit = rest.empty() ? "b" : Lower(rest);
  if (unit.size() == 1 && unit != "b") unit += 'b';
  const auto found = std::find(kSizeUnits.begin(), kSizeUnits.end(), unit);
  if (found == kSizeUnits.end()) {
    return InvalidArgument("unknown unit '" + std::string(rest) +
                           "'; sizes end in b, kb, mb, gb or tb");
  }
  const int64_t factor = int64_t{1} << (10 * (found - kSizeUnits.begin()));
  constexpr int64_t kLargest = int64_t{1} << 60;  // keeps sums over many nodes within 63 bits
  if (*number > kLargest / factor)
    return InvalidArgument("a size is at most " + SizeText(kLargest));
  return *number * factor;
}

absl::StatusOr<int64_t> ParseCredits(std::string_view text) {
  constexpr int64_t kMost = 1'000'000'000;
  constexpr size_t kDecimals = 6;
  const auto wrong = [&] {
    return InvalidArgument("'" + std::string(text) + "' is no amount of credits");
  };
  std::string_view rest = text;
  const bool below_zero = rest.starts_with('-');
  if (below_zero) rest.remove_prefix(1);
  const std::optional<int64_t> whole = TakeNumber(rest);
  if (!whole) return wrong();
  if (*whole > kMost) return InvalidArgument("an amount is at most 1000000000 credits");
  int64_t amount = *whole * 1'000'000;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    if (rest.empty()) return wrong();
    if (rest.size() > kDecimals) return InvalidArgument("credits have at most six decimals");
    int64_t digit = 100'000;
    for (; !rest.empty() && rest[0] >= '0' && rest[0] <= '9'; rest.remove_prefix(1), digit /= 10) {
      amount += (rest[0] - '0') * digit;
    }
  }
  if (!rest.empty()) return wrong();
  if (amount > kMost * 1'000'000) {
    return InvalidArgument("an amount is at most 1000000000 credits");
  }
  return below_zero ? -amount : amount;
}

std::string CreditsText(int64_t millionths) {
  const bool below_zero = millionths < 0;
  const uint64_t amount = below_zero ? -static_cast<uint64_t>(millionths) : millionths;
  std::string out = (below_zero ? "-" : "") + std::to_string(amount / 1'000'000);
  std::string decimals = std::to_string(1'000'000 + amount % 1'000'000).substr(1);
  decimals.erase(decimals.find_last_not_of('0') + 1);
  return decimals.empty() ? out : out + "." + decimals;
}

std::string SizeText(int64_t bytes) {
  size_t unit = 0;
  while (unit + 1 < kSizeUnits.size() && bytes != 0 && bytes % 1024 == 0) {
    bytes /= 1024;
    ++unit;
  }
  return std::to_string(bytes) + std::string(kSizeUnits[unit]);
}

absl::StatusOr<std::vector<std::string>> ExpandNames(std::string_view text) {
  Names names;
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && depth <= 0)) {
      MUSTER_RETURN_IF_ERROR(AddExpression(text.substr(begin, i - begin), names));
      begin = i + 1;
    } else if (text[i] == '[') {
      ++depth;
    } else if (text[i] == ']') {
      --depth;
    }
  }
  return std::move(names.list);
}

}  // namespace muster
