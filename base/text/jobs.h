// Names and sets of jobs as users type them: "42", "42.2", "42[7]", "lakes/17", "42-48,50", "last",
// "all"; the arrays and dependencies of a submission. cli.md sections 1.5, 2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace muster::text {

inline constexpr size_t kMostJobsNamed = 10000;  // in one set: bounds "1-999999999"

// A job, one element of an array, a part, or an element's part. Elements and parts count as users
// see them.
struct JobName {
  std::string site;  // of a job submitted at a site alone, "lakes/17"; else empty
  uint64_t job = 0;
  std::optional<uint64_t> element;
  std::optional<uint32_t> part;  // from 1
  bool reservation = false;      // "R7": its number is one of the jobs'
  auto operator<=>(const JobName&) const = default;
};

struct JobSet {
  bool last = false;           // the caller's newest
  bool all = false;            // the caller's unfinished
  std::vector<JobName> names;  // as written, each once
  bool operator==(const JobSet&) const = default;
};

// Items by comma: "42", "R7", "42.2", "42[7]", "42_7", "42[1-9]", "42[7].2", "42-48", "lakes/17",
// "lakes/17-20", "last", "all".
// Errors have code "usage" and the column (bytes, from 1).
Diagnosed<JobSet> ParseJobs(std::string_view text);

// The job that a shown id names: "43", "43[7]", "lakes/17", "42.1"; a whole array, "43[1-100]",
// counts as its job. None if the text begins otherwise.
std::optional<JobName> ParseShownJob(std::string_view text);

// "42[7].2", "lakes/17".
std::string JobNameText(const JobName& name);
// ParseJobs reads it back as an equal value.
std::string JobsText(const JobSet& set);

// "1-100", "1-100:2" (every second), "1-100%20" (20 at once), "7".
struct ArrayText {
  uint64_t first = 0;
  uint64_t last = 0;     // >= first
  uint64_t step = 1;     // > 0
  uint64_t at_once = 0;  // 0: any number
  bool operator==(const ArrayText&) const = default;
};
inline constexpr size_t kMostElements = 10000;      // of one array
inline constexpr uint64_t kLastElement = 99999999;  // the highest index
// Errors have code "usage" and the column.
Diagnosed<ArrayText> ParseArray(std::string_view text);
// How many elements it has.
uint64_t ElementsOf(const ArrayText& array);
// "[1-100]", "[1-99:2]": as it stands behind the job's number.
std::string ElementsText(const ArrayText& array);

// What must have ended before: well ("ok", the default), at all ("any"), or not well ("fail").
struct AfterText {
  enum class Kind { kOk, kAny, kFail };
  Kind kind = Kind::kOk;
  JobName job;  // no part
  bool operator==(const AfterText&) const = default;
};
// "41", "ok:41", "any:43[7]", "fail:41,any:42-44", "lakes/17". Errors have code "usage" and the
// column.
Diagnosed<std::vector<AfterText>> ParseAfter(std::string_view text);

}  // namespace muster::text
