// Recognises the form of the time, then resolves it with the calendar.
#include "base/text/when.h"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "base/phrases.h"
#include "base/status.h"
#include "base/units.h"

namespace muster::text {
namespace {

constexpr char kWhenHelp[] = "as in 22:30, 2026-11-21T09:00, 2026-11-21T09:00Z or now+2h";

Diagnostic Wrong(std::string message, std::string help = kWhenHelp) {
  return Diagnostic{.code = "usage",
                    .message = std::move(message),
                    .where = {},
                    .notes = {},
                    .help = {std::move(help)}};
}

// Parses "HH:MM" or "HH:MM:SS" into the time fields of `civil`.
bool ReadTimeOfDay(std::string_view text, Civil& civil) {
  const auto digits = [&](size_t at) -> int32_t {
    const char high = text[at], low = text[at + 1];
    if (high < '0' || high > '9' || low < '0' || low > '9') return -1;
    return (high - '0') * 10 + (low - '0');
  };
  if (text.size() != 5 && text.size() != 8) return false;
  if (text[2] != ':' || (text.size() == 8 && text[5] != ':')) return false;
  civil.hour = digits(0);
  civil.minute = digits(3);
  civil.second = text.size() == 8 ? digits(6) : 0;
  return civil.hour >= 0 && civil.minute >= 0 && civil.second >= 0;
}

bool InRange(const Civil& civil) {
  return civil.hour <= 23 && civil.minute <= 59 && civil.second <= 59;
}

// Parses "YYYY-MM-DD".
bool ReadDate(std::string_view text, Civil& civil) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  int32_t numbers[3] = {0, 0, 0};
  for (size_t i = 0, field = 0; i < text.size(); ++i) {
    if (i == 4 || i == 7) {
      ++field;
    } else if (text[i] < '0' || text[i] > '9') {
      return false;
    } else {
      numbers[field] = numbers[field] * 10 + (text[i] - '0');
    }
  }
  civil.year = numbers[0];
  civil.month = numbers[1];
  civil.day = numbers[2];
  return true;
}

Diagnosed<Instant> NextTimeOfDay(std::string_view text, Civil time, Instant now, const Zone& zone) {
  if (!InRange(time)) return Wrong(Quoted(text) + ": there is no such time of day");
  const Civil today = zone.Local(now);
  // The time of today may be over. So may that of tomorrow, if a zone change repeats a whole day;
  // three days are enough.
  for (int32_t days = 0; days < 3; ++days) {
    const Instant at = zone.FromLocal(
        {today.year, today.month, today.day + days, time.hour, time.minute, time.second});
    if (at > now) return at;
  }
  return Wrong(Quoted(text) + ": there is no such time in the next days");
}

Diagnosed<Instant> FromNow(std::string_view text, Instant now) {
  if (text == "now") return now;
  if (text[3] != '+') return Wrong(Quoted(text) + ": only times to come", "as in now+2h");
  const std::string_view length = text.substr(4);
  const auto span = ParseDuration(length);
  if (!span.ok()) {
    return Wrong(Quoted(text) + ": " + std::string(Text(span.status())), "as in now+2h, now+1h30m");
  }
  return now + *span;
}

}  // namespace

Diagnosed<Instant> ParseWhen(std::string_view text, Instant now, const Zone& zone) {
  if (text.starts_with("now") && (text.size() == 3 || text[3] == '+' || text[3] == '-')) {
    return FromNow(text, now);
  }
  Civil civil;
  if (ReadTimeOfDay(text, civil)) return NextTimeOfDay(text, civil, now, zone);
  if (text.size() >= 10 && ReadDate(text.substr(0, 10), civil)) {
    if (text.size() == 10) {
      return Wrong(Quoted(text) + ": at what time of that day?",
                   "as in " + std::string(text) + "T09:00");
    }
    std::string_view rest = text.substr(10);
    const bool utc = rest.ends_with('Z');
    if (utc) rest.remove_suffix(1);
    if (!rest.starts_with('T') || !ReadTimeOfDay(rest.substr(1), civil)) {
      return Wrong(Quoted(text) + " is not a time");
    }
    if (!InRange(civil) || ToCivil(FromCivil(civil)) != civil) {
      return Wrong(Quoted(text) + ": there is no such date or time of day");
    }
    const Instant at = utc ? FromCivil(civil) : zone.FromLocal(civil);
    if (at <= now) {
      return Wrong(Quoted(text) + " is in the past; it is now " + WhenText(now, zone),
                   "a time to come, as in 22:30 or now+2h");
    }
    return at;
  }
  return Wrong(Quoted(text) + " is not a time");
}

std::string WhenText(Instant instant, const Zone& zone) {
  const Civil c = zone.Local(instant);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", c.year, c.month, c.day, c.hour,
                     c.minute, c.second);
}

}  // namespace muster::text
