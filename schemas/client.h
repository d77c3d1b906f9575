// The messages between clients (users, operators) and the meta. protocol.md section 2b;
// client.capnp specifies the same messages field by field.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/digest.h"
#include "base/ids.h"
#include "schemas/bank.h"
#include "schemas/calibration.h"
#include "schemas/priority.h"
#include "schemas/request.h"
#include "schemas/scheduler.h"
#include "schemas/site_link.h"
#include "schemas/use.h"
#include "schemas/views.h"

namespace muster::schemas {

// Makes a submission safe to repeat. Either a generated key (time and 128 random bits; refused once
// older than kDedupeKeep) or the user's TEXT of --once (kept as long as the request's record).
struct ClientKey {
  std::string text;                 // --once TEXT, or 32 hex digits when generated
  std::optional<Moment> generated;  // creation time; set only for a generated key
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
// Asks when and where a request could run. Binds nobody. The payload is ignored.
struct Ask {
  RequestSpec request;
  static constexpr auto Fields() { return FieldList(Field("request", &Ask::request)); }
  bool operator==(const Ask&) const = default;
};
// Cancels requests. Idempotent. Operators may cancel requests of any user.
struct Cancel {
  std::vector<RequestId> requests;
  // Jobs inside a cancelled reservation may lose their promises. If false, cancelling a reservation
  // that contains promised jobs is a conflict.
  bool may_move = false;
  bool only_try = false;  // dry run: lists the promises that would be lost, changes nothing
  static constexpr auto Fields() {
    return FieldList(Field("requests", &Cancel::requests), Field("may_move", &Cancel::may_move),
                     Field("only_try", &Cancel::only_try));
  }
  bool operator==(const Cancel&) const = default;
};

// One verb applied to named targets. Idempotent. Users may park, unpark and alter their own
// requests and rotate their own key; operators may use every verb on any request. protocol.md
// section 2b (act).
enum class ActVerb : uint8_t {
  kPark,       // `requests` may not start until unparked; gives back a promise that has not started
  kUnpark,     // `requests` wait again and keep their rank
  kSettle,     // ends the unknown outcome of `requests` as `settled` says
  kDrain,      // takes `nodes` ("lakes/n1"; at a site "n1") out of use; uses `hard`, `reason`
  kResume,     // returns `nodes` to use
  kForget,     // gives `site` up
  kReload,     // reads the configuration again
  kRotateKey,  // replaces the caller's key by `public_key`
  kRevokeKey,  // rejects the key of `name` from now on
  kAlter,      // applies `changes` to `requests`, which may be reservations
  kSchedule,   // applies `scheduler` to the scheduler
  kPost,       // posts `posting` to the ledger
};
enum class Settlement : uint8_t { kEnded, kNeverRan };
// A list that replaces another one. Wrapped so that an empty list differs from an absent one.
struct Names {
  std::vector<std::string> names;
  static constexpr auto Fields() { return FieldList(Field("names", &Names::names)); }
  bool operator==(const Names&) const = default;
};
// Alteration of one part of a request, or of all parts (part 0). Absent fields stay unchanged.
struct PartAlteration {
  uint32_t part = 0;  // from 1; 0: all parts
  std::vector<Chunk> chunks;
  std::optional<Place> place;
  std::optional<bool> exclusive;
  std::optional<Names> sites;  // empty: any site
  std::optional<Names> not_sites;
  std::optional<std::string> set;  // a node set, or "none": any nodes
  static constexpr auto Fields() {
    using P = PartAlteration;
    return FieldList(Field("part", &P::part), Field("chunks", &P::chunks),
                     Field("place", &P::place), Field("exclusive", &P::exclusive),
                     Field("sites", &P::sites), Field("not_sites", &P::not_sites),
                     Field("set", &P::set));
  }
  bool operator==(const PartAlteration&) const = default;
};
// What kAlter changes. Absent fields stay unchanged. A running job can get a
// longer duration (within what its sites allow), other counts of malleable chunks and another name;
// an open reservation also another ACL.
struct Alteration {
  std::optional<Span> duration;
  std::optional<std::string> name;
  std::optional<std::string> queue;
  std::optional<bool> apart;
  std::optional<Instant> at;
  std::optional<Instant> from;
  std::optional<Instant> start_by;
  std::optional<Instant> deadline;
  std::vector<std::string> cleared;  // settings to remove: "at", "from", "start_by", "slots", ...
  std::vector<PartAlteration> parts;
  std::optional<Names> allow;  // new ACL of a reservation
  bool confirm = false;        // confirms a provisional reservation
  std::optional<Span> start_notice;
  IntervalSet slots;              // replaces the slots; empty: unchanged
  std::optional<Notice> notice;   // notice before the end
  std::vector<Dependency> after;  // replaces the dependencies; empty: unchanged
  std::optional<std::string> account;
  std::optional<std::string> qos;
  static constexpr auto Fields() {
    using A = Alteration;
    return FieldList(
        Field("duration", &A::duration), Field("name", &A::name), Field("queue", &A::queue),
        Field("apart", &A::apart), Field("at", &A::at), Field("from", &A::from),
        Field("start_by", &A::start_by), Field("deadline", &A::deadline),
        Field("cleared", &A::cleared), Field("parts", &A::parts), Field("allow", &A::allow),
        Field("confirm", &A::confirm), Field("start_notice", &A::start_notice),
        Field("slots", &A::slots), Field("notice", &A::notice), Field("after", &A::after),
        Field("account", &A::account), Field("qos", &A::qos));
  }
  bool operator==(const Alteration&) const = default;
};
// An entry of the ledger that somebody makes by hand; `reason` of the act is its note.
struct PostingOrder {
  EntryKind kind = EntryKind::kDeposit;  // kDeposit, kTransfer or kAdjust
  std::string account;                   // of kTransfer: the one that gives
  std::string to;                        // of kTransfer
  int64_t amount = 0;                    // millionths of a credit; of kAdjust also below zero
  std::optional<Instant> from;           // of kDeposit: usable from then on; none: at once
  std::optional<Instant> until;          // of kDeposit: not usable any more from then on
  std::string key;  // a second order with it posts nothing; it is refused if it is another one
  static constexpr auto Fields() {
    using P = PostingOrder;
    return FieldList(Field("kind", &P::kind), Field("account", &P::account), Field("to", &P::to),
                     Field("amount", &P::amount), Field("from", &P::from),
                     Field("until", &P::until), Field("key", &P::key));
  }
  bool operator==(const PostingOrder&) const = default;
};

struct Act {
  ActVerb verb = ActVerb::kPark;
  std::vector<RequestId> requests;
  std::vector<std::string> nodes;
  std::string site;
  std::string name;        // kRevokeKey: "user:kim", "site:lakes"
  std::string public_key;  // kRotateKey
  std::string reason;
  Settlement settled = Settlement::kEnded;
  bool hard = false;
  bool may_move = false;              // if false, an act that would move promises is a conflict
  bool only_try = false;              // dry run on a copy: lists what would move, changes nothing
  std::optional<Alteration> changes;  // kAlter
  std::optional<SchedulerChange> scheduler;  // kSchedule
  bool for_good = false;                     // kDrain: the nodes are not expected back
  std::optional<PostingOrder> posting;       // kPost
  static constexpr auto Fields() {
    using A = Act;
    return FieldList(Field("verb", &A::verb), Field("requests", &A::requests),
                     Field("nodes", &A::nodes), Field("site", &A::site), Field("name", &A::name),
                     Field("public_key", &A::public_key), Field("reason", &A::reason),
                     Field("settled", &A::settled), Field("hard", &A::hard),
                     Field("may_move", &A::may_move), Field("only_try", &A::only_try),
                     Field("changes", &A::changes), Field("scheduler", &A::scheduler),
                     Field("for_good", &A::for_good), Field("posting", &A::posting));
  }
  bool operator==(const Act&) const = default;
};

// What `get` returns. kJobs: JobViews without history and events. kJob: whole JobViews. kDigest:
// the state digest. kSlots: free windows for `spec` that begin before `until`. kExplain, kVerdicts:
// kPriority: about one job, or, without one, how the only site in `sites` orders its holds.
// kShares: of the federation, or of the only site in `sites`. kAudit, kStatement: rows with numbers
// above `from`. kAccounts: those of the caller, an operator's are all; with `account` only that
// one, with what it has set aside.
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
  kCalibration,
  kPriority,
  kShares,
  kAccounts,
  kStatement
};
struct Get {
  GetKind kind = GetKind::kJobs;
  // kJob, kOutput, kExplain, kVerdicts, kPriority: the jobs meant. kJobs: only these; empty: all
  // that match.
  std::vector<RequestId> requests;
  bool everyone = false;  // kJobs: those of all users, not only the caller's
  bool ended = false;     // kJobs: also ended jobs
  bool last = false;      // kJob: the caller's newest job, instead of `requests`
  RequestId page_after;   // return only rows after this one
  // kSites, kGantt, kNodes, kLimits, kSlots: only these sites; empty: all. kPriority, kShares: one.
  std::vector<std::string> sites;
  uint32_t part = 0;                // kOutput
  bool error_stream = false;        // kOutput
  uint64_t offset = 0;              // kOutput
  std::optional<RequestSpec> spec;  // kSlots; its payload is ignored
  std::optional<Instant> until;     // kSlots
  uint64_t from = 0;                // kAudit, kStatement
  std::vector<uint64_t> locals;     // kJob, kOutput: local jobs of the only site in `sites`
  std::string account;              // kAccounts, kStatement
  static constexpr auto Fields() {
    using G = Get;
    return FieldList(
        Field("kind", &G::kind), Field("requests", &G::requests), Field("everyone", &G::everyone),
        Field("ended", &G::ended), Field("last", &G::last), Field("page_after", &G::page_after),
        Field("sites", &G::sites), Field("part", &G::part), Field("error_stream", &G::error_stream),
        Field("offset", &G::offset), Field("spec", &G::spec), Field("until", &G::until),
        Field("from", &G::from), Field("locals", &G::locals), Field("account", &G::account));
  }
  bool operator==(const Get&) const = default;
};
// What a client follows. kJobs: the JobView of each request at once, then again on each change,
// until all have ended or the client leaves. The client repeats the message at least every
// kFollowKeepAlive as a keep-alive; a message with the same number replaces the earlier one.
// kEvents: all events from number `from` on, as far as they are kept (0: only new ones).
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
  std::string federation;  // empty: accept any federation
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

// Answer to Submit, Cancel and Act: what was asked for is durable. Answer to a dry run: what would
// happen.
struct Accepted {
  std::vector<RequestId> requests;
  std::vector<RequestState> states;  // present states, in the order of `requests`
  // Lines for people, "cancelled before its start": one per request in the same order; without
  // requests, on the act; or none.
  std::vector<std::string> notes;
  bool repeated = false;       // duplicate key: no new request was created
  std::vector<MoveRow> moves;  // promises that moved, or in a dry run would move
  static constexpr auto Fields() {
    using A = Accepted;
    return FieldList(Field("requests", &A::requests), Field("states", &A::states),
                     Field("notes", &A::notes), Field("repeated", &A::repeated),
                     Field("moves", &A::moves));
  }
  bool operator==(const Accepted&) const = default;
};
// Why a request failed, in the structure of cli.md section 1.10. `code` is stable: never, denied,
// not-found, conflict, usage, unreachable, version, federation, expired, busy, disk-full.
struct Refused {
  std::string code;
  std::string message;  // what is wrong, with the value
  std::string detail;   // further lines that say why; may be empty
  std::string help;     // how to do it right; may be empty
  std::string changed;  // what was changed: "nothing was submitted"
  static constexpr auto Fields() {
    using R = Refused;
    return FieldList(Field("code", &R::code), Field("message", &R::message),
                     Field("detail", &R::detail), Field("help", &R::help),
                     Field("changed", &R::changed));
  }
  bool operator==(const Refused&) const = default;
};
// An answer with rows of one kind; the other lists stay empty.
struct Rows {
  Moment as_of;
  bool more = false;  // there are further rows: ask again with page_after = the last row
  bool end = false;   // the follow has ended
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
  std::optional<PriorityView> priority;
  std::vector<ShareRow> shares;
  std::vector<AccountRow> accounts;
  std::vector<EntryRow> entries;
  std::vector<RankRow> ranks;
  static constexpr auto Fields() {
    using R = Rows;
    return FieldList(
        Field("as_of", &R::as_of), Field("more", &R::more), Field("end", &R::end),
        Field("basis", &R::basis), Field("jobs", &R::jobs), Field("offers", &R::offers),
        Field("sites", &R::sites), Field("gantt", &R::gantt), Field("output", &R::output),
        Field("digest", &R::digest), Field("nodes", &R::nodes), Field("slots", &R::slots),
        Field("explain", &R::explain), Field("verdicts", &R::verdicts), Field("events", &R::events),
        Field("keys", &R::keys), Field("audit", &R::audit), Field("limits", &R::limits),
        Field("scheduler", &R::scheduler), Field("calibration", &R::calibration),
        Field("priority", &R::priority), Field("shares", &R::shares),
        Field("accounts", &R::accounts), Field("entries", &R::entries), Field("ranks", &R::ranks));
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

// The server drops a follower that is silent for three of these periods.
inline constexpr BootSpan kFollowKeepAlive = Seconds(10);

}  // namespace muster::schemas
