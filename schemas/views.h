// The views shown to people and programs, as structs. Field names are the JSON names of cli.md
// section 4: muster.job/1 and the other documents are these structs printed. An unknown value is an
// absent optional (JSON null).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "schemas/hold.h"
#include "schemas/home_fare.h"
#include "schemas/reasons.h"
#include "schemas/request.h"
#include "schemas/site_rows.h"

namespace muster::schemas {

// The states of protocol.md section 3.5.
enum class RequestState : uint8_t {
  kWaiting,
  kParked,
  kPromised,
  kStarting,
  kRunning,
  kCancelling,
  kUnknown,
  kEnded
};
enum class Outcome : uint8_t { kDone, kFailed, kTimeout, kCancelled, kRefused, kLost };
// What users see of a part: whichever of its hold's state and its own state comes later in this
// list. protocol.md section 3.5.
enum class PartShown : uint8_t {
  kSeeking,
  kHeld,
  kPrepared,
  kCommitted,
  kPermitted,
  kReady,
  kStarting,
  kRunning,
  kEnding,
  kEnded,
  kUnknown
};

// The source of a figure: which site answered, when, and at which plan revision.
struct Basis {
  std::string site;
  Moment answered_at;
  double age_s = 0;
  PlanRevision plan_revision;
  static constexpr auto Fields() {
    return FieldList(Field("site", &Basis::site), Field("answered_at", &Basis::answered_at),
                     Field("age_s", &Basis::age_s), Field("plan_revision", &Basis::plan_revision));
  }
  bool operator==(const Basis&) const = default;
};
struct StartsBy {
  Instant at;
  bool firm = false;      // true: the promise; false: a bound
  bool verified = false;  // the sites' present plans confirm it; always true for a promise
  static constexpr auto Fields() {
    return FieldList(Field("at", &StartsBy::at), Field("firm", &StartsBy::firm),
                     Field("verified", &StartsBy::verified));
  }
  bool operator==(const StartsBy&) const = default;
};
struct Expected {
  Instant start;
  Instant low;
  Instant high;
  double confidence_ratio = 0.9;
  static constexpr auto Fields() {
    return FieldList(Field("start", &Expected::start), Field("low", &Expected::low),
                     Field("high", &Expected::high),
                     Field("confidence_ratio", &Expected::confidence_ratio));
  }
  bool operator==(const Expected&) const = default;
};
struct Figures {
  std::optional<StartsBy> starts_by;
  std::optional<Instant> ends_by;
  std::optional<Reason> no_promise_reason;
  std::optional<Expected> expected;
  std::vector<Basis> basis;
  static constexpr auto Fields() {
    using F = Figures;
    return FieldList(Field("starts_by", &F::starts_by), Field("ends_by", &F::ends_by),
                     Field("no_promise_reason", &F::no_promise_reason),
                     Field("expected", &F::expected), Field("basis", &F::basis));
  }
  bool operator==(const Figures&) const = default;
};
// One entry of the history of a request's figures. The first has no cause ("submitted").
struct FigureChange {
  Moment at;
  Figures figures;
  std::optional<Cause> cause;
  static constexpr auto Fields() {
    return FieldList(Field("at", &FigureChange::at), Field("figures", &FigureChange::figures),
                     Field("cause", &FigureChange::cause));
  }
  bool operator==(const FigureChange&) const = default;
};
// One event in the timeline of a job. Codes of an attempt and its holds: proposed, committed,
// decided, permitted, moved, ready, starting, started, changed, ended, released, dropped, aborted,
// partial, unproved. Codes of the request: accepted, extracted, altered, parked, unparked, settled,
// cancelled, refused; of a reservation also provisional, given-back, occurs.
struct JobEvent {
  Moment at;
  std::string code;
  std::string part;  // "42.1" or ""
  std::string site;
  std::optional<double> elapsed_s;
  std::string text;  // one line for people
  static constexpr auto Fields() {
    using J = JobEvent;
    return FieldList(Field("at", &J::at), Field("code", &J::code), Field("part", &J::part),
                     Field("site", &J::site), Field("elapsed_s", &J::elapsed_s),
                     Field("text", &J::text));
  }
  bool operator==(const JobEvent&) const = default;
};
// A life of a part on room that is lent to it.
struct LentView {
  LoanState state = LoanState::kStarting;
  Moment since;  // when the room was lent
  std::optional<Moment> started_at;
  std::optional<std::string> recalled_for;  // the job that is due there
  std::vector<std::string> nodes;
  std::optional<Moment> paused_at;  // others are on its cores since then
  static constexpr auto Fields() {
    using L = LentView;
    return FieldList(Field("state", &L::state), Field("since", &L::since),
                     Field("started_at", &L::started_at), Field("recalled_for", &L::recalled_for),
                     Field("nodes", &L::nodes), Field("paused_at", &L::paused_at));
  }
  bool operator==(const LentView&) const = default;
};
// Under which terms sites may lend a job room before its start (Contract).
struct ContractView {
  RecallWay way = RecallWay::kRequeue;
  Span grace_s;
  Span min_run_s;
  uint64_t max_recalls = 0;
  static constexpr auto Fields() {
    using C = ContractView;
    return FieldList(Field("way", &C::way), Field("grace_s", &C::grace_s),
                     Field("min_run_s", &C::min_run_s), Field("max_recalls", &C::max_recalls));
  }
  bool operator==(const ContractView&) const = default;
};
struct PartView {
  std::string id;  // "42.1"
  std::optional<std::string> site;
  PartShown state = PartShown::kSeeking;
  Span offset_s;
  Place place = Place::kFree;
  std::vector<std::string> nodes;
  std::vector<Chunk> chunks;
  std::optional<Moment> started_at;
  std::optional<Moment> ended_at;
  std::optional<int32_t> exit_code;
  std::optional<int32_t> signal;
  std::optional<Usage> used;
  std::string ended_text;          // one line, if there is more to say than the exit code or signal
  std::string group;               // "switch": its node set is one switch; else ""
  std::optional<std::string> set;  // its node set (PartSpec::set)
  std::optional<std::string> set_group;  // of its set, that its nodes are (PartPlace::group)
  // Time booked beyond the duration because its nodes are slower than the reference; < 0: faster.
  std::optional<Span> slower_s;
  std::optional<LentView> lent;     // it runs, or is about to, on room that is lent to it
  std::optional<uint64_t> recalls;  // how often such room was recalled; none: never
  std::optional<Span> lost_s;       // time of lives that were recalled and lost; none: none
  std::optional<Span> saved_s;      // of its duration, what such lives have saved; none: nothing
  static constexpr auto Fields() {
    using P = PartView;
    return FieldList(
        Field("id", &P::id), Field("site", &P::site), Field("state", &P::state),
        Field("offset_s", &P::offset_s), Field("place", &P::place), Field("nodes", &P::nodes),
        Field("chunks", &P::chunks), Field("started_at", &P::started_at),
        Field("ended_at", &P::ended_at), Field("exit_code", &P::exit_code),
        Field("signal", &P::signal), Field("used", &P::used), Field("ended_text", &P::ended_text),
        Field("group", &P::group), Field("set", &P::set), Field("set_group", &P::set_group),
        Field("slower_s", &P::slower_s), Field("lent", &P::lent), Field("recalls", &P::recalls),
        Field("lost_s", &P::lost_s), Field("saved_s", &P::saved_s));
  }
  bool operator==(const PartView&) const = default;
};
// An element of an array that did not end well.
struct ElementFailure {
  std::string id;  // "43[17]"
  Outcome outcome = Outcome::kFailed;
  std::optional<int32_t> exit_code;
  std::optional<int32_t> signal;
  std::string text;  // one line, if there is more to say; may be empty
  static constexpr auto Fields() {
    using E = ElementFailure;
    return FieldList(Field("id", &E::id), Field("outcome", &E::outcome),
                     Field("exit_code", &E::exit_code), Field("signal", &E::signal),
                     Field("text", &E::text));
  }
  bool operator==(const ElementFailure&) const = default;
};
// Counts of an array's elements by state. `failures` lists the first kFailuresShown.
struct ArrayView {
  uint64_t first = 0;
  uint64_t last = 0;
  uint64_t step = 1;
  uint64_t at_once = 0;  // 0: any number
  uint64_t waiting = 0;  // includes parked ones
  uint64_t promised = 0;
  uint64_t running = 0;  // includes starting ones
  uint64_t unknown = 0;
  uint64_t done = 0;
  uint64_t failed = 0;     // includes timed-out and lost ones
  uint64_t cancelled = 0;  // includes refused ones
  std::vector<ElementFailure> failures;
  std::vector<std::string> sites;  // sites that host or hosted elements; ascending
  static constexpr auto Fields() {
    using A = ArrayView;
    return FieldList(Field("first", &A::first), Field("last", &A::last), Field("step", &A::step),
                     Field("at_once", &A::at_once), Field("waiting", &A::waiting),
                     Field("promised", &A::promised), Field("running", &A::running),
                     Field("unknown", &A::unknown), Field("done", &A::done),
                     Field("failed", &A::failed), Field("cancelled", &A::cancelled),
                     Field("failures", &A::failures), Field("sites", &A::sites));
  }
  bool operator==(const ArrayView&) const = default;
};

// A notice to the running job before its time ends. (start_notice_s concerns the time before its
// start.)
struct EndNotice {
  Span before_s;
  std::string signal;             // "USR1"; "": none
  std::vector<std::string> argv;  // run beside the job; empty: none
  static constexpr auto Fields() {
    return FieldList(Field("before_s", &EndNotice::before_s), Field("signal", &EndNotice::signal),
                     Field("argv", &EndNotice::argv));
  }
  bool operator==(const EndNotice&) const = default;
};
// The one representation of a job. Listings of many jobs leave `history` and `events` empty.
// What a job costs, in millionths of a credit.
struct CostView {
  std::string account;
  int64_t set_aside = 0;
  int64_t charged = 0;
  static constexpr auto Fields() {
    using C = CostView;
    return FieldList(Field("account", &C::account), Field("set_aside", &C::set_aside),
                     Field("charged", &C::charged));
  }
  bool operator==(const CostView&) const = default;
};
struct JobView {
  std::string id;
  std::string name;
  std::string user;
  RequestClass kind = RequestClass::kBatch;
  RequestState state = RequestState::kWaiting;
  std::optional<Outcome> outcome;
  Moment submitted_at;
  std::optional<std::string> once;
  Span duration_s;
  bool apart = false;
  std::optional<Instant> at;
  std::optional<Instant> from;
  std::optional<Instant> start_by;
  std::optional<Instant> deadline;
  std::string queue;
  bool rerunnable = false;
  bool keep_going = false;
  Figures figures;
  std::vector<PartView> parts;
  std::vector<FigureChange> history;
  std::vector<JobEvent> events;
  std::vector<std::string> after;  // "ok:41", "any:43[7]"
  // Set for a whole array; the job's figures then cover all elements.
  std::optional<ArrayView> array;
  bool firm = false;
  std::optional<std::string> reservation;  // the reservation that the job runs in: "R7"
  bool reserves = false;                   // the job is a reservation, open to `allow`
  std::vector<std::string> allow;
  IntervalSet slots;    // the job must run wholly inside one of these; empty: any time
  Span start_notice_s;  // no move may put the start nearer than this
  std::optional<EndNotice> end_notice;
  std::optional<std::string> account;
  std::optional<std::string> qos;
  std::optional<CostView> cost;  // none: it costs nothing
  std::optional<ContractView>
      contract;  // under which sites may lend it room; none: they lend it none
  static constexpr auto Fields() {
    using J = JobView;
    return FieldList(
        Field("id", &J::id), Field("name", &J::name), Field("user", &J::user),
        Field("kind", &J::kind), Field("state", &J::state), Field("outcome", &J::outcome),
        Field("submitted_at", &J::submitted_at), Field("once", &J::once),
        Field("duration_s", &J::duration_s), Field("apart", &J::apart), Field("at", &J::at),
        Field("from", &J::from), Field("start_by", &J::start_by), Field("deadline", &J::deadline),
        Field("queue", &J::queue), Field("rerunnable", &J::rerunnable),
        Field("keep_going", &J::keep_going), Field("figures", &J::figures),
        Field("parts", &J::parts), Field("history", &J::history), Field("events", &J::events),
        Field("after", &J::after), Field("array", &J::array), Field("firm", &J::firm),
        Field("reservation", &J::reservation), Field("reserves", &J::reserves),
        Field("allow", &J::allow), Field("slots", &J::slots),
        Field("start_notice_s", &J::start_notice_s), Field("end_notice", &J::end_notice),
        Field("account", &J::account), Field("qos", &J::qos), Field("cost", &J::cost),
        Field("contract", &J::contract));
  }
  bool operator==(const JobView&) const = default;
};
// One row of the answer to `ask`: figures for one site (or for one set of sites, if there are
// several parts).
struct OfferView {
  std::vector<std::string> sites;  // site of each part, in part order
  Figures figures;
  std::vector<Reason> waits_for;
  std::optional<Reason> never;
  std::vector<Chunk> largest;   // with `never`: the largest chunks that would fit
  std::optional<int64_t> cost;  // in millionths of a credit; none: nothing
  static constexpr auto Fields() {
    using O = OfferView;
    return FieldList(Field("sites", &O::sites), Field("figures", &O::figures),
                     Field("waits_for", &O::waits_for), Field("never", &O::never),
                     Field("largest", &O::largest), Field("cost", &O::cost));
  }
  bool operator==(const OfferView&) const = default;
};
enum class SiteState : uint8_t { kDown, kHello, kSyncing, kUp, kSilent, kQuarantined };
struct SiteView {
  std::string name;
  SiteState state = SiteState::kDown;
  std::optional<Moment> answered_at;
  std::optional<double> age_s;
  std::optional<PlanRevision> plan_revision;
  std::optional<double> clock_offset_s;
  std::optional<std::string> driver;
  std::vector<std::string> capabilities;
  std::optional<uint32_t> nodes;
  std::optional<uint32_t> nodes_up;
  std::optional<ResourceSet> total;
  std::optional<ResourceSet> free;
  // Share of this site's promises that were kept; none: no promises yet.
  std::optional<double> kept_ratio;
  // Processor-seconds, faded by [fairshare]: what parts of users who are not at home here used
  // here, and what parts of users whose home this is used elsewhere. None: nobody has a home.
  std::optional<double> given_s;
  std::optional<double> taken_s;
  // None: not known, or nobody at home here has had a job.
  std::optional<HomeFare> home;
  static constexpr auto Fields() {
    using S = SiteView;
    return FieldList(
        Field("name", &S::name), Field("state", &S::state), Field("answered_at", &S::answered_at),
        Field("age_s", &S::age_s), Field("plan_revision", &S::plan_revision),
        Field("clock_offset_s", &S::clock_offset_s), Field("driver", &S::driver),
        Field("capabilities", &S::capabilities), Field("nodes", &S::nodes),
        Field("nodes_up", &S::nodes_up), Field("total", &S::total), Field("free", &S::free),
        Field("kept_ratio", &S::kept_ratio), Field("given_s", &S::given_s),
        Field("taken_s", &S::taken_s), Field("home", &S::home));
  }
  bool operator==(const SiteView&) const = default;
};
// Bookings of one site, for `gantt`.
struct GanttSite {
  std::string name;
  bool stale = false;
  std::optional<double> age_s;
  std::vector<std::string> nodes;
  std::vector<BookingRow> bookings;
  static constexpr auto Fields() {
    using G = GanttSite;
    return FieldList(Field("name", &G::name), Field("stale", &G::stale), Field("age_s", &G::age_s),
                     Field("nodes", &G::nodes), Field("bookings", &G::bookings));
  }
  bool operator==(const GanttSite&) const = default;
};
// A piece of the output of one part.
struct OutputRow {
  std::string part;  // "42.1"
  bool known = false;
  std::string data;
  uint64_t next = 0;
  bool ended = false;
  static constexpr auto Fields() {
    using O = OutputRow;
    return FieldList(Field("part", &O::part), Field("known", &O::known), Field("data", &O::data),
                     Field("next", &O::next), Field("ended", &O::ended));
  }
  bool operator==(const OutputRow&) const = default;
};

// One line of `explain`: the obstacles of one part at its site.
struct ExplainPart {
  std::string part;  // "42.3"
  std::string site;
  std::optional<Instant> from;  // earliest start of this part by itself; none: unknown
  bool binds = false;           // `from` is the latest of all parts: it determines the job's start
  std::vector<Reason> reasons;  // obstacles, those that last longest first
  static constexpr auto Fields() {
    using E = ExplainPart;
    return FieldList(Field("part", &E::part), Field("site", &E::site), Field("from", &E::from),
                     Field("binds", &E::binds), Field("reasons", &E::reasons));
  }
  bool operator==(const ExplainPart&) const = default;
};
// A change of the request that would let it start earlier.
struct ExplainChange {
  std::string text;               // "part 3 without a gpu"
  std::vector<std::string> argv;  // arguments of `muster`: alter 42.3 -l 1:ncpus=2
  std::optional<Instant> starts_by;
  Span earlier_s;
  static constexpr auto Fields() {
    using E = ExplainChange;
    return FieldList(Field("text", &E::text), Field("argv", &E::argv),
                     Field("starts_by", &E::starts_by), Field("earlier_s", &E::earlier_s));
  }
  bool operator==(const ExplainChange&) const = default;
};
// The queue position of a waiting request without a place: its queue, and the block it will leave
// with.
struct ExplainQueued {
  std::string queue;
  uint64_t place = 1;    // position in the queue, from 1
  uint64_t waiting = 1;  // requests in the queue
  uint64_t leaving = 0;  // requests of the queue that leave with the next block
  uint64_t block = 1;    // number of the block it leaves with (1: the next), if nobody else submits
  std::optional<Instant> block_at;  // when the next block is due
  std::string packing;              // packing algorithm in force
  // Site of each part in the present packing; empty: not packed yet.
  std::vector<std::string> sites;
  uint64_t ahead = 0;  // waiting requests that are packed before this one at one of these sites
  // Ids of the last kBlockers of those ahead, the last one first.
  std::vector<std::string> nearest;
  static constexpr auto Fields() {
    using Q = ExplainQueued;
    return FieldList(Field("queue", &Q::queue), Field("place", &Q::place),
                     Field("waiting", &Q::waiting), Field("leaving", &Q::leaving),
                     Field("block", &Q::block), Field("block_at", &Q::block_at),
                     Field("packing", &Q::packing), Field("sites", &Q::sites),
                     Field("ahead", &Q::ahead), Field("nearest", &Q::nearest));
  }
  bool operator==(const ExplainQueued&) const = default;
};
struct ExplainRows {
  std::string job;
  std::optional<Instant> start;  // planned start
  std::optional<StartsBy> starts_by;
  std::optional<Reason> reason;    // why there is no promise, or what the request itself demands
  std::vector<ExplainPart> parts;  // in part order
  std::vector<ExplainChange> changes;  // only changes that help, best first
  std::vector<std::string> no_help;    // one line each: "A shorter duration does not help."
  std::vector<std::string> more;       // one line each: changes that are not offered, and why
  std::optional<ExplainQueued> queued;
  static constexpr auto Fields() {
    using E = ExplainRows;
    return FieldList(
        Field("job", &E::job), Field("start", &E::start), Field("starts_by", &E::starts_by),
        Field("reason", &E::reason), Field("parts", &E::parts), Field("changes", &E::changes),
        Field("no_help", &E::no_help), Field("more", &E::more), Field("queued", &E::queued));
  }
  bool operator==(const ExplainRows&) const = default;
};
// The nodes of one site.
struct NodesOfSite {
  std::string name;
  bool stale = false;           // the site does not answer: the rows are as last seen
  std::optional<double> age_s;  // age of the rows; none: never seen
  std::vector<NodeRow> nodes;
  static constexpr auto Fields() {
    using N = NodesOfSite;
    return FieldList(Field("name", &N::name), Field("stale", &N::stale), Field("age_s", &N::age_s),
                     Field("nodes", &N::nodes));
  }
  bool operator==(const NodesOfSite&) const = default;
};
// One answer of a site to a proposal about a job or to an order that creates a hold, with what was
// asked. `how`: "proposal" or "hold".
struct VerdictRow {
  uint64_t round = 0;  // number of the round of questions, or of orders, about the job, from 1
  Moment at;
  std::string how;
  std::string site;
  std::string part;  // "42.1"; empty: the whole job
  std::optional<Instant> asked;
  // accepted, countered, never, blocked or unanswered; of an order also held, prepared or committed
  std::string verdict;
  std::optional<Instant> start;
  IntervalSet starts;
  std::optional<Reason> reason;
  PlanRevision plan_revision;
  static constexpr auto Fields() {
    using V = VerdictRow;
    return FieldList(Field("round", &V::round), Field("at", &V::at), Field("how", &V::how),
                     Field("site", &V::site), Field("part", &V::part), Field("asked", &V::asked),
                     Field("verdict", &V::verdict), Field("start", &V::start),
                     Field("starts", &V::starts), Field("reason", &V::reason),
                     Field("plan_revision", &V::plan_revision));
  }
  bool operator==(const VerdictRow&) const = default;
};
// One event of `events`. Codes: those of JobEvent, and site-up, site-silent, site-quarantined, act,
// packing (a switch of packing), block (what verifying a block took). Numbers rise by one within
// one epoch of the daemon and include the epoch.
struct EventRow {
  uint64_t number = 0;
  Moment at;
  std::string code;
  std::string job;   // "42", or ""
  std::string part;  // "42.1", or ""
  std::string site;
  std::string user;
  std::string text;
  static constexpr auto Fields() {
    using E = EventRow;
    return FieldList(Field("number", &E::number), Field("at", &E::at), Field("code", &E::code),
                     Field("job", &E::job), Field("part", &E::part), Field("site", &E::site),
                     Field("user", &E::user), Field("text", &E::text));
  }
  bool operator==(const EventRow&) const = default;
};
// A key that is, or was, accepted. `state`: listed (in the configuration), rotated (replaced by its
// owner while the configuration still lists the old key), or revoked.
struct KeyRow {
  std::string name;  // "user:kim", "site:lakes"
  std::string role;  // user, operator, site
  std::string state;
  std::string public_key;
  std::optional<Moment> heard_at;
  static constexpr auto Fields() {
    using K = KeyRow;
    return FieldList(Field("name", &K::name), Field("role", &K::role), Field("state", &K::state),
                     Field("public_key", &K::public_key), Field("heard_at", &K::heard_at));
  }
  bool operator==(const KeyRow&) const = default;
};
// One entry of the audit log: an act of an operator or of a key's owner, the result of an act that
// a site reports, or the return of a site that was given up.
struct AuditRow {
  uint64_t number = 0;
  Moment at;
  std::string who;  // "user:root", "site:lakes", or "signal" (a reload)
  // drain (with its options), resume, settle, forget, reload, alter, cancel, scheduler, rotate-key,
  // revoke-key
  std::string verb;
  std::string what;  // targets and values, one line
  std::string result;
  static constexpr auto Fields() {
    using A = AuditRow;
    return FieldList(Field("number", &A::number), Field("at", &A::at), Field("who", &A::who),
                     Field("verb", &A::verb), Field("what", &A::what), Field("result", &A::result));
  }
  bool operator==(const AuditRow&) const = default;
};

}  // namespace muster::schemas
