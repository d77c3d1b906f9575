// Validity periods of users and groups (OpenCCS Sect. 3: entities like resources, users, groups or
// limits may have a validity period; beyond it the entity is disabled). Outside of the period a
// user cannot submit, and no start of the user's jobs is planned. Running jobs go on and promises
// stay. The meta applies this to the federation's users, a site to its own.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/calendar.h"
#include "base/interval.h"
#include "base/validity.h"

namespace muster {

// Recurring periods are expanded this far ahead: no planning horizon is longer.
inline constexpr Span kValidityAhead{int64_t{10} * 366 * 86400};
// Maximum intervals of one expansion. Bounds the starts that a site receives with each order.
inline constexpr size_t kValidityTimes = 256;

struct Validities {
  struct One {
    Validity valid;
    std::string text;  // as people write it: "until 2027-02-28"
    bool operator==(const One&) const = default;
  };
  Zone zone;
  std::map<std::string, One> users;  // only users whose validity is limited
  std::map<std::string, One> groups;
  bool operator==(const Validities&) const = default;
};

// A user, with all groups the configuration lists for the user.
struct Member {
  std::string user;
  std::vector<std::string> groups;
};

// The groups of `who` that are valid at `now`.
std::vector<std::string> GroupsAt(const Validities& all, const Member& who, Instant now);

// The part of `starts` at which jobs of `who` may start: the user is valid then and, if in groups,
// at least one group is. If a validity limits `who`, the result has only times from `now` on, and
// at most kValidityTimes intervals.
IntervalSet StartsOf(const Validities& all, const Member& who, const IntervalSet& starts,
                     Instant now);

// Whether `who` may submit at `now`.
bool CountsAt(const Validities& all, const Member& who, Instant now);

// "kim is valid until 2027-02-28"; empty if `who` is always valid.
std::string WhenText(const Validities& all, const Member& who);

}  // namespace muster
