// Points: the order of those who have no promise yet, and of those who may start earlier than
// promised. A weighted sum of named factors of a request
// (Maui Sect. III, Unified Queue). Integers only: a factor's value is in thousandths of its whole,
// so equal facts give equal points everywhere. Pure. scheduling.md section 11.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/credentials.h"
#include "base/time.h"

namespace muster::policy {

enum class Factor : uint8_t {
  kCred,      // what the administrator gave the credentials, added up
  kQueue,     // wait, of PointsRules::queue_full
  kXFactor,   // wait in durations, of PointsRules::x_full; Maui's expansion factor less 1
  kProcs,     // processors asked, of those of the largest site
  kMem,       // memory asked, of that of the largest site
  kArea,      // processors times duration, of a day of the largest site
  kTarget,    // wait beyond half of the QoS's target, of the other half
  kFsGlobal,  // by the share of user or groups (policy/shares.h), over the whole federation
  kFsLocal,   // the same over the site that orders; the meta has no such factor
  kBalance,   // what the asker's home gave others, less what its users took from others
};
inline constexpr size_t kFactors = 10;
inline constexpr std::array<Factor, kFactors> kAllFactors = {
    Factor::kCred, Factor::kQueue,  Factor::kXFactor,  Factor::kProcs,   Factor::kMem,
    Factor::kArea, Factor::kTarget, Factor::kFsGlobal, Factor::kFsLocal, Factor::kBalance};
// "queue", as in the configuration.
std::string_view NameOf(Factor factor);
std::optional<Factor> FactorOf(std::string_view name);

inline constexpr int64_t kWhole = 1000;            // value of a factor that is at its most
inline constexpr int64_t kMostWeight = 1'000'000;  // of a factor; the least is its negative

struct PointsRules {
  Span tick{60};                            // points are worked out anew this often
  std::array<int64_t, kFactors> weights{};  // in points; by Factor
  Span queue_full{86'400};                  // wait at which `queue` is at its most
  int64_t x_full = 10;                      // wait in durations at which `xfactor` is at its most
  // What `cred` gives, in thousandths, by name (base/credentials.h).
  std::map<std::string, int64_t> credentials;
  int64_t WeightOf(Factor factor) const { return weights[static_cast<size_t>(factor)]; }
  bool operator==(const PointsRules&) const = default;
};

// What is known of a waiting request.
struct Asker {
  Credentials who;
  Span wait;                   // for how long it could have been placed
  Span duration;               // asked
  int64_t procs = 0;           // asked in all
  int64_t mem = 0;             // bytes, asked in all
  std::optional<Span> target;  // of its QoS
  Span planned;                // wait from submission to its promised start; 0: it has none
  int64_t share = 0;           // value of kFsGlobal, in thousandths; 0 without a share
  int64_t local_share = 0;     // value of kFsLocal, in the same way
  bool under_floor = false;    // has had less than the floor of its share
  int64_t balance = 0;         // value of kBalance, in thousandths; 0 without a home
};
// The largest amounts that one site has; 0: not known yet, and the factor is 0.
struct Largest {
  int64_t procs = 0;
  int64_t mem = 0;
  bool operator==(const Largest&) const = default;
};

// Values of the factors in thousandths, -1000 to 1000, by Factor.
using Values = std::array<int64_t, kFactors>;
Values ValuesOf(const PointsRules& rules, const Asker& asker, const Largest& largest);

// The points that a wait gives: those of kQueue and kXFactor.
int64_t WaitPoints(const PointsRules& rules, Span wait, Span duration);
// weight * value / 1000, rounded half away from zero.
int64_t PointsOf(int64_t weight, int64_t value);
// The sum over all factors: at most kFactors * kMostWeight.
int64_t PointsOf(const PointsRules& rules, const Values& values);
// More than any sum of factors: who is under the floor of a share goes before all who are not.
inline constexpr int64_t kFloorFirst = 1'000'000'000;
// The sum, and kFloorFirst if the asker is under a floor.
int64_t PointsOf(const PointsRules& rules, const Asker& asker, const Largest& largest);

}  // namespace muster::policy
