// The messages between meta and sites. protocol.md section 2 says who sends each message, when, how
// duplicates are handled and what bounds it; schemas/codec/site_link.capnp specifies them field by
// field.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "schemas/hold.h"
#include "schemas/inspect.h"
#include "schemas/proposal.h"
#include "schemas/request.h"
#include "schemas/steer.h"
#include "schemas/use.h"

namespace muster::schemas {

inline constexpr uint32_t kProtocolVersion = 13;

// The [protocol] section of meta.toml. One set of values per federation, sent in `welcome`.
// protocol.md section 9.
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
    return FieldList(Field("lead", &P::lead), Field("start_wait", &P::start_wait),
                     Field("permit_window", &P::permit_window),
                     Field("answer_wait", &P::answer_wait), Field("settle", &P::settle),
                     Field("partner_wait", &P::partner_wait), Field("lease", &P::lease),
                     Field("heartbeat", &P::heartbeat));
  }
  bool operator==(const ProtocolValues&) const = default;
};

// A position in a site's feed, with the chain digest at that position.
struct FeedPosition {
  Revision revision;
  Digest digest;
  static constexpr auto Fields() {
    return FieldList(Field("revision", &FeedPosition::revision),
                     Field("digest", &FeedPosition::digest));
  }
  bool operator==(const FeedPosition&) const = default;
};

// A group of equal nodes as the meta sees them, without names or topology. scheduling.md section 1
// (Shadow).
struct NodeClass {
  uint32_t count = 0;
  uint32_t up = 0;
  ResourceSet per_node;
  std::map<std::string, std::string> properties;
  // True for the class that takes several kinds of nodes if a site has too many. Its amounts are
  // the largest of any of its nodes. Its properties are those that some of its nodes have; of
  // several values, one.
  bool mixed = false;
  // Of each node, in thousandths of the reference; of a mixed class, of its slowest node. None: the
  // reference.
  std::optional<int64_t> speed;
  static constexpr auto Fields() {
    using N = NodeClass;
    return FieldList(Field("count", &N::count), Field("up", &N::up),
                     Field("per_node", &N::per_node), Field("properties", &N::properties),
                     Field("mixed", &N::mixed), Field("speed", &N::speed));
  }
  bool operator==(const NodeClass&) const = default;
};

// One step of a free profile. `free` is, per node class (same index), the capacity from this time
// on without what local jobs, reservations and drains take. The meta's bookings are not subtracted.
struct ProfileStep {
  Instant from;
  std::vector<ResourceSet> free;
  static constexpr auto Fields() {
    return FieldList(Field("from", &ProfileStep::from), Field("free", &ProfileStep::free));
  }
  bool operator==(const ProfileStep&) const = default;
};

// Duration of the jobs of `who` ("kim", "@students", "*"): a default for jobs without a duration,
// or forced for all jobs.
struct DefaultDuration {
  std::string who;
  Span duration;  // > 0
  static constexpr auto Fields() {
    return FieldList(Field("who", &DefaultDuration::who),
                     Field("duration", &DefaultDuration::duration));
  }
  bool operator==(const DefaultDuration&) const = default;
};

// Capabilities that the meta goes by.
inline constexpr char kOrdersByPoints[] = "order";  // moves holds earlier by points of its own
inline constexpr char kWeighsShares[] = "shares";   // of the federation, among these points
inline constexpr char kLends[] = "lends";           // lends idle room to jobs with a contract

// A job of someone who uses the site's machine without muster; it runs.
struct OutsideRun {
  uint64_t key = 0;  // the same job keeps it
  std::string user;
  Interval when;        // from its start to the end of its limit
  ResourceSet amounts;  // that the profile lacks for it
  static constexpr auto Fields() {
    using R = OutsideRun;
    return FieldList(Field("key", &R::key), Field("user", &R::user), Field("when", &R::when),
                     Field("amounts", &R::amounts));
  }
  bool operator==(const OutsideRun&) const = default;
};

