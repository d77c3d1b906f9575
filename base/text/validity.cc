// Parses validities word by word; a field of cron item by item into a bit set.
#include "base/text/validity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/phrases.h"
#include "base/status.h"
#include "base/units.h"

namespace muster::text {
namespace {

constexpr char kForms[] =
    "always, until 2026-12-31, from 2026-12-01 to 2027-02-28, or cron 0 8 * * Mon-Fri for 10h";
constexpr char kDateForms[] = "as in 2026-12-31, 2026-12-31T09:00 or 2026-12-31T09:00Z";
constexpr char kCronForm[] =
    "minute, hour, day, month, weekday, 'for' and a duration, as in cron 0 8 * * Mon-Fri for 10h";

constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::array<std::string_view, 7> kWeekdays = {"Sun", "Mon", "Tue", "Wed",
                                                       "Thu", "Fri", "Sat"};

// The numbers of a field. During parsing weekdays go up to 7, which is Sunday again.
struct Field {
  std::string_view name;
  int first;
  int last;
  std::span<const std::string_view> names;  // names of `first` and the following numbers
  std::string_view example;
};
constexpr std::array<Field, 5> kFields = {{
    {"minute", 0, 59, {}, "as in 0, */15 or 0,30"},
    {"hour", 0, 23, {}, "as in 8, 8-17 or */6"},
    {"day", 1, 31, {}, "as in 1, 1-7 or *"},
    {"month", 1, 12, kMonths, "as in 1, Jan-Mar, */2 or *"},
    {"weekday", 0, 7, kWeekdays, "as in Mon, Mon-Fri, Sat,Sun or *"},
}};
constexpr size_t kWeekdayField = 4;

struct Piece {
  std::string_view text;
  size_t at = 0;
};

std::vector<Piece> WordsOf(std::string_view text) {
  std::vector<Piece> words;
  size_t at = 0;
  while ((at = text.find_first_not_of(" \t\r\n", at)) != std::string_view::npos) {
    const size_t end = std::min(text.find_first_of(" \t\r\n", at), text.size());
    words.push_back({text.substr(at, end - at), at});
    at = end;
  }
  return words;
}

bool SameWord(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

// Parses up to `most_digits` digits.
std::optional<int> Number(std::string_view text, size_t most_digits = 4) {
  if (text.empty() || text.size() > most_digits) return std::nullopt;
  int value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

std::optional<int> TwoDigits(std::string_view text, size_t at) {
  return at + 2 <= text.size() ? Number(text.substr(at, 2), 2) : std::nullopt;
}

// Parses "T09:00" or "T09:00:30", with an optional 'Z', into `point`.
bool ReadTime(std::string_view text, CalendarPoint& point) {
  if (text.ends_with('Z')) {
    point.utc = true;
    text.remove_suffix(1);
  }
  if (text.size() != 6 && text.size() != 9) return false;
  if (text[0] != 'T' || text[3] != ':' || (text.size() == 9 && text[6] != ':')) return false;
  const auto hour = TwoDigits(text, 1);
  const auto minute = TwoDigits(text, 4);
  const auto second = text.size() == 9 ? TwoDigits(text, 7) : std::optional<int>(0);
  if (!hour || !minute || !second) return false;
  point.whole_day = false;
  point.civil.hour = *hour;
  point.civil.minute = *minute;
  point.civil.second = *second;
  return true;
}

class ValidityParser {
 public:
  explicit ValidityParser(std::string_view text) : text_(text), words_(WordsOf(text)) {}

  Diagnosed<Validity> Parse() {
    Validity validity;
    return Read(validity) ? Diagnosed<Validity>(validity) : Diagnosed<Validity>(wrong_);
  }

 private:
  bool Refuse(std::string message, Piece where, std::string help) {
    wrong_ = Diagnostic{.code = "validity", .message = std::move(message), .where = SourceSpan{}};
    wrong_.help = {std::move(help)};
    wrong_.where->column = static_cast<uint32_t>(where.at + 1);
    wrong_.where->length = static_cast<uint32_t>(std::max<size_t>(1, where.text.size()));
    wrong_.where->source_line = std::string(text_);
    return false;
  }
  // The word at `index`; after the last, an empty word at the end of the text.
  Piece Word(size_t index) const {
    return index < words_.size() ? words_[index] : Piece{"", text_.size()};
  }
  static std::string Shown(Piece word) { return word.text.empty() ? "the end" : Quoted(word.text); }
  bool EndsAt(size_t index, const char* help) {
    if (words_.size() == index) return true;
    return Refuse("nothing may follow here, but " + Shown(Word(index)) + " does", Word(index),
                  help);
  }

  bool Read(Validity& validity) {
    const Piece first = Word(0);
    if (first.text.empty()) return Refuse("a validity is missing", first, kForms);
    if (first.text == "always") return EndsAt(1, kForms);
    if (first.text == "until") {
      validity.kind = Validity::Kind::kBetween;
      return ReadDate(1, validity.end) && EndsAt(2, kForms);
    }
    if (first.text == "from") return ReadBetween(validity);
    if (first.text == "cron") return ReadCron(validity);
    return Refuse(Quoted(first.text) + " begins no validity", first, kForms);
  }

  bool ReadBetween(Validity& validity) {
    validity.kind = Validity::Kind::kBetween;
    validity.begin.emplace();
    if (!ReadDate(1, *validity.begin)) return false;
    if (Word(2).text != "to") {
      return Refuse("expected 'to' and a date, not " + Shown(Word(2)), Word(2),
                    "as in from 2026-12-01 to 2027-02-28");
    }
    if (!ReadDate(3, validity.end) || !EndsAt(4, kForms)) return false;
    const CalendarPoint& begin = *validity.begin;
    const CalendarPoint& end = validity.end;
    if (begin.utc != end.utc) {
      return Refuse("one date is of UTC and one of the site's zone", Word(3),
                    "both with a final 'Z', or none");
    }
    Instant last = FromCivil(end.civil);
    if (end.whole_day) last = last + Span{86400};
    if (FromCivil(begin.civil) >= last) {
      return Refuse("it ends before it begins", Word(3),
                    "a date after " + std::string(Word(1).text));
    }
    return true;
  }

  bool ReadDate(size_t index, CalendarPoint& point) {
    const Piece word = Word(index);
    const std::string_view text = word.text;
    if (text.empty()) return Refuse("a date is missing", word, kDateForms);
    const bool dashes = text.size() >= 10 && text[4] == '-' && text[7] == '-';
    const auto year = dashes ? Number(text.substr(0, 4)) : std::nullopt;
    const auto month = dashes ? TwoDigits(text, 5) : std::nullopt;
    const auto day = dashes ? TwoDigits(text, 8) : std::nullopt;
    const bool whole = year && month && day;
    if (!whole || (text.size() > 10 && !ReadTime(text.substr(10), point))) {
      return Refuse(Quoted(text) + " is not a date", word, kDateForms);
    }
    point.civil.year = *year;
    point.civil.month = *month;
    point.civil.day = *day;
    if (ToCivil(FromCivil(point.civil)) != point.civil) {
      return Refuse(Quoted(text) + ": there is no such date or time of day", word, kDateForms);
    }
    return true;
  }

  bool ReadCron(Validity& validity) {
    validity.kind = Validity::Kind::kCron;
    std::array<uint64_t, kFields.size()> sets{};
    for (size_t i = 0; i < kFields.size(); ++i) {
      const Piece word = Word(i + 1);
      if (word.text.empty() || word.text == "for") {
        return Refuse("the " + std::string(kFields[i].name) + " is missing before " + Shown(word),
                      word, kCronForm);
      }
      if (!ReadField(word, i, sets[i])) return false;
    }
    const uint64_t sunday = sets[kWeekdayField] >> 7 & 1;
    CronTimes& times = validity.times;
    times.minutes = sets[0];
    times.hours = static_cast<uint32_t>(sets[1]);
    times.days = static_cast<uint32_t>(sets[2]);
    times.months = static_cast<uint32_t>(sets[3]);
    times.weekdays = static_cast<uint32_t>((sets[kWeekdayField] | sunday) & 0x7F);
    if (Word(6).text != "for") {
      return Refuse("expected 'for' and how long, not " + Shown(Word(6)), Word(6), kCronForm);
    }
    if (!ReadLength(validity.length) || !EndsAt(8, kCronForm)) return false;
    if (CanMatch(times)) return true;
    const Piece days{text_.substr(Word(3).at, Word(4).at + Word(4).text.size() - Word(3).at),
                     Word(3).at};
    return Refuse("this time never comes: no month of " + std::string(Word(4).text) +
                      " has a day " + std::string(Word(3).text),
                  days, "a day that such a month has; the last is at least 28");
  }

  bool ReadLength(Span& length) {
    const Piece word = Word(7);
    const absl::StatusOr<Span> span = ParseDuration(word.text);
    if (!span.ok()) {
      return Refuse(std::string(Text(span.status())), word,
                    word.text.empty() ? kCronForm : DurationHelp(word.text));
    }
    if (*span <= Span{0} || *span > Validity::kLongestOccurrence) {
      return Refuse("each time lasts longer than nothing and at most " +
                        DurationText(Validity::kLongestOccurrence) + ", not " +
                        std::string(word.text),
                    word, "as in for 10h");
    }
    length = *span;
    return true;
  }

  bool ReadField(Piece word, size_t field, uint64_t& set) {
    size_t begin = 0;
    while (true) {
      const size_t end = std::min(word.text.find(',', begin), word.text.size());
      const Piece item{word.text.substr(begin, end - begin), word.at + begin};
      if (!ReadItem(item, field, set)) return false;
      if (end == word.text.size()) return true;
      begin = end + 1;
    }
  }

  bool ReadItem(Piece item, size_t index, uint64_t& set) {
    const Field& field = kFields[index];
    const std::string help(field.example);
    if (item.text.empty()) return Refuse("an item of the list is missing", item, help);
    const size_t slash = item.text.find('/');
    const std::string_view range = item.text.substr(0, slash);
    const size_t dash = range.find('-');
    int first = field.first;
    // For weekdays, "*" contains each day once, so that steps count from Sunday to Saturday.
    int last = index == kWeekdayField ? 6 : field.last;
    if (range != "*") {
      const auto low = Member(range.substr(0, dash), field);
      const auto high =
          dash == std::string_view::npos ? low : Member(range.substr(dash + 1), field);
      if (!low || !high) {
        return Refuse(Quoted(range) + " is no " + std::string(field.name) + ": " + Bounds(field),
                      {range, item.at}, help);
      }
      first = *low;
      last = *high;
      // At the end of a range, Sunday is the one after Saturday.
      if (index == kWeekdayField && last == 0 && first > 0) last = 7;
    }
    if (last < first) {
      return Refuse(
          "the range " + std::string(range) + " falls", {range, item.at},
          "two ranges by comma, as in " +
              (index == kWeekdayField ? std::string("Fri-Sun,Mon") : std::string("22-23,0-5")));
    }
    int step = 1;
    if (slash != std::string_view::npos) {
      const auto given = Number(item.text.substr(slash + 1));
      if (!given || *given < 1 || (range != "*" && dash == std::string_view::npos)) {
        return Refuse(Quoted(item.text) + ": after '*' or a range, '/' and a number from 1 on",
                      item, "as in */2 or 8-18/2");
      }
      step = *given;
    }
    for (int member = first; member <= last; member += step) set |= uint64_t{1} << member;
    return true;
  }

  static std::optional<int> Member(std::string_view text, const Field& field) {
    for (size_t i = 0; i < field.names.size(); ++i) {
      if (SameWord(text, field.names[i])) return field.first + static_cast<int>(i);
    }
    const std::optional<int> number = Number(text);
    if (!number || *number < field.first || *number > field.last) return std::nullopt;
    return number;
  }

  static std::string Bounds(const Field& field) {
    std::string text = fmt::format("{} to {}", field.first, field.last);
    if (!field.names.empty()) {
      text += fmt::format(", {} to {}", field.names.front(), field.names.back());
    }
    return text;
  }

  std::string_view text_;
  const std::vector<Piece> words_;
  Diagnostic wrong_;
};

std::string MemberText(int member, const Field& field) {
  if (field.names.empty()) return std::to_string(member);
  return std::string(field.names[static_cast<size_t>(member - field.first)]);
}

// The step whose multiples, from the first value to the last, make up the set; 0 if there is none.
int StepOf(uint64_t set, int first, int last) {
  if ((set >> first & 1) == 0 || std::popcount(set) < 3) return 0;
  const int step = std::countr_zero(set >> (first + 1)) + 1;
  uint64_t stepped = 0;
  for (int member = first; member <= last; member += step) stepped |= uint64_t{1} << member;
  return stepped == set ? step : 0;
}

std::string FieldText(uint64_t set, size_t index) {
  const Field& field = kFields[index];
  const int last = index == kWeekdayField ? 6 : field.last;
  const int step = StepOf(set, field.first, last);
  if (step == 1) return "*";
  if (step > 1) return fmt::format("*/{}", step);
  std::vector<std::string> ranges;
  for (int member = field.first; member <= last; ++member) {
    if ((set >> member & 1) == 0) continue;
    const int begin = member;
    while (member < last && (set >> (member + 1) & 1) != 0) ++member;
    std::string range = MemberText(begin, field);
    if (member > begin) range += (member == begin + 1 ? "," : "-") + MemberText(member, field);
    ranges.push_back(std::move(range));
  }
  return Joined(ranges, ",");
}

std::string DateText(const CalendarPoint& point) {
  const Civil& c = point.civil;
  std::string text = fmt::format("{:04}-{:02}-{:02}", c.year, c.month, c.day);
  if (point.whole_day) return text;
  text += fmt::format("T{:02}:{:02}", c.hour, c.minute);
  if (c.second != 0) text += fmt::format(":{:02}", c.second);
  return text + (point.utc ? "Z" : "");
}

}  // namespace

Diagnosed<Validity> ParseValidity(std::string_view text) { return ValidityParser(text).Parse(); }

std::string ValidityText(const Validity& validity) {
  if (validity.kind == Validity::Kind::kAlways) return "always";
  if (validity.kind == Validity::Kind::kBetween) {
    if (!validity.begin) return "until " + DateText(validity.end);
    return "from " + DateText(*validity.begin) + " to " + DateText(validity.end);
  }
  const CronTimes& times = validity.times;
  const uint64_t sets[] = {times.minutes, times.hours, times.days, times.months, times.weekdays};
  std::string text = "cron";
  for (size_t i = 0; i < kFields.size(); ++i) text += " " + FieldText(sets[i], i);
  return text + " for " + DurationText(validity.length);
}

}  // namespace muster::text
