// The messages between meta and sites. protocol.md section 2: who sends, when, what a duplicate
// does, what bounds it; schemas/codec/site_link.capnp carries the same in full.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "schemas/hold.h"
#include "schemas/request.h"

namespace muster::schemas {

inline constexpr uint32_t kProtocolVersion = 1;

// [protocol] of meta.toml, one set for a federation, sent in `welcome`. protocol.md section 9.
struct ProtocolValues {
  BootSpan lead = Seconds(30);
  BootSpan start_wait = Seconds(90);
  BootSpan permit_window = Seconds(60);
  BootSpan answer_wait = Seconds(5);
  BootSpan settle = Seconds(5);
  BootSpan partner_wait = Seconds(60);
  BootSpan lease = Seconds(30);
  BootSpan heartbeat = Seconds(2);
  static constexpr auto Fields() {
    using P = ProtocolValues;
    return std::tuple(Field("lead", &P::lead), Field("start_wait", &P::start_wait),
                      Field("permit_window", &P::permit_window),
                      Field("answer_wait", &P::answer_wait), Field("settle", &P::settle),
                      Field("partner_wait", &P::partner_wait), Field("lease", &P::lease),
                      Field("heartbeat", &P::heartbeat));
  }
  bool operator==(const ProtocolValues&) const = default;
};

// A position in a site's feed and the chain digest there.
struct FeedPosition {
  Revision revision;
  Digest digest;
  static constexpr auto Fields() {
    return std::tuple(Field("revision", &FeedPosition::revision),
                      Field("digest", &FeedPosition::digest));
  }
  bool operator==(const FeedPosition&) const = default;
};

// Equal nodes, as the meta sees them: no names, no topology. scheduling.md section 1 (Shadow).
struct NodeClass {
  uint32_t count = 0;
  uint32_t up = 0;
  ResourceSet per_node;
  std::map<std::string, std::string> properties;
  static constexpr auto Fields() {
    using N = NodeClass;
    return std::tuple(Field("count", &N::count), Field("up", &N::up),
                      Field("per_node", &N::per_node), Field("properties", &N::properties));
  }
  bool operator==(const NodeClass&) const = default;
};

// One step of a free profile: from here on, per node class (same index), this much is free of what
// is not the meta's own (local jobs, reservations, drains).
struct ProfileStep {
  Instant from;
  std::vector<ResourceSet> free;
  static constexpr auto Fields() {
    return std::tuple(Field("from", &ProfileStep::from), Field("free", &ProfileStep::free));
  }
  bool operator==(const ProfileStep&) const = default;
};

// What a site has and has free; at most kNodeClasses classes and kProfileSteps steps.
struct Capacity {
  PlanRevision plan;
  std::vector<NodeClass> classes;
  std::vector<ProfileStep> profile;
  ResourceSet free_now;  // over all nodes that are up, all bookings counted
  ResourceSet total;
  std::string driver;  // "process", "simulated", "slurm"
  Span turnover;
  Span start_slack;  // what the driver may start late
  static constexpr auto Fields() {
    using C = Capacity;
    return std::tuple(Field("plan", &C::plan), Field("classes", &C::classes),
                      Field("profile", &C::profile), Field("free_now", &C::free_now),
                      Field("total", &C::total), Field("driver", &C::driver),
                      Field("turnover", &C::turnover), Field("start_slack", &C::start_slack));
  }
  bool operator==(const Capacity&) const = default;
};

// Four-stamp clock comparison (protocol.md section 6). Each side fills its sending stamp and echoes
// the last beat it got: the peer's sending stamp and its own receipt of it.
struct ClockStamps {
  Moment sent;
  Moment echoed;    // the peer's `sent` of the last message with stamps; 0 if none yet
  Moment received;  // when that one came, on the sender's clock
  static constexpr auto Fields() {
    return std::tuple(Field("sent", &ClockStamps::sent), Field("echoed", &ClockStamps::echoed),
                      Field("received", &ClockStamps::received));
  }
  bool operator==(const ClockStamps&) const = default;
};

// ---- site to meta
// -------------------------------------------------------------------------------------------

struct Hello {
  uint32_t version = kProtocolVersion;
  Incarnation incarnation;
  Epoch highest_epoch;
  FeedPosition feed;
  Capacity capacity;
  ClockStamps stamps;
  static constexpr auto Fields() {
    return std::tuple(Field("version", &Hello::version), Field("incarnation", &Hello::incarnation),
                      Field("highest_epoch", &Hello::highest_epoch), Field("feed", &Hello::feed),
                      Field("capacity", &Hello::capacity), Field("stamps", &Hello::stamps));
  }
  bool operator==(const Hello&) const = default;
};

struct Heartbeat {
  FeedPosition feed;
  PlanRevision plan;
  std::optional<Capacity> capacity;  // only if p changed since the last acknowledged one
  ClockStamps stamps;
  bool disk_low = false;  // creating orders are refused
  static constexpr auto Fields() {
    using H = Heartbeat;
    return std::tuple(Field("feed", &H::feed), Field("plan", &H::plan),
                      Field("capacity", &H::capacity), Field("stamps", &H::stamps),
                      Field("disk_low", &H::disk_low));
  }
  bool operator==(const Heartbeat&) const = default;
};

// kAccepted: at the asked start. kCountered: at the first of `starts`. kNever: not even on the
// empty, whole machine. kBlocked: only defects prevent it. kUnanswered: planning budget spent; ask
// again.
enum class VerdictKind : uint8_t { kAccepted, kCountered, kNever, kBlocked, kUnanswered };

// The answer for one entry, or to an infeasible hold (countered).
struct VerdictEntry {
  VerdictKind kind = VerdictKind::kUnanswered;
  Instant start;       // accepted: asked; countered: first feasible
  IntervalSet starts;  // feasible, at most kStartIntervals; empty unless countered or asked for
  Instant complete_until = kFarFuture;  // `starts` lists all there are before this
  std::vector<ResourceSet> taken;       // per node class: what mapping really blocks
  std::optional<Reason> reason;         // why not the asked start / not at all
  std::vector<Chunk> largest;           // kNever: the largest that fits
  static constexpr auto Fields() {
    using V = VerdictEntry;
    return std::tuple(Field("kind", &V::kind), Field("start", &V::start),
                      Field("starts", &V::starts), Field("complete_until", &V::complete_until),
                      Field("taken", &V::taken), Field("reason", &V::reason),
                      Field("largest", &V::largest));
  }
  bool operator==(const VerdictEntry&) const = default;
};

struct Verdict {
  ProposalId proposal;
  uint32_t round = 0;
  PlanRevision plan;
  bool gone = false;  // the overlay to continue is not there
  std::vector<VerdictEntry> entries;
  static constexpr auto Fields() {
    using V = Verdict;
    return std::tuple(Field("proposal", &V::proposal), Field("round", &V::round),
                      Field("plan", &V::plan), Field("gone", &V::gone),
                      Field("entries", &V::entries));
  }
  bool operator==(const Verdict&) const = default;
};

// What a part shows of its booking in a change.
struct PartBooking {
  uint32_t index = 1;
  std::vector<std::string> nodes;  // opaque text, distinct, first one runs the command
  std::string rendezvous;
  static constexpr auto Fields() {
    return std::tuple(Field("index", &PartBooking::index), Field("nodes", &PartBooking::nodes),
                      Field("rendezvous", &PartBooking::rendezvous));
  }
  bool operator==(const PartBooking&) const = default;
};

// Ledger changes, the only way a site speaks of a hold. `held`, `prepared`, `committed`,
// `permitted`, `released` and `dropped` (expired and ended too) are HoldChanged with that state.
struct HoldChanged {
  HoldState state = HoldState::kNone;
  ClosedAs closed_as = ClosedAs::kNotClosed;
  RequestId request;
  Cause cause;
  Instant start;
  std::optional<Moment> deadline;  // D as armed, once prepared
  Started started = Started::kNo;
  std::vector<PartBooking> parts;
  static constexpr auto Fields() {
    using H = HoldChanged;
    return std::tuple(Field("state", &H::state), Field("closed_as", &H::closed_as),
                      Field("request", &H::request), Field("cause", &H::cause),
                      Field("start", &H::start), Field("deadline", &H::deadline),
                      Field("started", &H::started), Field("parts", &H::parts));
  }
  bool operator==(const HoldChanged&) const = default;
};

struct PartChanged {
  uint32_t index = 1;
  PartState state = PartState::kBooked;
  Moment at;
  PartBooking booking;
  PartEnd end;
  static constexpr auto Fields() {
    using P = PartChanged;
    return std::tuple(Field("index", &P::index), Field("state", &P::state), Field("at", &P::at),
                      Field("booking", &P::booking), Field("end", &P::end));
  }
  bool operator==(const PartChanged&) const = default;
};

// H15, H16, H17: a cause is mandatory; the codec refuses a change without one.
struct Moved {
  Instant old_start;
  Instant new_start;
  std::optional<Moment> deadline;  // the D re-armed
  Cause cause;
  IntervalSet starts;  // feasible ones when dropped
  static constexpr auto Fields() {
    using M = Moved;
    return std::tuple(Field("old_start", &M::old_start), Field("new_start", &M::new_start),
                      Field("deadline", &M::deadline), Field("cause", &M::cause),
                      Field("starts", &M::starts));
  }
  bool operator==(const Moved&) const = default;
};

struct UsageChanged {
  uint32_t index = 1;
  Usage usage;
  bool final = false;
  static constexpr auto Fields() {
    using U = UsageChanged;
    return std::tuple(Field("index", &U::index), Field("usage", &U::usage),
                      Field("final", &U::final));
  }
  bool operator==(const UsageChanged&) const = default;
};

struct Change {
  Revision revision;
  Fence fence;
  std::variant<HoldChanged, PartChanged, Moved, UsageChanged> what;
  static constexpr auto Fields() {
    return std::tuple(Field("revision", &Change::revision), Field("fence", &Change::fence),
                      Field("what", &Change::what));
  }
  bool operator==(const Change&) const = default;
};

// Changes `changes[0].revision ...`, consecutive. `after` is (r, h) before the first, so a gap
// shows at once.
struct Report {
  FeedPosition after;
  std::vector<Change> changes;
  static constexpr auto Fields() {
    return std::tuple(Field("after", &Report::after), Field("changes", &Report::changes));
  }
  bool operator==(const Report&) const = default;
};

// Answer to resync(all): every hold, in fence order, in pages; wins over the meta's mirror.
struct Listing {
  FeedPosition feed;
  bool first = false;  // forget pages that came before
  bool last = false;
  std::vector<HoldRecord> holds;
  static constexpr auto Fields() {
    return std::tuple(Field("feed", &Listing::feed), Field("first", &Listing::first),
                      Field("last", &Listing::last), Field("holds", &Listing::holds));
  }
  bool operator==(const Listing&) const = default;
};

// What an order that changed nothing is answered with. kPresent (H20, H21): the state the hold is
// in.
enum class AnswerKind : uint8_t { kUnknown, kCountered, kStale, kPresent };
struct Answer {
  Fence fence;
  AnswerKind kind = AnswerKind::kUnknown;
  std::optional<VerdictEntry> verdict;  // kCountered
  std::optional<HoldChanged> present;   // kPresent
  std::optional<Revision> revision;     // kPresent: of its last change
  static constexpr auto Fields() {
    using A = Answer;
    return std::tuple(Field("fence", &A::fence), Field("kind", &A::kind),
                      Field("verdict", &A::verdict), Field("present", &A::present),
                      Field("revision", &A::revision));
  }
  bool operator==(const Answer&) const = default;
};
struct Answers {
  std::vector<Answer> answers;
  static constexpr auto Fields() { return std::tuple(Field("answers", &Answers::answers)); }
  bool operator==(const Answers&) const = default;
};

// Earlier feasible starts of a co-allocated hold, when a change freed resources.
struct Offer {
  Fence fence;
  IntervalSet starts;
  PlanRevision plan;
  static constexpr auto Fields() {
    return std::tuple(Field("fence", &Offer::fence), Field("starts", &Offer::starts),
                      Field("plan", &Offer::plan));
  }
  bool operator==(const Offer&) const = default;
};

// One booking on one node, for drawing.
struct BookingRow {
  std::string node;
  std::string job;  // "42.1", or "lakes/17"
  Instant begin;
  Instant end;  // without turnover and tail
  bool running = false;
  bool co_allocation = false;
  ResourceSet resources;
  static constexpr auto Fields() {
    using B = BookingRow;
    return std::tuple(Field("node", &B::node), Field("job", &B::job), Field("begin", &B::begin),
                      Field("end", &B::end), Field("running", &B::running),
                      Field("co_allocation", &B::co_allocation), Field("resources", &B::resources));
  }
  bool operator==(const BookingRow&) const = default;
};
struct BookingsView {
  std::vector<std::string> nodes;  // all of the site, in its order
  std::vector<BookingRow> bookings;
  static constexpr auto Fields() {
    return std::tuple(Field("nodes", &BookingsView::nodes),
                      Field("bookings", &BookingsView::bookings));
  }
  bool operator==(const BookingsView&) const = default;
};
struct OutputView {
  std::string data;    // at most kOutputPieceBytes
  uint64_t next = 0;   // offset after it
  bool ended = false;  // nothing will follow `next`
  bool known = false;  // false: the site has no such output (yet, or any more)
  static constexpr auto Fields() {
    using O = OutputView;
    return std::tuple(Field("data", &O::data), Field("next", &O::next), Field("ended", &O::ended),
                      Field("known", &O::known));
  }
  bool operator==(const OutputView&) const = default;
};
struct View {
  uint64_t inspection = 0;
  PlanRevision plan;
  std::variant<BookingsView, OutputView> what;
  static constexpr auto Fields() {
    return std::tuple(Field("inspection", &View::inspection), Field("plan", &View::plan),
                      Field("what", &View::what));
  }
  bool operator==(const View&) const = default;
};

// ---- meta to site
// -------------------------------------------------------------------------------------------

struct Welcome {
  Epoch epoch;
  FeedPosition feed;  // what the meta holds durably
  ProtocolValues values;
  Fence floor;
  ClockStamps stamps;
  static constexpr auto Fields() {
    using W = Welcome;
    return std::tuple(Field("epoch", &W::epoch), Field("feed", &W::feed),
                      Field("values", &W::values), Field("floor", &W::floor),
                      Field("stamps", &W::stamps));
  }
  bool operator==(const Welcome&) const = default;
};

// Refusal of a hello, or of a message the receiver will not take; told to people on both sides.
struct LinkRefused {
  std::string code;  // "epoch", "incarnation", "version", "not-listed"
  std::string message;
  static constexpr auto Fields() {
    return std::tuple(Field("code", &LinkRefused::code), Field("message", &LinkRefused::message));
  }
  bool operator==(const LinkRefused&) const = default;
};

struct Beat {
  Revision feed;          // durable at the meta
  PlanRevision capacity;  // p of the last capacity summary it has
  Fence floor;
  ClockStamps stamps;
  static constexpr auto Fields() {
    return std::tuple(Field("feed", &Beat::feed), Field("capacity", &Beat::capacity),
                      Field("floor", &Beat::floor), Field("stamps", &Beat::stamps));
  }
  bool operator==(const Beat&) const = default;
};

// One entry of a proposal: what one attempt would want of this site.
struct ProposalEntry {
  std::vector<PartDemand> parts;
  std::string user;  // for limits and policy
  int32_t priority = 0;
  Instant asked;
  IntervalSet allowed;
  bool want_starts = false;     // co-allocated or asked for: answer with the whole set
  std::vector<Fence> ignoring;  // holds whose booking does not count
  static constexpr auto Fields() {
    using P = ProposalEntry;
    return std::tuple(Field("parts", &P::parts), Field("user", &P::user),
                      Field("priority", &P::priority), Field("asked", &P::asked),
                      Field("allowed", &P::allowed), Field("want_starts", &P::want_starts),
                      Field("ignoring", &P::ignoring));
  }
  bool operator==(const ProposalEntry&) const = default;
};
struct Propose {
  ProposalId proposal;
  uint32_t round = 0;
  PlanRevision assumed;
  bool tentative = false;
  std::optional<ProposalId> continues;  // extend that proposal's overlay
  std::vector<ProposalEntry> entries;   // in order
  static constexpr auto Fields() {
    using P = Propose;
    return std::tuple(Field("proposal", &P::proposal), Field("round", &P::round),
                      Field("assumed", &P::assumed), Field("tentative", &P::tentative),
                      Field("continues", &P::continues), Field("entries", &P::entries));
  }
  bool operator==(const Propose&) const = default;
};

// Orders on a hold that is there. HoldOrder creates one.
struct PrepareOrder {
  Fence fence;
  static constexpr auto Fields() { return std::tuple(Field("fence", &PrepareOrder::fence)); }
  bool operator==(const PrepareOrder&) const = default;
};
struct CommitOrder {
  Fence fence;
  static constexpr auto Fields() { return std::tuple(Field("fence", &CommitOrder::fence)); }
  bool operator==(const CommitOrder&) const = default;
};
struct PermitOrder {
  Fence fence;
  Permit permit;
  static constexpr auto Fields() {
    return std::tuple(Field("fence", &PermitOrder::fence), Field("permit", &PermitOrder::permit));
  }
  bool operator==(const PermitOrder&) const = default;
};
struct ReleaseOrder {
  Fence fence;
  Cause cause;
  static constexpr auto Fields() {
    return std::tuple(Field("fence", &ReleaseOrder::fence), Field("cause", &ReleaseOrder::cause));
  }
  bool operator==(const ReleaseOrder&) const = default;
};
struct Order {
  std::variant<HoldOrder, PrepareOrder, CommitOrder, PermitOrder, ReleaseOrder> what;
  static constexpr auto Fields() { return std::tuple(Field("what", &Order::what)); }
  bool operator==(const Order&) const = default;
};
struct Orders {
  std::vector<Order> orders;  // at most kOrdersPerMessage
  static constexpr auto Fields() { return std::tuple(Field("orders", &Orders::orders)); }
  bool operator==(const Orders&) const = default;
};

struct Resync {
  bool all = false;  // a listing; else the feed after `from`
  Revision from;
  static constexpr auto Fields() {
    return std::tuple(Field("all", &Resync::all), Field("from", &Resync::from));
  }
  bool operator==(const Resync&) const = default;
};

enum class InspectKind : uint8_t { kBookings, kOutput };
struct Inspect {
  uint64_t inspection = 0;
  InspectKind kind = InspectKind::kBookings;
  RequestId request;  // kOutput
  Fence fence;        // kOutput: the attempt that ran
  uint32_t part = 0;  // kOutput
  bool error_stream = false;
  uint64_t offset = 0;
  static constexpr auto Fields() {
    using I = Inspect;
    return std::tuple(Field("inspection", &I::inspection), Field("kind", &I::kind),
                      Field("request", &I::request), Field("fence", &I::fence),
                      Field("part", &I::part), Field("error_stream", &I::error_stream),
                      Field("offset", &I::offset));
  }
  bool operator==(const Inspect&) const = default;
};

// ---- envelopes
// ----------------------------------------------------------------------------------------------

struct ToMeta {
  uint32_t version = kProtocolVersion;
  std::string federation;
  Incarnation incarnation;
  MessageNumber number;
  MessageNumber answers;  // 0: none
  Moment expires;
  std::variant<Hello, Heartbeat, Verdict, Report, Listing, Answers, Offer, View> body;
  static constexpr auto Fields() {
    using T = ToMeta;
    return std::tuple(Field("version", &T::version), Field("federation", &T::federation),
                      Field("incarnation", &T::incarnation), Field("number", &T::number),
                      Field("answers", &T::answers), Field("expires", &T::expires),
                      Field("body", &T::body));
  }
  bool operator==(const ToMeta&) const = default;
};

struct ToSite {
  uint32_t version = kProtocolVersion;
  std::string federation;
  Epoch epoch;
  MessageNumber number;
  MessageNumber answers;
  Moment expires;
  Fence floor;
  Incarnation incarnation;  // the one welcomed or refused: others do not listen
  std::variant<Welcome, LinkRefused, Beat, Propose, Orders, Resync, Inspect> body;
  static constexpr auto Fields() {
    using T = ToSite;
    return std::tuple(Field("version", &T::version), Field("federation", &T::federation),
                      Field("epoch", &T::epoch), Field("number", &T::number),
                      Field("answers", &T::answers), Field("expires", &T::expires),
                      Field("floor", &T::floor), Field("incarnation", &T::incarnation),
                      Field("body", &T::body));
  }
  bool operator==(const ToSite&) const = default;
};

}  // namespace muster::schemas