// The capacity of a site, total and free. At most kNodeClasses classes and kProfileSteps steps.
struct Capacity {
  PlanRevision plan;
  std::vector<NodeClass> classes;
  std::vector<ProfileStep> profile;
  ResourceSet free_now;  // over all nodes that are up, after all bookings
  ResourceSet total;
  std::string driver;  // "process", "simulated", "slurm"
  Span turnover;
  Span start_slack;  // longest delay of a start by the driver
  // Defaults; of two entries for one `who` the later counts.
  std::vector<DefaultDuration> durations;
  std::vector<DefaultDuration> forced;  // the same, but they override what users ask for
  // Optional features of this site, ascending; see site/planning/capabilities.h.
  std::vector<std::string> capabilities;
  // What is booked stays free. False: those who use the machine without muster may come first, and
  // starts are bounds.
  bool firm = true;
  // At most kOutsideRuns, those that began first, in the order of their starts. Once told, a job is
  // told until it ends.
  std::vector<OutsideRun> outside;
  static constexpr auto Fields() {
    using C = Capacity;
    return FieldList(Field("plan", &C::plan), Field("classes", &C::classes),
                     Field("profile", &C::profile), Field("free_now", &C::free_now),
                     Field("total", &C::total), Field("driver", &C::driver),
                     Field("turnover", &C::turnover), Field("start_slack", &C::start_slack),
                     Field("durations", &C::durations), Field("forced", &C::forced),
                     Field("capabilities", &C::capabilities), Field("firm", &C::firm),
                     Field("outside", &C::outside));
  }
  bool operator==(const Capacity&) const = default;
};

// Stamps for the four-stamp clock comparison (protocol.md section 6). Each side sends its own time
// and echoes the last stamps it received: the peer's sending time and its own time of receipt.
struct ClockStamps {
  Moment sent;
  Moment echoed;    // `sent` of the peer's last message with stamps; 0: none yet
  Moment received;  // when that message arrived, on this side's clock
  static constexpr auto Fields() {
    return FieldList(Field("sent", &ClockStamps::sent), Field("echoed", &ClockStamps::echoed),
                     Field("received", &ClockStamps::received));
  }
  bool operator==(const ClockStamps&) const = default;
};

// Messages from a site to the meta.

struct Hello {
  uint32_t version = kProtocolVersion;
  Incarnation incarnation;
  Epoch highest_epoch;
  FeedPosition feed;
  Capacity capacity;
  ClockStamps stamps;
  static constexpr auto Fields() {
    return FieldList(Field("version", &Hello::version), Field("incarnation", &Hello::incarnation),
                     Field("highest_epoch", &Hello::highest_epoch), Field("feed", &Hello::feed),
                     Field("capacity", &Hello::capacity), Field("stamps", &Hello::stamps));
  }
  bool operator==(const Hello&) const = default;
};

struct Heartbeat {
  FeedPosition feed;
  PlanRevision plan;
  // Present only if the plan revision changed since the last acknowledged one.
  std::optional<Capacity> capacity;
  ClockStamps stamps;
  bool disk_low = false;  // free disk space is low: creating orders are refused
  static constexpr auto Fields() {
    using H = Heartbeat;
    return FieldList(Field("feed", &H::feed), Field("plan", &H::plan),
                     Field("capacity", &H::capacity), Field("stamps", &H::stamps),
                     Field("disk_low", &H::disk_low));
  }
  bool operator==(const Heartbeat&) const = default;
};

// The booking of a part, as a ledger change reports it.
struct PartBooking {
  uint32_t index = 1;
  std::vector<std::string> nodes;  // opaque text, distinct; the first runs the command
  std::string rendezvous;
  Span extended;                 // time booked beyond the duration
  std::vector<uint64_t> counts;  // current sets per chunk after a resize; empty if never resized
  Span slower;                   // as in PartPlace, also the next one
  std::string group;
  std::optional<Lent> lent;  // it runs, or is about to, on room that is lent (L1 to L8)
  uint32_t recalls = 0;      // how often such room was recalled
  BootSpan lost;             // time of recalled lives, whose work is lost
  Span saved;                // of its duration, what recalled lives have done and saved
  static constexpr auto Fields() {
    using P = PartBooking;
    return FieldList(
        Field("index", &P::index), Field("nodes", &P::nodes), Field("rendezvous", &P::rendezvous),
        Field("extended", &P::extended), Field("counts", &P::counts), Field("slower", &P::slower),
        Field("group", &P::group), Field("lent", &P::lent), Field("recalls", &P::recalls),
        Field("lost", &P::lost), Field("saved", &P::saved));
  }
  bool operator==(const PartBooking&) const = default;
};

