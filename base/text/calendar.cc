// RFC 3339, in the one form that muster writes.
#include "base/text/calendar.h"

#include <fmt/format.h>

namespace muster::text {
namespace {

// Takes exactly `width` digits at `at` and advances it.
std::optional<int32_t> TakeDigits(std::string_view text, size_t& at, size_t width) {
  if (at + width > text.size()) return std::nullopt;
  int32_t value = 0;
  for (size_t i = 0; i < width; ++i) {
    const char c = text[at + i];
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  at += width;
  return value;
}

bool Take(std::string_view text, size_t& at, char c) {
  if (at >= text.size() || text[at] != c) return false;
  ++at;
  return true;
}

}  // namespace

std::string ToRfc3339(Instant instant) {
  const Civil c = ToCivil(instant);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", c.year, c.month, c.day, c.hour,
                     c.minute, c.second);
}

std::string ToRfc3339(Moment moment) {
  const Instant whole = moment.Floor();
  std::string text = ToRfc3339(whole);
  text.pop_back();
  return fmt::format("{}.{:03}Z", text, moment.milliseconds - whole.seconds * 1000);
}

std::optional<Moment> FromRfc3339(std::string_view text) {
  size_t at = 0;
  const auto year = TakeDigits(text, at, 4);
  if (!year || !Take(text, at, '-')) return std::nullopt;
  const auto month = TakeDigits(text, at, 2);
  if (!month || *month < 1 || *month > 12 || !Take(text, at, '-')) return std::nullopt;
  const auto day = TakeDigits(text, at, 2);
  if (!day || *day < 1 || *day > 31 || !Take(text, at, 'T')) return std::nullopt;
  const auto hour = TakeDigits(text, at, 2);
  if (!hour || *hour > 23 || !Take(text, at, ':')) return std::nullopt;
  const auto minute = TakeDigits(text, at, 2);
  if (!minute || *minute > 59 || !Take(text, at, ':')) return std::nullopt;
  const auto second = TakeDigits(text, at, 2);
  if (!second || *second > 59) return std::nullopt;
  int64_t milliseconds = 0;
  if (Take(text, at, '.')) {
    const size_t begin = at;
    for (int64_t unit = 100; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
      milliseconds += unit * (text[at] - '0');
      unit /= 10;
    }
    if (at == begin) return std::nullopt;
  }
  if (!Take(text, at, 'Z') || at != text.size()) return std::nullopt;
  const Civil civil{*year, *month, *day, *hour, *minute, *second};
  const Instant instant = FromCivil(civil);
  if (ToCivil(instant) != civil) return std::nullopt;  // 30 February
  return Moment{instant.seconds * 1000 + milliseconds};
}

}  // namespace muster::text
