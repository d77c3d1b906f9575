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
#include "schemas/acts.h"
#include "schemas/bank.h"
#include "schemas/calibration.h"
#include "schemas/priority.h"
#include "schemas/request.h"
#include "schemas/scheduler.h"
#include "schemas/site_link.h"
#include "schemas/use.h"
#include "schemas/views.h"
#include "schemas/whatif.h"

namespace muster::schemas {

// Asks when and where a request could run. Binds nobody. The payload is ignored.
struct Ask {
  RequestSpec request;
  static constexpr auto Fields() { return FieldList(Field("request", &Ask::request)); }
  bool operator==(const Ask&) const = default;
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
  kStatement,
  kWhatIf
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
  std::optional<WhatIf> what_if;    // kWhatIf
  static constexpr auto Fields() {
    using G = Get;
    return FieldList(
        Field("kind", &G::kind), Field("requests", &G::requests), Field("everyone", &G::everyone),
        Field("ended", &G::ended), Field("last", &G::last), Field("page_after", &G::page_after),
        Field("sites", &G::sites), Field("part", &G::part), Field("error_stream", &G::error_stream),
        Field("offset", &G::offset), Field("spec", &G::spec), Field("until", &G::until),
        Field("from", &G::from), Field("locals", &G::locals), Field("account", &G::account),
        Field("what_if", &G::what_if));
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
  std::optional<WhatIfView> what_if;
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
        Field("accounts", &R::accounts), Field("entries", &R::entries), Field("ranks", &R::ranks),
        Field("what_if", &R::what_if));
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