// A ledger change of a hold's state. `state` is the new state; of a CLOSED hold `closed_as` says
// how it closed.
struct HoldChanged {
  HoldState state = HoldState::kNone;
  ClosedAs closed_as = ClosedAs::kNotClosed;
  RequestId request;
  Cause cause;
  Instant start;
  std::optional<Moment> deadline;  // D as armed, once the hold is prepared
  Started started = Started::kNo;
  std::vector<PartBooking> parts;
  static constexpr auto Fields() {
    using H = HoldChanged;
    return FieldList(Field("state", &H::state), Field("closed_as", &H::closed_as),
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
  std::optional<Moment> started_at;  // also of a part that began while it was being stopped
  static constexpr auto Fields() {
    using P = PartChanged;
    return FieldList(Field("index", &P::index), Field("state", &P::state), Field("at", &P::at),
                     Field("booking", &P::booking), Field("end", &P::end),
                     Field("started_at", &P::started_at));
  }
  bool operator==(const PartChanged&) const = default;
};

// A moved hold (H15, H16, H17, R7). The cause is mandatory; the codec refuses a move without one.
struct Moved {
  Instant old_start;
  Instant new_start;
  std::optional<Moment> deadline;  // D, if it was armed again
  Cause cause;
  IntervalSet starts;  // feasible starts, if the hold was dropped
  static constexpr auto Fields() {
    using M = Moved;
    return FieldList(Field("old_start", &M::old_start), Field("new_start", &M::new_start),
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
    return FieldList(Field("index", &U::index), Field("usage", &U::usage),
                     Field("final", &U::final));
  }
  bool operator==(const UsageChanged&) const = default;
};

struct Change {
  Revision revision;
  Fence fence;
  std::variant<HoldChanged, PartChanged, Moved, UsageChanged, Steered> what;
  static constexpr auto Fields() {
    return FieldList(Field("revision", &Change::revision), Field("fence", &Change::fence),
                     Field("what", &Change::what));
  }
  bool operator==(const Change&) const = default;
};

// Changes with consecutive revisions. `after` is the position before the first change: by it the
// receiver detects a gap.
struct Report {
  FeedPosition after;
  std::vector<Change> changes;
  static constexpr auto Fields() {
    return FieldList(Field("after", &Report::after), Field("changes", &Report::changes));
  }
  bool operator==(const Report&) const = default;
};

// Answer to resync(all): every hold, in fence order, in pages. It overrides the meta's mirror.
struct Listing {
  FeedPosition feed;
  bool first = false;  // the first page: the receiver discards pages received before
  bool last = false;
  std::vector<HoldRecord> holds;
  static constexpr auto Fields() {
    return FieldList(Field("feed", &Listing::feed), Field("first", &Listing::first),
                     Field("last", &Listing::last), Field("holds", &Listing::holds));
  }
  bool operator==(const Listing&) const = default;
};

// Answer to an order that changed nothing. kPresent (H20, H21) reports the hold's present state.
enum class AnswerKind : uint8_t { kUnknown, kCountered, kStale, kPresent };
struct Answer {
  Fence fence;
  AnswerKind kind = AnswerKind::kUnknown;
  std::optional<VerdictEntry> verdict;  // kCountered
  std::optional<HoldChanged> present;   // kPresent
  std::optional<Revision> revision;     // kPresent: revision of the hold's last change
  static constexpr auto Fields() {
    using A = Answer;
    return FieldList(Field("fence", &A::fence), Field("kind", &A::kind),
                     Field("verdict", &A::verdict), Field("present", &A::present),
                     Field("revision", &A::revision));
  }
  bool operator==(const Answer&) const = default;
};
struct Answers {
  std::vector<Answer> answers;
  static constexpr auto Fields() { return FieldList(Field("answers", &Answers::answers)); }
  bool operator==(const Answers&) const = default;
};

// Earlier feasible starts of a co-allocated hold, sent when a change frees resources.
struct Offer {
  Fence fence;
  IntervalSet starts;
  PlanRevision plan;
  static constexpr auto Fields() {
    return FieldList(Field("fence", &Offer::fence), Field("starts", &Offer::starts),
                     Field("plan", &Offer::plan));
  }
  bool operator==(const Offer&) const = default;
};

// Messages from the meta to a site.

struct Welcome {
  Epoch epoch;
  FeedPosition feed;  // position that the meta has stored durably
  ProtocolValues values;
  Fence floor;
  ClockStamps stamps;
  static constexpr auto Fields() {
    using W = Welcome;
    return FieldList(Field("epoch", &W::epoch), Field("feed", &W::feed),
                     Field("values", &W::values), Field("floor", &W::floor),
                     Field("stamps", &W::stamps));
  }
  bool operator==(const Welcome&) const = default;
};

// Refusal of a hello or of another message. Both sides show it to people.
struct LinkRefused {
  std::string code;  // epoch, incarnation, version, federation, not-listed
  std::string message;
  static constexpr auto Fields() {
    return FieldList(Field("code", &LinkRefused::code), Field("message", &LinkRefused::message));
  }
  bool operator==(const LinkRefused&) const = default;
};

struct Beat {
  Revision feed;          // position that the meta has stored durably
  PlanRevision capacity;  // plan revision of the last capacity summary that the meta has
  Fence floor;
  ClockStamps stamps;
  static constexpr auto Fields() {
    return FieldList(Field("feed", &Beat::feed), Field("capacity", &Beat::capacity),
                     Field("floor", &Beat::floor), Field("stamps", &Beat::stamps));
  }
  bool operator==(const Beat&) const = default;
};

// Orders to an existing hold. HoldOrder creates one.
struct PrepareOrder {
  Fence fence;
  static constexpr auto Fields() { return FieldList(Field("fence", &PrepareOrder::fence)); }
  bool operator==(const PrepareOrder&) const = default;
};
struct CommitOrder {
  Fence fence;
  static constexpr auto Fields() { return FieldList(Field("fence", &CommitOrder::fence)); }
  bool operator==(const CommitOrder&) const = default;
};
struct PermitOrder {
  Fence fence;
  Permit permit;
  static constexpr auto Fields() {
    return FieldList(Field("fence", &PermitOrder::fence), Field("permit", &PermitOrder::permit));
  }
  bool operator==(const PermitOrder&) const = default;
};
struct ReleaseOrder {
  Fence fence;
  Cause cause;
  // The job has another place; if it has already started here, it goes on.
  bool unless_started = false;
  static constexpr auto Fields() {
    return FieldList(Field("fence", &ReleaseOrder::fence), Field("cause", &ReleaseOrder::cause),
                     Field("unless_started", &ReleaseOrder::unless_started));
  }
  bool operator==(const ReleaseOrder&) const = default;
};
struct Order {
  std::variant<HoldOrder, PrepareOrder, CommitOrder, PermitOrder, ReleaseOrder> what;
  static constexpr auto Fields() { return FieldList(Field("what", &Order::what)); }
  bool operator==(const Order&) const = default;
};
struct Orders {
  std::vector<Order> orders;  // at most kOrdersPerMessage
  static constexpr auto Fields() { return FieldList(Field("orders", &Orders::orders)); }
  bool operator==(const Orders&) const = default;
};

struct Resync {
  bool all = false;  // true: send a listing; false: send the feed after `from`
  Revision from;
  static constexpr auto Fields() {
    return FieldList(Field("all", &Resync::all), Field("from", &Resync::from));
  }
  bool operator==(const Resync&) const = default;
};

// How the shares of the federation stand, for a site that orders by them. The newest counts.
struct Standing {
  std::vector<StandingRow> rows;  // at most kStandingRows
  static constexpr auto Fields() { return FieldList(Field("rows", &Standing::rows)); }
  bool operator==(const Standing&) const = default;
};

// Envelopes.

struct ToMeta {
  uint32_t version = kProtocolVersion;
  std::string federation;
  Incarnation incarnation;
  MessageNumber number;
  MessageNumber answers;  // message it answers; 0: none
  Moment expires;
  std::variant<Hello, Heartbeat, Verdict, Report, Listing, Answers, Offer, View> body;
  static constexpr auto Fields() {
    using T = ToMeta;
    return FieldList(Field("version", &T::version), Field("federation", &T::federation),
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
  Incarnation incarnation;  // the incarnation addressed; any other ignores the message
  std::variant<Welcome, LinkRefused, Beat, Propose, Orders, Resync, Inspect, Steer, Standing> body;
  static constexpr auto Fields() {
    using T = ToSite;
    return FieldList(Field("version", &T::version), Field("federation", &T::federation),
                     Field("epoch", &T::epoch), Field("number", &T::number),
                     Field("answers", &T::answers), Field("expires", &T::expires),
                     Field("floor", &T::floor), Field("incarnation", &T::incarnation),
                     Field("body", &T::body));
  }
  bool operator==(const ToSite&) const = default;
};

}  // namespace muster::schemas
