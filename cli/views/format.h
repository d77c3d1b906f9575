// The words and figures every view is made of: times, ages, amounts, names of nodes. cli.md
// sections 1.3, 1.4.
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

inline constexpr size_t kPageWidth = 80;  // the layouts of cli.md

// What the terminal is like and when "now" is; everything else comes from the document.
struct ViewOptions {
  size_t width = kPageWidth;  // columns; 0: no terminal, nothing is cut
  bool color = false;
  bool unicode = true;
  text::Zone zone;
  Instant now;
};

inline constexpr char kNone[] = "–";  // known to be none

// A member of an object; null if it is missing or `object` is none.
const Json& At(const Json& object, std::string_view name);
// The member as text a terminal cannot be steered by (control characters become '?'); "" if null or
// no text.
std::string TextAt(const Json& object, std::string_view name);
std::optional<double> NumberAt(const Json& object, std::string_view name);
bool FlagAt(const Json& object, std::string_view name);
std::optional<Instant> TimeAt(const Json& object, std::string_view name);

// "NCPUS": ASCII letters only.
std::string Upper(std::string text);

// "22:24:01", and with the date if that is not today: "11-21 09:00:00", "2027-01-05 09:00:00".
std::string ClockTime(Instant at, const ViewOptions& options);
// What a daemon says in words has times as JSON has them: each "2026-11-20T21:24:01Z" in it becomes
// a ClockTime.
std::string WithClockTimes(const std::string& said, const ViewOptions& options);
// The same to the minute: "22:24".
std::string ClockMinute(Instant at, const ViewOptions& options);
// "22:15–22:24", minutes.
std::string ClockRange(Instant low, Instant high, const ViewOptions& options);
// "45s", "10m", "3h02m", "2d5h": to the nearest minute above one. "in 10m", "5m ago".
std::string About(Span span);
std::string InAbout(Span span);
// How old an answer is: "0.2 s", "12 s", "3m12s".
std::string Age(double seconds);
// "99.8 %", "100 %"; "90 %" without decimals.
std::string Percent(double ratio);
std::string WholePercent(double ratio);

// "4 cpus, 2gb" of an object like {"ncpus":4,"mem_bytes":2147483648}.
std::string AmountsText(const Json& resources);
// "2 × (4 cpus, 2gb) + 1 × (1 cpu, 1 gpu)".
std::string ChunksShown(const Json& chunks);
// "n1-2,5" of n1, n2, n5; names that end in no number stand alone, by comma.
std::string NodesShown(const std::vector<std::string>& nodes);
std::vector<std::string> TextsAt(const Json& object, std::string_view name);
// "42", "43[7]", and of a whole array "43[1-100]".
std::string IdOfJob(const Json& job);
// Sites of a job's parts, or of an array's elements, each once, in part order.
std::vector<std::string> SitesOf(const Json& job);

// "job 41", "reservation R7", "node n3", or what the site said: one reason in a few words.
std::string ReasonText(const Json& reason);

// Characters, each one column wide.
size_t Columns(std::string_view text);
// At most `columns` wide, ended by '…' where it was cut.
std::string Cut(std::string_view text, size_t columns);
// Padded with blanks to `columns`.
std::string Padded(std::string text, size_t columns);
// The finished view: as it is, or each sign replaced by an ASCII one of the same width.
std::string Finished(std::string text, const ViewOptions& options);

// Colour, only where options say so.
enum class Paint { kNone, kDim, kBold, kGood, kWarn, kBad };
std::string Painted(std::string_view text, Paint paint, const ViewOptions& options);
Paint PaintOfState(std::string_view word);

}  // namespace views
}  // namespace muster::cli
