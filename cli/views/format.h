// Text building blocks of all views: times, ages, amounts, names of nodes. cli.md sections 1.3,
// 1.4.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/calendar.h"
#include "base/time.h"

namespace muster::cli {

using Json = nlohmann::ordered_json;

namespace views {

inline constexpr size_t kPageWidth = 80;  // width of the layouts in cli.md

// The terminal and the present time; everything else is in the document.
struct ViewOptions {
  size_t width = kPageWidth;  // columns; 0: no terminal, nothing is cut
  bool color = false;
  bool unicode = true;
  text::Zone zone;
  Instant now;
};

inline constexpr char kNone[] = "–";  // shown for a value known to be absent

// A member of an object; null if it is absent or `object` is not an object.
const Json& At(const Json& object, std::string_view name);
// A text member, with control characters replaced by '?', so that it cannot control the terminal;
// "" if it is null or not a text.
std::string TextAt(const Json& object, std::string_view name);
std::optional<double> NumberAt(const Json& object, std::string_view name);
bool FlagAt(const Json& object, std::string_view name);
std::optional<Instant> TimeAt(const Json& object, std::string_view name);

// Upper case, as in "NCPUS"; ASCII letters only.
std::string Upper(std::string text);

// "22:24:01"; not today: "11-21 09:00:00", or with the year "2027-01-05 09:00:00".
std::string ClockTime(Instant at, const ViewOptions& options);
// Replaces each RFC 3339 time in a daemon's text, "2026-11-20T21:24:01Z", by a ClockTime.
std::string WithClockTimes(const std::string& said, const ViewOptions& options);
// ClockTime to the minute: "22:24".
std::string ClockMinute(Instant at, const ViewOptions& options);
// "22:15–22:24".
std::string ClockRange(Instant low, Instant high, const ViewOptions& options);
// About: "45s", "10m", "3h02m", "2d5h": from one minute on to the nearest minute, from one day on
// without the minutes. InAbout: "in 10m", "5m ago".
std::string About(Span span);
std::string InAbout(Span span);
// The age of an answer: "0.2 s", "12 s", "3m12s".
std::string Age(double seconds);
// Percent: "99.8 %", "100 %". WholePercent: "90 %".
std::string Percent(double ratio);
std::string WholePercent(double ratio);

// {"ncpus":4,"mem_bytes":2147483648} as "4 cpus, 2gb".
std::string AmountsText(const Json& resources);
// "2 × (4 cpus, 2gb) + 1 × (1 cpu, 1 gpu)".
std::string ChunksShown(const Json& chunks);
// n1, n2, n5 as "n1-2,5". Names that do not end in a number stand alone, separated by commas.
std::string NodesShown(const std::vector<std::string>& nodes);
std::vector<std::string> TextsAt(const Json& object, std::string_view name);
// "42", "43[7]"; a whole array "43[1-100]".
std::string IdOfJob(const Json& job);
// The sites of a job's parts, or of an array's elements, each once, in the order of parts.
std::vector<std::string> SitesOf(const Json& job);

// A reason in a few words: "job 41", "reservation R7", "node n3", or the site's text.
std::string ReasonText(const Json& reason);

// The width in columns; every character counts as one.
size_t Columns(std::string_view text);
// Cuts the text to `columns`; a cut text ends in '…'.
std::string Cut(std::string_view text, size_t columns);
// Pads with blanks to `columns`.
std::string Padded(std::string text, size_t columns);
// The final text of a view; without Unicode, each sign is replaced by an ASCII one of the same
// width.
std::string Finished(std::string text, const ViewOptions& options);

// Colours the text if the options allow it.
enum class Paint { kNone, kDim, kBold, kGood, kWarn, kBad };
std::string Painted(std::string_view text, Paint paint, const ViewOptions& options);
Paint PaintOfState(std::string_view word);

}  // namespace views
}  // namespace muster::cli
