// What the meta keeps: the values behind its store's keys. Written and rebuilt by meta/core.h.
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "schemas/calibration.h"
#include "schemas/client.h"
#include "schemas/hold.h"
#include "schemas/scheduler.h"
#include "schemas/site_link.h"
#include "schemas/views.h"

namespace muster::schemas {

// Key "meta". One per store.
struct MetaIdentity {
  std::string federation;
  Epoch epoch;
  RequestId last_request;
  uint64_t last_order = 0;  // of operators to sites (Steer)
  uint64_t last_audit = 0;
  static constexpr auto Fields() {
    using M = MetaIdentity;
    return FieldList(Field("federation", &M::federation), Field("epoch", &M::epoch),
                     Field("last_request", &M::last_request), Field("last_order", &M::last_order),
                     Field("last_audit", &M::last_audit));
  }
  bool operator==(const MetaIdentity&) const = default;
};

// Key "request/ID": what was asked and how it stands.
struct RequestRecord {
  RequestId id;
  Requester requester;
  ClientKey key;
  Digest digest;  // of the RequestSpec
  RequestSpec spec;
  Moment submitted_at;
  RequestState state = RequestState::kWaiting;
  std::optional<Outcome> outcome;
  std::optional<Reason> reason;  // why no promise / why refused or parked
  uint32_t replacements = 0;
  std::optional<Fence> attempt;       // the one that binds now, or bound last
  std::vector<FigureChange> history;  // figures told, oldest first, bounded by kHistoryKept
  std::vector<JobEvent> events;       // bounded by kHistoryKept
  bool parked = false;                // by its user or an operator: no permit until unparked
  static constexpr auto Fields() {
    using R = RequestRecord;
    return FieldList(Field("id", &R::id), Field("requester", &R::requester), Field("key", &R::key),
                     Field("digest", &R::digest), Field("spec", &R::spec),
                     Field("submitted_at", &R::submitted_at), Field("state", &R::state),
                     Field("outcome", &R::outcome), Field("reason", &R::reason),
                     Field("replacements", &R::replacements), Field("attempt", &R::attempt),
                     Field("history", &R::history), Field("events", &R::events),
                     Field("parked", &R::parked));
  }
  bool operator==(const RequestRecord&) const = default;
};

// States of protocol.md section 3.2 (C1-C13). Durable from kDecided on (n = 1: from kPermitted on).
enum class AttemptState : uint8_t {
  kSeeking,
  kHolding,
  kDecided,
  kCommitted,
  kBarrier,
  kPermitted,
  kRunning,
  kPartial,
  kAborting,
  kClosed
};

// Key "attempt/EPOCH.NUMBER".
struct AttemptRecord {
  Fence fence;
  RequestId request;
  AttemptState state = AttemptState::kDecided;
  std::vector<std::string> members;     // sites, ascending
  std::vector<std::string> part_sites;  // of every part, in part order
  Instant start;
  Moment deadline;  // D
  std::optional<Fence> replaces;
  std::optional<Fence> superseded_by;
  std::optional<Permit> permit;
  Cause cause;           // of an abort or a partial start
  bool partial = false;  // C11: some members ran and one never did; counted
  // n = 1 passes the barrier too: its permit waits for what its request comes after.
  bool gated = false;
  static constexpr auto Fields() {
    using A = AttemptRecord;
    return FieldList(
        Field("fence", &A::fence), Field("request", &A::request), Field("state", &A::state),
        Field("members", &A::members), Field("part_sites", &A::part_sites),
        Field("start", &A::start), Field("deadline", &A::deadline), Field("replaces", &A::replaces),
        Field("superseded_by", &A::superseded_by), Field("permit", &A::permit),
        Field("cause", &A::cause), Field("partial", &A::partial), Field("gated", &A::gated));
  }
  bool operator==(const AttemptRecord&) const = default;
};

// Key "site/NAME": the feed position, stored in the batch that holds what followed from it.
struct SiteLinkRecord {
  std::string name;
  Incarnation incarnation;
  FeedPosition feed;
  std::optional<Moment> forgotten;  // given up by an operator then, and not heard since
  static constexpr auto Fields() {
    using S = SiteLinkRecord;
    return FieldList(Field("name", &S::name), Field("incarnation", &S::incarnation),
                     Field("feed", &S::feed), Field("forgotten", &S::forgotten));
  }
  bool operator==(const SiteLinkRecord&) const = default;
};

// One part in the mirror.
struct MirrorPart {
  uint32_t index = 1;
  PartState state = PartState::kBooked;
  PartBooking booking;
  std::optional<Moment> started_at;
  std::optional<Moment> ended_at;
  PartEnd end;
  Usage usage;
  bool usage_final = false;
  static constexpr auto Fields() {
    using M = MirrorPart;
    return FieldList(Field("index", &M::index), Field("state", &M::state),
                     Field("booking", &M::booking), Field("started_at", &M::started_at),
                     Field("ended_at", &M::ended_at), Field("end", &M::end),
                     Field("usage", &M::usage), Field("usage_final", &M::usage_final));
  }
  bool operator==(const MirrorPart&) const = default;
};

// Key "mirror/SITE/EPOCH.NUMBER": one hold of one site as its feed told it.
struct MirrorRecord {
  std::string site;
  Fence fence;
  RequestId request;
  HoldState state = HoldState::kNone;
  ClosedAs closed_as = ClosedAs::kNotClosed;
  Cause cause;
  Instant start;
  std::optional<Moment> deadline;
  Started started = Started::kNo;
  std::vector<MirrorPart> parts;
  Revision revision;
  static constexpr auto Fields() {
    using M = MirrorRecord;
    return FieldList(
        Field("site", &M::site), Field("fence", &M::fence), Field("request", &M::request),
        Field("state", &M::state), Field("closed_as", &M::closed_as), Field("cause", &M::cause),
        Field("start", &M::start), Field("deadline", &M::deadline), Field("started", &M::started),
        Field("parts", &M::parts), Field("revision", &M::revision));
  }
  bool operator==(const MirrorRecord&) const = default;
};

// Key "script/ID": a script too large to be written again with every change of its request, stored
// once. The request's own record then has an empty payload.script.
struct ScriptRecord {
  RequestId request;
  std::string script;
  static constexpr auto Fields() {
    using S = ScriptRecord;
    return FieldList(Field("request", &S::request), Field("script", &S::script));
  }
  bool operator==(const ScriptRecord&) const = default;
};

// Key "steer/ORDER": an operator's word to a site, until the site's feed has answered it.
struct SteerRecord {
  std::string site;
  Steer steer;
  Moment at;
  static constexpr auto Fields() {
    return FieldList(Field("site", &SteerRecord::site), Field("steer", &SteerRecord::steer),
                     Field("at", &SteerRecord::at));
  }
  bool operator==(const SteerRecord&) const = default;
};

// Key "key/NAME" ("key/user:kim"): says something else of a key than the configuration does, as
// long as the configuration still names `listed`.
struct KeyRecord {
  std::string name;
  std::string listed;      // the public key of the configuration this overrides
  std::string public_key;  // heard instead; empty: revoked
  Moment at;
  static constexpr auto Fields() {
    using K = KeyRecord;
    return FieldList(Field("name", &K::name), Field("listed", &K::listed),
                     Field("public_key", &K::public_key), Field("at", &K::at));
  }
  bool operator==(const KeyRecord&) const = default;
};

// Key "audit/NUMBER": an AuditRow (schemas/views.h), kept for kRecordKeep.
using MetaRecord =
    std::variant<MetaIdentity, RequestRecord, AttemptRecord, SiteLinkRecord, MirrorRecord,
                 ScriptRecord, SteerRecord, KeyRecord, AuditRow, SchedulerRecord, OutcomeRecord>;

inline constexpr size_t kScriptInline = 2048;  // larger scripts get a record of their own

inline constexpr size_t kHistoryKept =
    200;  // figures and events kept per request; the first is always kept

}  // namespace muster::schemas
