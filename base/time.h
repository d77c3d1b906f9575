// Time in three kinds that never mix: plan time (whole UTC seconds), wall moments (UTC
// milliseconds, for records people read) and the boot clock (milliseconds, for leases and
// time-outs). protocol.md section 6.
#pragma once

#include <compare>
#include <cstdint>

namespace muster {

// A length of plan time, in whole seconds.
struct Span {
  int64_t seconds = 0;
  auto operator<=>(const Span&) const = default;
  constexpr Span operator+(Span o) const { return {seconds + o.seconds}; }
  constexpr Span operator-(Span o) const { return {seconds - o.seconds}; }
  constexpr Span operator-() const { return {-seconds}; }
};

// A point of plan time: whole seconds since 1970-01-01T00:00:00Z.
struct Instant {
  int64_t seconds = 0;
  auto operator<=>(const Instant&) const = default;
  constexpr Instant operator+(Span s) const { return {seconds + s.seconds}; }
  constexpr Instant operator-(Span s) const { return {seconds - s.seconds}; }
  constexpr Span operator-(Instant o) const { return {seconds - o.seconds}; }
};

// "Never", and the end of every open interval. Later than any horizon, yet small enough that adding
// any legal span cannot overflow.
inline constexpr Instant kFarFuture{int64_t{1} << 40};

// A UTC time in milliseconds: when something happened, for display.
struct Moment {
  int64_t milliseconds = 0;
  auto operator<=>(const Moment&) const = default;
  // Floor: the second that contains this moment. Ceiling: the first whole second not before it.
  constexpr Instant Floor() const {
    return {milliseconds >= 0 ? milliseconds / 1000 : -((-milliseconds + 999) / 1000)};
  }
  constexpr Instant Ceiling() const { return {-Moment{-milliseconds}.Floor().seconds}; }
};
constexpr Moment ToMoment(Instant t) { return {t.seconds * 1000}; }

// A length on the boot clock, in milliseconds.
struct BootSpan {
  int64_t milliseconds = 0;
  auto operator<=>(const BootSpan&) const = default;
  constexpr BootSpan operator+(BootSpan o) const { return {milliseconds + o.milliseconds}; }
  constexpr BootSpan operator-(BootSpan o) const { return {milliseconds - o.milliseconds}; }
  constexpr BootSpan operator*(int64_t n) const { return {milliseconds * n}; }
};
constexpr BootSpan Milliseconds(int64_t n) { return {n}; }
constexpr BootSpan Seconds(int64_t n) { return {n * 1000}; }
constexpr BootSpan ToBootSpan(Span s) { return {s.seconds * 1000}; }

// A point on the boot clock (CLOCK_BOOTTIME: includes suspend, restarts with the machine).
struct BootInstant {
  int64_t milliseconds = 0;
  auto operator<=>(const BootInstant&) const = default;
  constexpr BootInstant operator+(BootSpan s) const { return {milliseconds + s.milliseconds}; }
  constexpr BootInstant operator-(BootSpan s) const { return {milliseconds - s.milliseconds}; }
  constexpr BootSpan operator-(BootInstant o) const { return {milliseconds - o.milliseconds}; }
};

// The clock readings passed to a core at each step; constant within one turn.
struct Now {
  BootInstant boot;  // monotonic within a boot
  Moment wall;       // the machine's UTC clock; may jump
};

}  // namespace muster
