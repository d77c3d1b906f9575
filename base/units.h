// Parses and prints durations, sizes and sets of node names as people write them in options,
// scripts and configuration. Errors describe what is wrong with the text; the caller adds the
// place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/time.h"

namespace muster {

// 100 years, so that sums cannot overflow.
inline constexpr Span kLongestDuration{int64_t{36500} * 86400};
inline constexpr size_t kNamesInRange = 100000;  // names of one text: bounds "n[1-9999999]"

// Accepts "90s", "1h30m", "2d", "HH:MM:SS", "D-HH:MM:SS"; units d, h, m, s in this order, each at
// most once. Refuses bare numbers and MM:SS, because PBS, Slurm and OAR read them differently
// ("thirty what?").
absl::StatusOr<Span> ParseDuration(std::string_view text);

// The same for the boot clock; also accepts "250ms" (alone, or last as in "1s500ms").
absl::StatusOr<BootSpan> ParseBootSpan(std::string_view text);

// A correction for a text that ParseDuration refused: "30m or 30s", "00:10:00 or 10:00:00"; else
// "as in 90s, 1h30m, 2d, 08:00:00 or 1-12:00:00".
std::string DurationHelp(std::string_view text);

// "2d", "1h30m", "90d": the shortest text that ParseDuration converts back. REQUIRES not negative.
std::string DurationText(Span span);
std::string DurationText(BootSpan span);  // also "500ms"; inverse of ParseBootSpan

// Parses a size in bytes: a whole number with b, kb, mb, gb or tb (powers of 2^10 as in PBS), or
// with the synonyms k, m, g, t. A bare number is in bytes.
absl::StatusOr<int64_t> ParseSize(std::string_view text);

// "64gb": the largest unit that divides the size. REQUIRES not negative.
std::string SizeText(int64_t bytes);

// Amounts of credits are kept in millionths. Accepts "12", "0.5" and up to six decimals, also below
// zero; at most 10^9 credits. CreditsText prints the shortest form.
absl::StatusOr<int64_t> ParseCredits(std::string_view text);
std::string CreditsText(int64_t millionths);

// Expands "n[1-16]", "n[9-16],g[1-2]", "n[01-12,20]", "login" into names, in the order written.
// Leading zeros keep their width. Refuses empty names, falling ranges, duplicate names, and more
// than kNamesInRange names.
absl::StatusOr<std::vector<std::string>> ExpandNames(std::string_view text);

}  // namespace muster
