// Names and sets of jobs as users type them: "42", "42.2", "42[7]", "42-48,50", "last", "all".
// cli.md section 1.5.
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
  uint64_t job = 0;
  std::optional<uint64_t> element;
  std::optional<uint32_t> part;  // from 1
  auto operator<=>(const JobName&) const = default;
};

struct JobSet {
  bool last = false;           // the caller's newest
  bool all = false;            // the caller's unfinished
  std::vector<JobName> names;  // as written, each once
  bool operator==(const JobSet&) const = default;
};

// Items by comma: "42", "42.2", "42[7]", "42_7", "42[1-9]", "42[7].2", "42-48", "last", "all".
// Errors have code "usage" and the column (bytes, from 1).
Diagnosed<JobSet> ParseJobs(std::string_view text);

// "42[7].2".
std::string JobNameText(const JobName& name);
// ParseJobs reads it back as an equal value.
std::string JobsText(const JobSet& set);

}  // namespace muster::text
