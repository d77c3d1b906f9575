// Closed lists of codes: why a job cannot start earlier (Reason), and why a figure moved (Cause).
// cli.md section 4, protocol.md section 5.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"
#include "schemas/fields.h"

namespace muster::schemas {

enum class ReasonCode : uint8_t {
  kJob,
  kLimit,
  kFreepool,
  kReservation,
  kProperty,
  kTopology,
  kNode,
  kPolicy,
  kDependency,
  kSilent,
  kBlocked,
  kContended,
  kBudget,
  kHorizon,
  kShare,
  kCredit
};

// What a reason or cause refers to. Fields that do not apply are empty. Node names are for display
// only.
struct Subject {
  std::string site;
  std::string node;
  std::string job;
  // For a changed scheduler: the algorithm now in force, or the settings if only these changed.
  std::string packing;
  static constexpr auto Fields() {
    return FieldList(Field("site", &Subject::site), Field("node", &Subject::node),
                     Field("job", &Subject::job), Field("packing", &Subject::packing));
  }
  bool operator==(const Subject&) const = default;
};

// Why a job cannot start earlier.
struct Reason {
  ReasonCode code = ReasonCode::kJob;
  Subject subject;
  std::string resource;          // the resource that is short; empty if none
  std::optional<Instant> until;  // when this stops being an obstacle, if known
  std::string text;              // one line for people
  static constexpr auto Fields() {
    return FieldList(Field("code", &Reason::code), Field("subject", &Reason::subject),
                     Field("resource", &Reason::resource), Field("until", &Reason::until),
                     Field("text", &Reason::text));
  }
  bool operator==(const Reason&) const = default;
};

// kNone is allowed only where no promise moved (a plain release or a normal end).
enum class CauseCode : uint8_t {
  kNone,
  // Reported by a site: later or lost.
  kNodeLost,
  kOperator,
  kPreempted,
  kOverrun,
  kPolicyChanged,
  kClock,
  kForgot,
  kDiskFull,
  kSiteDown,
  kNoPermit,
  kLate,
  // Set by the meta: later or lost.
  kSiteSilent,
  kMetaOutage,
  kPartner,
  // By the user.
  kUser,
  // Earlier starts.
  kBackfilled,
  kJoint,
  // Only for bounds.
  kOvertaken,
  kPacked,
  kSite,
  // An earlier or equal start elsewhere: the place was wanted by a user whose home the site is.
  kHome,
  // Reported by a site: later or lost. Who uses its machine without muster came in the way.
  kLocal
};

// Why a figure moved or a hold ended. A change without a cause is a protocol error.
struct Cause {
  CauseCode code = CauseCode::kNone;
  Subject subject;
  std::string who;  // "meta", "site:NAME", "user:NAME"
  // The resource, if the subject's node lost only this one; empty: the whole node is meant.
  std::string resource = {};
  // Of kPartner: that partner's own cause, which subject and resource describe. kNone: unknown.
  CauseCode because = CauseCode::kNone;
  static constexpr auto Fields() {
    return FieldList(Field("code", &Cause::code), Field("subject", &Cause::subject),
                     Field("who", &Cause::who), Field("resource", &Cause::resource),
                     Field("because", &Cause::because));
  }
  bool operator==(const Cause&) const = default;
};

}  // namespace muster::schemas
