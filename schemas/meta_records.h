// The meta's durable records, and the store keys they are kept under. meta/core.h writes them and
// rebuilds a core from them.
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "schemas/bank.h"
#include "schemas/calibration.h"
#include "schemas/client.h"
#include "schemas/hold.h"
#include "schemas/home_fare.h"
#include "schemas/scheduler.h"
#include "schemas/site_link.h"
#include "schemas/views.h"

namespace muster::schemas {

// Key "meta", once per store.
struct MetaIdentity {
  std::string federation;
  Epoch epoch;
  RequestId last_request;
  uint64_t last_order = 0;  // number of the last order to a site (Steer)
  uint64_t last_audit = 0;
  static constexpr auto Fields() {
    using M = MetaIdentity;
    return FieldList(Field("federation", &M::federation), Field("epoch", &M::epoch),
                     Field("last_request", &M::last_request), Field("last_order", &M::last_order),
                     Field("last_audit", &M::last_audit));
  }
  bool operator==(const MetaIdentity&) const = default;
};

// Key "request/ID": a request as submitted, and its present state.
struct RequestRecord {
  RequestId id;
  Requester requester;
  ClientKey key;
  Digest digest;  // digest of the RequestSpec
  RequestSpec spec;
  Moment submitted_at;
  RequestState state = RequestState::kWaiting;
  std::optional<Outcome> outcome;
  std::optional<Reason> reason;  // why there is no promise, or why it was refused or parked
  uint32_t replacements = 0;
  std::optional<Fence> attempt;  // the attempt that binds now, or the last one that did
  // Figures shown to the user, oldest first, at most kHistoryKept.
  std::vector<FigureChange> history;
  std::vector<JobEvent> events;  // at most kHistoryKept
  bool parked = false;           // by its user or an operator: gets no permit until unparked
  // How long it could have been placed before `waits_since` (meta/requests/points.h); 0, 0: it was
  // neither parked nor altered.
  Span waited;
  Moment waits_since;
  std::optional<Lien> lien;  // what is set aside for it, and what it was charged
  // Of attempts with only lent room that were recalled: how many, time whose work is lost, and what
  // they did and saved, by which `spec` asks for less than was submitted.
  uint32_t recalls = 0;
  BootSpan lost;
  Span saved;
  static constexpr auto Fields() {
    using R = RequestRecord;
    return FieldList(
        Field("id", &R::id), Field("requester", &R::requester), Field("key", &R::key),
        Field("digest", &R::digest), Field("spec", &R::spec),
        Field("submitted_at", &R::submitted_at), Field("state", &R::state),
        Field("outcome", &R::outcome), Field("reason", &R::reason),
        Field("replacements", &R::replacements), Field("attempt", &R::attempt),
        Field("history", &R::history), Field("events", &R::events), Field("parked", &R::parked),
        Field("waited", &R::waited), Field("waits_since", &R::waits_since), Field("lien", &R::lien),
        Field("recalls", &R::recalls), Field("lost", &R::lost), Field("saved", &R::saved));
  }
  bool operator==(const RequestRecord&) const = default;
};

// Attempt states of protocol.md section 3.2 (C1-C13). Attempts are durable from kDecided on; those
// of n = 1 that are not gated skip the states up to kBarrier, so from kPermitted on.
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
  std::vector<std::string> part_sites;  // site of every part, in part order
  Instant start;
  Moment deadline;  // D
  std::optional<Fence> replaces;
  std::optional<Fence> superseded_by;
  std::optional<Permit> permit;
  Cause cause;           // cause of an abort or of a partial start
  bool partial = false;  // C11 was taken: counted as a partial start
  // The attempt has n = 1 and passes the barrier all the same, because its permit waits for a gate.
  bool gated = false;
  std::vector<uint64_t> counted;  // parts, from 1, whose final use is on record (UseRecord)
  bool only_lent = false;         // all its room is lent (HoldOrder::only_lent)
  static constexpr auto Fields() {
    using A = AttemptRecord;
    return FieldList(
        Field("fence", &A::fence), Field("request", &A::request), Field("state", &A::state),
        Field("members", &A::members), Field("part_sites", &A::part_sites),
        Field("start", &A::start), Field("deadline", &A::deadline), Field("replaces", &A::replaces),
        Field("superseded_by", &A::superseded_by), Field("permit", &A::permit),
        Field("cause", &A::cause), Field("partial", &A::partial), Field("gated", &A::gated),
        Field("counted", &A::counted), Field("only_lent", &A::only_lent));
  }
  bool operator==(const AttemptRecord&) const = default;
};

// Key "site/NAME": the state of a site's link. The feed position is stored in the same batch as
// what follows from it.
struct SiteLinkRecord {
  std::string name;
  Incarnation incarnation;
  FeedPosition feed;
  // When an operator gave the site up; reset when it is heard again.
  std::optional<Moment> forgotten;
  static constexpr auto Fields() {
    using S = SiteLinkRecord;
    return FieldList(Field("name", &S::name), Field("incarnation", &S::incarnation),
                     Field("feed", &S::feed), Field("forgotten", &S::forgotten));
  }
  bool operator==(const SiteLinkRecord&) const = default;
};

// The meta's mirror of one part at a site.
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

// Key "mirror/SITE/EPOCH.NUMBER": the meta's mirror of one hold, as the site's feed reported it.
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

// Key "script/ID": a script larger than kScriptInline, stored once so that changes of its request
// need not write it again. The request's own record then has an empty payload.script.
struct ScriptRecord {
  RequestId request;
  std::string script;
  static constexpr auto Fields() {
    using S = ScriptRecord;
    return FieldList(Field("request", &S::request), Field("script", &S::script));
  }
  bool operator==(const ScriptRecord&) const = default;
};

// Key "steer/ORDER": an operator's order to a site, kept until the site's feed answers it.
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

// Key "key/NAME" ("key/user:kim"): overrides a key of the configuration, as long as the
// configuration still lists `listed` for that name.
struct KeyRecord {
  std::string name;
  std::string listed;      // the configured public key that this record overrides
  std::string public_key;  // the key accepted instead; empty: revoked
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
                 ScriptRecord, SteerRecord, KeyRecord, AuditRow, SchedulerRecord, OutcomeRecord,
                 UseRecord, AccountRecord, EntryRecord, FareRecord>;

inline constexpr size_t kScriptInline = 2048;  // larger scripts get a record of their own

// Figures, and events, kept per request. The first of each is always kept.
inline constexpr size_t kHistoryKept = 200;

}  // namespace muster::schemas
