// The messages between clients (users, operators) and the meta. protocol.md section 2b; the codec's
// client.capnp carries the same in full.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/digest.h"
#include "base/ids.h"
#include "schemas/calibration.h"
#include "schemas/request.h"
#include "schemas/scheduler.h"
#include "schemas/site_link.h"
#include "schemas/views.h"

namespace muster::schemas {

// Makes a submission safe to repeat: a generated key (time and 128 random bits; refused once older
// than kDedupeKeep) or the user's TEXT of --once (kept as long as the request's record).
struct ClientKey {
  std::string text;                 // --once TEXT, or 32 hex digits when generated
  std::optional<Moment> generated;  // set iff generated
  static constexpr auto Fields() {
    return FieldList(Field("text", &ClientKey::text), Field("generated", &ClientKey::generated));
  }
  bool operator==(const ClientKey&) const = default;
};

struct Submit {
  ClientKey key;
  RequestSpec request;
  static constexpr auto Fields() {
    return FieldList(Field("key", &Submit::key), Field("request", &Submit::request));
  }
  bool operator==(const Submit&) const = default;
};
// When and where; binds nobody. The payload is ignored.
struct Ask {
  RequestSpec request;
  static constexpr auto Fields() { return FieldList(Field("request", &Ask::request)); }
  bool operator==(const Ask&) const = default;
};
// Names a target, not a step: repeating gives the same state. Operators may cancel anybody's.
struct Cancel {
  std::vector<RequestId> requests;
  bool may_move = false;  // jobs inside of a reservation may lose their promises: else a conflict
  bool only_try = false;  // says which would, changes nothing
  static constexpr auto Fields() {
    return FieldList(Field("requests", &Cancel::requests), Field("may_move", &Cancel::may_move),
                     Field("only_try", &Cancel::only_try));
  }
  bool operator==(const Cancel&) const = default;
};

// One verb on named targets. Repeating gives the same state. Owners: park, unpark, rotate-key;
// operators: these on anybody's, and the others. protocol.md section 2b (act).
enum class ActVerb : uint8_t {
  kPark,       // `requests` may not start until unparked; a promise not yet started is given back
  kUnpark,     // `requests` wait again, rank kept
  kSettle,     // `requests` with an unknown outcome: `settled` says which
  kDrain,      // `nodes` ("lakes/n1"; at a site "n1"), `hard`, `reason`
  kResume,     // `nodes`
  kForget,     // give `site` up
  kReload,     // read the configuration again
  kRotateKey,  // the caller's key from now on is `public_key`
  kRevokeKey,  // the key of `name` is heard no more
  kAlter,      // `requests` are as `changes` says from now on; reservations too
  kSchedule,   // the scheduler works as `scheduler` says from now on
};
enum class Settlement : uint8_t { kEnded, kNeverRan };
// A list that replaces another; an empty one is said too.
struct Names {
  std::vector<std::string> names;
  static constexpr auto Fields() { return FieldList(Field("names", &Names::names)); }
  bool operator==(const Names&) const = default;
};
// Of one part of a request, or of all (part 0). Absent: as it was.
struct PartAlteration {
  uint32_t part = 0;  // from 1
  std::vector<Chunk> chunks;
  std::optional<Place> place;
  std::optional<bool> exclusive;
  std::optional<Names> sites;  // empty: any
  std::optional<Names> not_sites;
  std::optional<std::string> group;  // "switch"; "none": anywhere
  static constexpr auto Fields() {
    using P = PartAlteration;
    return FieldList(Field("part", &P::part), Field("chunks", &P::chunks),
                     Field("place", &P::place), Field("exclusive", &P::exclusive),
                     Field("sites", &P::sites), Field("not_sites", &P::not_sites),
                     Field("group", &P::group));
  }
  bool operator==(const PartAlteration&) const = default;
};
// What kAlter changes. Absent: as it was. A running job may only get another duration (within what
// its sites allow) and other counts of malleable chunks.
struct Alteration {
  std::optional<Span> duration;
  std::optional<std::string> name;
  std::optional<std::string> queue;
  std::optional<bool> apart;
  std::optional<Instant> at;
  std::optional<Instant> from;
  std::optional<Instant> start_by;
  std::optional<Instant> deadline;
  std::vector<std::string> cleared;  // hold no more: "at", "from", "start_by", "slots", ...
  std::vector<PartAlteration> parts;
  std::optional<Names> allow;  // of a reservation
  bool confirm = false;        // a provisional reservation
  std::optional<Span> start_notice;
  IntervalSet slots;              // in place of those it has; empty: as they were
  std::optional<Notice> notice;   // before the end
  std::vector<Dependency> after;  // in place of those it has; empty: as they were
  static constexpr auto Fields() {
    using A = Alteration;
    return FieldList(
        Field("duration", &A::duration), Field("name", &A::name), Field("queue", &A::queue),
        Field("apart", &A::apart), Field("at", &A::at), Field("from", &A::from),
        Field("start_by", &A::start_by), Field("deadline", &A::deadline),
        Field("cleared", &A::cleared), Field("parts", &A::parts), Field("allow", &A::allow),
        Field("confirm", &A::confirm), Field("start_notice", &A::start_notice),
        Field("slots", &A::slots), Field("notice", &A::notice), Field("after", &A::after));
  }
  bool operator==(const Alteration&) const = default;
};
struct Act {
  ActVerb verb = ActVerb::kPark;
  std::vector<RequestId> requests;
  std::vector<std::string> nodes;
  std::string site;
  std::string name;  // "user:kim", "site:lakes"
  std::string public_key;
  std::string reason;
  Settlement settled = Settlement::kEnded;
  bool hard = false;
  bool may_move = false;  // promises may move: without it what would move one is a conflict
  bool only_try = false;  // on a copy: says what would move, changes nothing
  std::optional<Alteration> changes;         // kAlter
  std::optional<SchedulerChange> scheduler;  // kSchedule
  bool for_good = false;                     // kDrain: what is out does not come back
  static constexpr auto Fields() {
    using A = Act;
    return FieldList(Field("verb", &A::verb), Field("requests", &A::requests),
                     Field("nodes", &A::nodes), Field("site", &A::site), Field("name", &A::name),
                     Field("public_key", &A::public_key), Field("reason", &A::reason),
                     Field("settled", &A::settled), Field("hard", &A::hard),
                     Field("may_move", &A::may_move), Field("only_try", &A::only_try),
                     Field("changes", &A::changes), Field("scheduler", &A::scheduler),
                     Field("for_good", &A::for_good));
  }
  bool operator==(const Act&) const = default;
};

// kJobs: JobView without history and events; kJob: whole; kLast: the caller's newest; kDigest:
// state digest. kSlots: where `spec` fits until `until`. kExplain, kVerdicts: of one job. kAudit:
// rows after `from`.
enum class GetKind : uint8_t {
  kJobs,
  kJob,
  kSites,
  kGantt,
  kOutput,
  kDigest,
  kNodes,
  kSlots,
  kExplain,
  kVerdicts,
  kKeys,
  kAudit,
  kLimits,
  kScheduler,
  kCalibration
};
struct Get {
  GetKind kind = GetKind::kJobs;
  std::vector<RequestId> requests;  // kJob, kOutput; for kJobs empty = all that match
  bool everyone = false;            // kJobs: not only the caller's
  bool ended = false;               // kJobs: ended ones too
  bool last = false;                // kJob: instead of `requests`, the caller's newest
  RequestId page_after;             // rows after this one
  std::vector<std::string> sites;   // kGantt, kSites: only these; empty = all
  uint32_t part = 0;                // kOutput
  bool error_stream = false;        // kOutput
  uint64_t offset = 0;              // kOutput
  std::optional<RequestSpec> spec;  // kSlots; its payload is ignored
  std::optional<Instant> until;     // kSlots
  uint64_t from = 0;                // kAudit
  std::vector<uint64_t> locals;     // kJob, kOutput: jobs of the site in `sites`, "lakes/17"
  static constexpr auto Fields() {
    using G = Get;
    return FieldList(
        Field("kind", &G::kind), Field("requests", &G::requests), Field("everyone", &G::everyone),
        Field("ended", &G::ended), Field("last", &G::last), Field("page_after", &G::page_after),
        Field("sites", &G::sites), Field("part", &G::part), Field("error_stream", &G::error_stream),
        Field("offset", &G::offset), Field("spec", &G::spec), Field("until", &G::until),
        Field("from", &G::from), Field("locals", &G::locals));
  }
  bool operator==(const Get&) const = default;
};
// kJobs: changes of jobs: their present JobView at once, then again on each change, until all have
// ended or the client leaves (it repeats the message as a keep-alive at least every
// kFollowKeepAlive; the same number replaces it). kEvents: everything that happens, from event
// `from` on as far as it is kept (0: from now on).
enum class FollowKind : uint8_t { kJobs, kEvents };
struct Follow {
  std::vector<RequestId> requests;
  bool stop = false;
  FollowKind kind = FollowKind::kJobs;
  uint64_t from = 0;
  static constexpr auto Fields() {
    return FieldList(Field("requests", &Follow::requests), Field("stop", &Follow::stop),
                     Field("kind", &Follow::kind), Field("from", &Follow::from));
  }
  bool operator==(const Follow&) const = default;
};

struct ClientMessage {
  uint32_t version = kProtocolVersion;
  std::string federation;  // empty: whatever the server is
  MessageNumber number;
  Moment expires;  // 0: never
  std::variant<Submit, Ask, Cancel, Get, Follow, Act> body;
  static constexpr auto Fields() {
    using C = ClientMessage;
    return FieldList(Field("version", &C::version), Field("federation", &C::federation),
                     Field("number", &C::number), Field("expires", &C::expires),
                     Field("body", &C::body));
  }
  bool operator==(const ClientMessage&) const = default;
};

// It is durable.
struct Accepted {
  std::vector<RequestId> requests;
  std::vector<RequestState> states;  // present, same order
  std::vector<std::string>
      notes;                   // one line each, same order or empty: "cancelled before its start"
  bool repeated = false;       // a duplicate key: nothing new was made
  std::vector<MoveRow> moves;  // promises that moved, or would
  static constexpr auto Fields() {
    using A = Accepted;
    return FieldList(Field("requests", &A::requests), Field("states", &A::states),
                     Field("notes", &A::notes), Field("repeated", &A::repeated),
                     Field("moves", &A::moves));
  }
  bool operator==(const Accepted&) const = default;
};
// The error anatomy of cli.md section 1.10; `code` is stable: never, denied, not-found, conflict,
// usage, unreachable, version, federation, expired, busy, disk-full.
struct Refused {
  std::string code;
  std::string message;  // what was wrong, with the value
  std::string detail;   // further lines: why; may be empty
  std::string help;     // what would be right; may be empty
  std::string changed;  // "nothing was submitted"
  static constexpr auto Fields() {
    using R = Refused;
    return FieldList(Field("code", &R::code), Field("message", &R::message),
                     Field("detail", &R::detail), Field("help", &R::help),
                     Field("changed", &R::changed));
  }
  bool operator==(const Refused&) const = default;
};
// Rows of one kind (the others stay empty).
struct Rows {
  Moment as_of;
  bool more = false;  // ask again with page_after = the last row
  bool end = false;   // of a follow
  std::vector<Basis> basis;
  std::vector<JobView> jobs;
  std::vector<OfferView> offers;
  std::vector<SiteView> sites;
  std::vector<GanttSite> gantt;
  std::vector<OutputRow> output;
  std::optional<Digest> digest;
  std::vector<NodesOfSite> nodes;
  std::vector<SlotRow> slots;
  std::optional<ExplainRows> explain;
  std::vector<VerdictRow> verdicts;
  std::vector<EventRow> events;
  std::vector<KeyRow> keys;
  std::vector<AuditRow> audit;
  std::vector<LimitRow> limits;
  std::optional<SchedulerView> scheduler;
  std::optional<CalibrationView> calibration;
  static constexpr auto Fields() {
    using R = Rows;
    return FieldList(
        Field("as_of", &R::as_of), Field("more", &R::more), Field("end", &R::end),
        Field("basis", &R::basis), Field("jobs", &R::jobs), Field("offers", &R::offers),
        Field("sites", &R::sites), Field("gantt", &R::gantt), Field("output", &R::output),
        Field("digest", &R::digest), Field("nodes", &R::nodes), Field("slots", &R::slots),
        Field("explain", &R::explain), Field("verdicts", &R::verdicts), Field("events", &R::events),
        Field("keys", &R::keys), Field("audit", &R::audit), Field("limits", &R::limits),
        Field("scheduler", &R::scheduler), Field("calibration", &R::calibration));
  }
  bool operator==(const Rows&) const = default;
};

struct ToClient {
  uint32_t version = kProtocolVersion;
  std::string federation;
  MessageNumber answers;
  std::variant<Accepted, Refused, Rows> body;
  static constexpr auto Fields() {
    using T = ToClient;
    return FieldList(Field("version", &T::version), Field("federation", &T::federation),
                     Field("answers", &T::answers), Field("body", &T::body));
  }
  bool operator==(const ToClient&) const = default;
};

inline constexpr BootSpan kFollowKeepAlive =
    Seconds(10);  // a silent follower is forgotten after three

}  // namespace muster::schemas
