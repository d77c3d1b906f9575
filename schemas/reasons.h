// Closed lists: why not earlier (Reason), why a figure moved (Cause). cli.md section 4, protocol.md
// section 5.
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
  kHorizon
};

// What a reason or a cause is about; empty strings where it does not apply. Node names are text for
// display.
struct Subject {
  std::string site;
  std::string node;
  std::string job;
  std::string packing;  // of a switch: what lays out blocks from now on
  static constexpr auto Fields() {
    return FieldList(Field("site", &Subject::site), Field("node", &Subject::node),
                     Field("job", &Subject::job), Field("packing", &Subject::packing));
  }
  bool operator==(const Subject&) const = default;
};

// Why not earlier.
struct Reason {
  ReasonCode code = ReasonCode::kJob;
  Subject subject;
  std::string resource;          // the one that binds; empty if none
  std::optional<Instant> until;  // when it stops binding, if known
  std::string text;              // one line for people
  static constexpr auto Fields() {
    return FieldList(Field("code", &Reason::code), Field("subject", &Reason::subject),
                     Field("resource", &Reason::resource), Field("until", &Reason::until),
                     Field("text", &Reason::text));
  }
  bool operator==(const Reason&) const = default;
};

// kNone stands only where no promise moved (a plain release or a normal end).
enum class CauseCode : uint8_t {
  kNone,
  // by a site, later or lost
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
  // by the meta, later or lost
  kSiteSilent,
  kMetaOutage,
  kPartner,
  // by the user
  kUser,
  // earlier
  kBackfilled,
  kJoint,
  // bounds only
  kOvertaken,
  kPacked,
  kSite
};

// Why a figure moved or a hold ended. A change without one is a protocol error.
struct Cause {
  CauseCode code = CauseCode::kNone;
  Subject subject;
  std::string who;            // "meta", "site:NAME", "user:NAME"
  std::string resource = {};  // of a node that is lost only in part; empty: the whole of it
  static constexpr auto Fields() {
    return FieldList(Field("code", &Cause::code), Field("subject", &Cause::subject),
                     Field("who", &Cause::who), Field("resource", &Cause::resource));
  }
  bool operator==(const Cause&) const = default;
};

}  // namespace muster::schemas
