// How people write lengths of time, sizes and sets of nodes: in options, scripts and configuration.
// Every refusal says what is wrong with the text itself; the caller adds where it stands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/time.h"

namespace muster {

inline constexpr Span kLongestDuration{int64_t{36500} * 86400};  // a century: no sum can overflow
inline constexpr size_t kNamesInRange = 100000;  // nodes of one expression: bounds "n[1-9999999]"

// "90s", "1h30m", "2d", "HH:MM:SS", "D-HH:MM:SS"; units d, h, m, s in this order, each at most
// once. Bare numbers and MM:SS are refused, since PBS, Slurm and OAR read them differently ("thirty
// what?").
absl::StatusOr<Span> ParseDuration(std::string_view text);

// The same on the boot clock, and "250ms" as well (alone, or last as in "1s500ms").
absl::StatusOr<BootSpan> ParseBootSpan(std::string_view text);

// What would have been right where ParseDuration refused `text`: "30m or 30s", "00:10:00 or
// 10:00:00"; else "as in 90s, 1h30m, 2d, 08:00:00 or 1-12:00:00".
std::string DurationHelp(std::string_view text);

// "2d", "1h30m", "90d": the shortest text ParseDuration reads back. REQUIRES not negative.
std::string DurationText(Span span);
std::string DurationText(BootSpan span);  // with "500ms"; ParseBootSpan reads it back

// Bytes: a whole number and b, kb, mb, gb or tb, powers of 2^10 as in PBS, or k, m, g, t, which are
// the same; bare numbers are bytes.
absl::StatusOr<int64_t> ParseSize(std::string_view text);

// "64gb": the largest unit that divides the size. REQUIRES not negative.
std::string SizeText(int64_t bytes);

// "n[1-16]", "n[9-16],g[1-2]", "n[01-12,20]", "login": the names in the order written. Leading
// zeros keep their width. Refused: empty names, falling ranges, one name twice, more than
// kNamesInRange.
absl::StatusOr<std::vector<std::string>> ExpandNames(std::string_view text);

}  // namespace muster
