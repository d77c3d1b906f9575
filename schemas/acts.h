// What clients may order of the meta: to submit, to cancel, and the acts of users and operators.
// protocol.md section 2b.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "schemas/bank.h"
#include "schemas/request.h"
#include "schemas/scheduler.h"

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

}  // namespace muster::schemas
