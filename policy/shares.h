// Fairshare: what each was meant to use and has used, over windows that fade, and what it is
// promised. Maui Sect. III (Fairshare); scheduling.md section 12. Integers only; pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/calendar.h"
#include "base/time.h"

namespace muster::policy {

// What counts as used by a part.
enum class Metric : uint8_t {
  kDedicated,  // processors it had, times its time
  kUsed,       // processor time
  kCharged,    // what it had at the rates of the bank, times its time
};

// A share of all use, in thousandths. One of the three is given.
struct Share {
  std::string who;                 // a user, group or account (base/credentials.h)
  std::optional<int64_t> target;   // more gives fewer points, less gives more
  std::optional<int64_t> floor;    // less goes before all others of the queue; more changes nothing
  std::optional<int64_t> ceiling;  // more gives fewer points; less changes nothing
  bool admission = false;          // above the ceiling nothing new may start (AdmittedFrom)
  std::string parent = {};         // in a tree the share of which this is a part; "": of all use
  // REQUIRES: one of them.
  int64_t Wanted() const { return target ? *target : floor ? *floor : ceiling.value(); }
  bool operator==(const Share&) const = default;
};

inline constexpr int64_t kMillion = 1'000'000;

struct FairshareRules {
  Span window{86'400};  // a whole number of days, or a day is a whole number of them
  int depth = 7;        // windows that count, the present one included
  int64_t decay = 800;  // what a window counts of the next newer one, in thousandths
  Metric metric = Metric::kDedicated;
  int64_t booked = 1000;  // what promised work counts of used work, in thousandths
  bool tree = false;      // shares are parts of their parents (policy/share_tree.h)
  std::vector<Share> shares;
  bool operator==(const FairshareRules&) const = default;
};

// The begin of the window that contains `at`: windows begin at midnight of the zone, and at whole
// windows from then on.
Instant WindowOf(const FairshareRules& rules, const Zone& zone, Instant at);
// The begins of the windows that count at `at`, the present one first.
std::vector<Instant> WindowsAt(const FairshareRules& rules, const Zone& zone, Instant at);

// What somebody had, in any one unit.
struct Use {
  std::vector<int64_t> by_window;  // the present one first; missing ones are 0
  int64_t booked = 0;              // promised, and starting within a window's length
};
// The share of `own` in `all`, in millionths: both with what is booked, or of used work or booked
// work alone. None if there is nothing to share.
struct Part {
  std::optional<int64_t> counts;
  std::optional<int64_t> used;
  std::optional<int64_t> booked;
  bool operator==(const Part&) const = default;
};
Part PartOf(const FairshareRules& rules, const Use& own, const Use& all);

// What is promised or runs, evenly over its time from now on.
struct Coming {
  Instant from;
  Instant to;
  int64_t amount = 0;
};
struct Course {
  std::vector<int64_t> by_window;  // as in Use
  std::vector<Coming> coming;
};
// When new work may start under a ceiling: now, or at the first begin of a window by which the
// share has come down to it, as windows fade and what is coming is used. Looks a year of windows
// ahead, and names the last one if the share does not come down by then.
Instant AdmittedFrom(const FairshareRules& rules, const Zone& zone, const Share& share,
                     const Course& own, const Course& all, Instant now);

// The factor for somebody with this share, in thousandths of a whole, -1000 to 1000: (T - U) / T.
// A floor never lowers, a ceiling never raises. The whole if nothing was used or booked.
int64_t ShareValue(const Share& share, const Part& part);
// True if it has a floor and counts less.
bool UnderFloor(const Share& share, const Part& part);

// What all shares have had.
struct Uses {
  std::vector<Use> own;  // by rules.shares
  Use all;
};
// A share as it stands.
struct Standing {
  Part part;
  int64_t value = 0;  // the factor, in thousandths
  bool under_floor = false;
};
// By rules.shares. In a tree values are those of TreeValues.
std::vector<Standing> StandingsOf(const FairshareRules& rules, const Uses& uses);

}  // namespace muster::policy
