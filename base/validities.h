// When users and groups count (OpenCCS Sect. 3: entities like resources, users, groups or limits
// may have a validity period; beyond it the entity is disabled). Outside of it nothing is submitted
// by them, and nothing of theirs is planned to start; what runs goes on, and what is promised stays
// promised. The meta judges the federation's users by it, a site its own.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/calendar.h"
#include "base/interval.h"
#include "base/validity.h"

namespace muster {

// Times that repeat are worked out so far ahead, and so many of them: nothing is planned behind
// them yet. Bounds what a site is sent with each order.
inline constexpr Span kValidityAhead{int64_t{10} * 366 * 86400};
inline constexpr size_t kValidityTimes = 256;

struct Validities {
  struct One {
    Validity valid;
    std::string text;  // as people write it: "until 2027-02-28"
    bool operator==(const One&) const = default;
  };
  Zone zone;
  std::map<std::string, One> users;  // those that do not always count
  std::map<std::string, One> groups;
  bool operator==(const Validities&) const = default;
};

// Somebody, with all the groups they are listed with.
struct Member {
  std::string user;
  std::vector<std::string> groups;
};

// The groups that count at `now`.
std::vector<std::string> GroupsAt(const Validities& all, const Member& who, Instant now);

// Those of `starts` at which something of theirs may start, from `now` on: the user counts, and if
// they are in groups at least one of these does.
IntervalSet StartsOf(const Validities& all, const Member& who, const IntervalSet& starts,
                     Instant now);

// They may submit at `now`.
bool CountsAt(const Validities& all, const Member& who, Instant now);

// "kim is valid until 2027-02-28"; empty if they always are.
std::string WhenText(const Validities& all, const Member& who);

}  // namespace muster
