// Parses and prints jobs and sets of jobs as users type them: "42", "42.2", "42[7]", "lakes/17",
// "42-48,50", "last", "all"; also the arrays and dependencies of a submission. cli.md sections 1.5,
// 2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace muster::text {

inline constexpr size_t kMostJobsNamed = 10000;  // per set: bounds "1-999999999"

// Names a job, one element of an array, a part, or a part of an element. Numbers are those that
// users see.
struct JobName {
  std::string site;  // of a job submitted at a site itself, "lakes/17"; else empty
  uint64_t job = 0;
  std::optional<uint64_t> element;
  std::optional<uint32_t> part;  // from 1
  bool reservation = false;      // written "R7"; reservations and jobs share one numbering
  auto operator<=>(const JobName&) const = default;
};

struct JobSet {
  bool last = false;           // the caller's newest job
  bool all = false;            // all unfinished jobs of the caller
  std::vector<JobName> names;  // in the order written, without duplicates
  bool operator==(const JobSet&) const = default;
};

// Parses items separated by commas: "42", "R7", "42.2", "42[7]", "42_7", "42[1-9]", "42[7].2",
// "42-48", "lakes/17", "lakes/17-20", "last", "all". Errors have code "usage" and the column
// (bytes, from 1).
Diagnosed<JobSet> ParseJobs(std::string_view text);

// The job that a displayed id refers to: "43", "43[7]", "lakes/17", "42.1". For a whole array,
// "43[1-100]", the result is the job of the array. None if the text is no id.
std::optional<JobName> ParseShownJob(std::string_view text);

// "42[7].2", "lakes/17".
std::string JobNameText(const JobName& name);
// Inverse of ParseJobs.
std::string JobsText(const JobSet& set);

// "1-100", "1-100:2" (every second), "1-100%20" (20 at once), "7".
struct ArrayText {
  uint64_t first = 0;
  uint64_t last = 0;     // >= first
  uint64_t step = 1;     // > 0
  uint64_t at_once = 0;  // most elements at the same time; 0: no limit
  bool operator==(const ArrayText&) const = default;
};
inline constexpr size_t kMostElements = 10000;      // per array
inline constexpr uint64_t kLastElement = 99999999;  // the highest index
// Errors have code "usage" and the column.
Diagnosed<ArrayText> ParseArray(std::string_view text);
// The number of elements.
uint64_t ElementsOf(const ArrayText& array);
// "[1-100]", "[1-99:2]": the suffix of the job's number.
std::string ElementsText(const ArrayText& array);

// One dependency: the job must have ended successfully ("ok", the default), in any way ("any"), or
// unsuccessfully ("fail").
struct AfterText {
  enum class Kind { kOk, kAny, kFail };
  Kind kind = Kind::kOk;
  JobName job;  // never a part
  bool operator==(const AfterText&) const = default;
};
// Parses "41", "ok:41", "any:43[7]", "fail:41,any:42-44", "lakes/17". Errors have code "usage" and
// the column.
Diagnosed<std::vector<AfterText>> ParseAfter(std::string_view text);

}  // namespace muster::text
