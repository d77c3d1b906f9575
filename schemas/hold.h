// Holds as messages carry them and as a site records them: the order that creates a hold, its
// states and its parts. protocol.md sections 1 (record), 2 (hold), 3.1 and 3.3 (tables).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/ids.h"
#include "base/interval.h"
#include "base/time.h"
#include "schemas/contract.h"
#include "schemas/fields.h"
#include "schemas/reasons.h"
#include "schemas/request.h"

namespace muster::schemas {

// States of protocol.md section 3.1, in order of progress: an order never moves a hold backwards.
enum class HoldState : uint8_t { kNone, kHeld, kPrepared, kCommitted, kPermitted, kClosed };
// How a CLOSED hold closed. kReleased also marks a tombstone (H5); kDropped means that the site
// gave the hold up (H16).
enum class ClosedAs : uint8_t { kNotClosed, kReleased, kExpired, kDropped, kEnded };
// States of protocol.md section 3.3.
enum class PartState : uint8_t { kBooked, kReady, kStarting, kRunning, kEnding, kEnded };
enum class Started : uint8_t { kNo, kYes, kUnknown };

// The user who submitted. The meta vouches for the name; the site maps it to an account.
struct Requester {
  std::string user;
  std::vector<std::string> groups;
  static constexpr auto Fields() {
    return FieldList(Field("user", &Requester::user), Field("groups", &Requester::groups));
  }
  bool operator==(const Requester&) const = default;
};

// One part as a site plans it: its resources and times, without its payload.
struct PartDemand {
  uint32_t index = 1;  // part number in the request, from 1
  std::vector<Chunk> chunks;
  Span duration;
  Span offset;  // start of the part after the hold's start
  // Extra time booked after the duration, in which the permit may come after the start: start_wait
  // for n > 1; for n = 1 single_wait behind a gate, move_wait if the job leaves another site, else
  // 0.
  Span tail;
  Place place = Place::kFree;
  bool exclusive = false;
  ResourceSet jobwide;  // resources of the whole site, not of a node
  std::string set;      // the node set that the nodes must be (PartSpec::set); "": any nodes
  // Lasts as long on slow nodes as on fast ones: a reservation.
  bool by_clock = false;
  static constexpr auto Fields() {
    using P = PartDemand;
    return FieldList(Field("index", &P::index), Field("chunks", &P::chunks),
                     Field("duration", &P::duration), Field("offset", &P::offset),
                     Field("tail", &P::tail), Field("place", &P::place),
                     Field("exclusive", &P::exclusive), Field("jobwide", &P::jobwide),
                     Field("set", &P::set), Field("by_clock", &P::by_clock));
  }
  bool operator==(const PartDemand&) const = default;
};

// Everything that one attempt wants of one site. `stage` is the target state: kHeld (H1), kPrepared
// (H2) or kCommitted (direct, one member, H3).
struct HoldOrder {
  Fence fence;
  RequestId request;
  std::string job_name;
  Requester requester;
  RequestClass request_class = RequestClass::kBatch;
  int32_t priority = 0;                 // rank: higher is more urgent
  std::vector<std::string> members;     // all sites of the attempt, ascending
  uint32_t part_count = 1;              // number of parts of the whole request
  std::vector<std::string> part_sites;  // site of every part of the request, in part order
  std::vector<PartDemand> parts;        // parts at this site, ascending by index
  Payload payload;                      // runs once in every part
  Digest payload_digest;                // DigestOf(payload)
  IntervalSet allowed;                  // allowed starts of the attempt
  Instant earliest;                     // H17 never moves the start before this
  HoldState stage = HoldState::kHeld;
  BootSpan lease;                 // kHeld only; the site arms it on receipt
  Span deadline_after;            // D = start + this: start_wait, single_wait or move_wait
  PlanRevision assumed;           // plan revision of the verdict that this order relies on; 0: none
  std::optional<Fence> replaces;  // H9: hold to close in the same write as the commit
  // REQUIRES `replaces`: the place is sought for its earlier start alone. The site refuses it if
  // the replaced hold has as early a start by now.
  bool improves = false;
  std::optional<RequestId> inside;  // the reservation that this hold runs in
  // This hold is a reservation: its permit opens it to its ACL and starts no process.
  std::optional<ReservationSpec> reserves;
  std::optional<Notice> notice;  // notice before the end
  Span start_notice;             // H17 never moves the start nearer than now + this
  // The hold is of an array element that passes the start barrier: H17 moves it only once it is
  // permitted.
  bool keeps_order = false;
  std::string account;  // that the meta vouches for, as for the requester; also the next two
  std::string qos;
  std::string queue;
  // Of a user whose home the site is: of two that are as urgent it is moved earlier first.
  bool home = false;
  // For a site that orders by points of its own (capability "order"): since when the request waits,
  // later by what did not count as waiting, and the target of its QoS. None: the site orders by
  // priority, or there is no target.
  std::optional<Moment> waits_since;
  std::optional<Span> target;
  std::optional<Contract> contract;  // the site may lend it room before its start
  // REQUIRES a contract: all its room is lent. It is booked only as far as that cannot be taken
  // back, for as long as nobody else is due there, at most for its duration.
  bool only_lent = false;
  // Of earlier attempts with only lent room: how many were recalled, and what they have saved.
  uint32_t recalls = 0;
  Span saved;
  static constexpr auto Fields() {
    using H = HoldOrder;
    return FieldList(
        Field("fence", &H::fence), Field("request", &H::request), Field("job_name", &H::job_name),
        Field("requester", &H::requester), Field("request_class", &H::request_class),
        Field("priority", &H::priority), Field("members", &H::members),
        Field("part_count", &H::part_count), Field("part_sites", &H::part_sites),
        Field("parts", &H::parts), Field("payload", &H::payload),
        Field("payload_digest", &H::payload_digest), Field("allowed", &H::allowed),
        Field("earliest", &H::earliest), Field("stage", &H::stage), Field("lease", &H::lease),
        Field("deadline_after", &H::deadline_after), Field("assumed", &H::assumed),
        Field("replaces", &H::replaces), Field("inside", &H::inside),
        Field("reserves", &H::reserves), Field("notice", &H::notice),
        Field("start_notice", &H::start_notice), Field("keeps_order", &H::keeps_order),
        Field("account", &H::account), Field("qos", &H::qos), Field("queue", &H::queue),
        Field("home", &H::home), Field("waits_since", &H::waits_since), Field("target", &H::target),
        Field("contract", &H::contract), Field("only_lent", &H::only_lent),
        Field("recalls", &H::recalls), Field("saved", &H::saved), Field("improves", &H::improves));
  }
  bool operator==(const HoldOrder&) const = default;
};

// The only right to start. The meta writes it durably before sending it.
struct Permit {
  Instant last_start;  // latest start of the attempt; a part may start until this + its offset
  std::vector<std::string> rendezvous;  // host:port of every part of the request, in part order
  Secret secret;                        // drawn by the meta; the same in all parts
  static constexpr auto Fields() {
    return FieldList(Field("last_start", &Permit::last_start),
                     Field("rendezvous", &Permit::rendezvous), Field("secret", &Permit::secret));
  }
  bool operator==(const Permit&) const = default;
};

// One set of a chunk, placed on one node.
struct ChunkPlace {
  std::string node;
  ResourceSet resources;
  static constexpr auto Fields() {
    return FieldList(Field("node", &ChunkPlace::node), Field("resources", &ChunkPlace::resources));
  }
  bool operator==(const ChunkPlace&) const = default;
};

// The nodes that a part is mapped to. First one entry per chunk set, in chunk order; the first of
// them names the node that runs the command. Then entries without resources: nodes that are blocked
// for the part but host no chunk.
struct PartPlace {
  uint32_t index = 1;
  std::vector<ChunkPlace> chunks;
  // Time booked beyond the duration because these nodes are slower than the reference; < 0 if they
  // are faster. Maui Sect. IV (node sets), scheduling.md (node sets).
  Span slower;
  std::string group;  // of its node set, that these nodes are: "speed=80%"; "": none was chosen
  static constexpr auto Fields() {
    using P = PartPlace;
    return FieldList(Field("index", &P::index), Field("chunks", &P::chunks),
                     Field("slower", &P::slower), Field("group", &P::group));
  }
  bool operator==(const PartPlace&) const = default;
};

// Cumulative usage of a part (protocol.md section 7.7). Unmeasured figures are absent.
struct Usage {
  BootSpan elapsed;
  std::optional<BootSpan> cpu;
  std::optional<int64_t> max_rss_bytes;
  static constexpr auto Fields() {
    return FieldList(Field("elapsed", &Usage::elapsed), Field("cpu", &Usage::cpu),
                     Field("max_rss_bytes", &Usage::max_rss_bytes));
  }
  bool operator==(const Usage&) const = default;
};

// How a part ended. Exactly one of exit_code and signal is set if a process ran and its end was
// observed.
enum class EndedBy : uint8_t { kNotEnded, kExit, kWalltime, kRelease, kFailedToStart, kUnknown };
struct PartEnd {
  EndedBy by = EndedBy::kNotEnded;
  std::optional<int32_t> exit_code;
  std::optional<int32_t> signal;
  std::string text;  // one line for people, if there is more to say
  static constexpr auto Fields() {
    return FieldList(Field("by", &PartEnd::by), Field("exit_code", &PartEnd::exit_code),
                     Field("signal", &PartEnd::signal), Field("text", &PartEnd::text));
  }
  bool operator==(const PartEnd&) const = default;
};

// An armed lease or D. Survives a reboot by the rule of protocol.md section 6.
struct Deadline {
  std::string boot_id;  // boot during which it was armed
  BootInstant boot;     // the deadline, valid while boot_id is the current boot
  Moment wall;          // UTC; after a reboot, wall - now remains, clamped to [0, span]
  BootSpan span;
  static constexpr auto Fields() {
    return FieldList(Field("boot_id", &Deadline::boot_id), Field("boot", &Deadline::boot),
                     Field("wall", &Deadline::wall), Field("span", &Deadline::span));
  }
  bool operator==(const Deadline&) const = default;
};

// How far a life on lent room has come. kRecalled and kReleased: it was told to end, because others
// are due there or because its hold was released. kPaused: others are on its cores.
enum class LoanState : uint8_t { kStarting, kRunning, kRecalled, kReleased, kPaused };

// A life of a part on room that its site lends it until others are due there. The part keeps its
// own booking meanwhile. protocol.md section 3.3.
struct Loan {
  LoanState state = LoanState::kStarting;
  PartPlace place;
  std::string token;
  Moment since;                      // when the room was lent
  std::optional<Moment> started_at;  // none: the driver has not said yet
  std::optional<Moment> told_at;     // when it was told to end
  std::string recalled_for;  // the job that is due there; "": none is known, or none recalls it
  std::optional<Moment> paused_at;  // since when it is off its cores; stays once it is told to end
  BootSpan paused;                  // for how long it was paused before that
  static constexpr auto Fields() {
    return FieldList(Field("state", &Loan::state), Field("place", &Loan::place),
                     Field("token", &Loan::token), Field("since", &Loan::since),
                     Field("started_at", &Loan::started_at), Field("told_at", &Loan::told_at),
                     Field("recalled_for", &Loan::recalled_for),
                     Field("paused_at", &Loan::paused_at), Field("paused", &Loan::paused));
  }
  bool operator==(const Loan&) const = default;
};

// A loan as the meta and people see it.
struct Lent {
  LoanState state = LoanState::kStarting;
  Moment since;
  std::optional<Moment> started_at;
  std::string recalled_for;
  std::vector<std::string> nodes;  // opaque text, distinct; the first runs the command
  std::optional<Moment> paused_at;
  static constexpr auto Fields() {
    return FieldList(Field("state", &Lent::state), Field("since", &Lent::since),
                     Field("started_at", &Lent::started_at),
                     Field("recalled_for", &Lent::recalled_for), Field("nodes", &Lent::nodes),
                     Field("paused_at", &Lent::paused_at));
  }
  bool operator==(const Lent&) const = default;
};

// That all room of a part is lent, and whether it was taken back (HoldOrder::only_lent).
struct OnlyLent {
  Moment since;                       // when the room was lent
  std::optional<Moment> recalled_at;  // when it was told to end
  std::string recalled_for;           // the job that is due there; "": none is known
  static constexpr auto Fields() {
    return FieldList(Field("since", &OnlyLent::since), Field("recalled_at", &OnlyLent::recalled_at),
                     Field("recalled_for", &OnlyLent::recalled_for));
  }
  bool operator==(const OnlyLent&) const = default;
};

// A part's record in a site's ledger.
struct PartRecord {
  uint32_t index = 1;
  PartState state = PartState::kBooked;
  PartPlace place;
  std::string rendezvous;  // host:port, chosen by the site, kept until CLOSED
  uint32_t tries = 0;      // start attempts so far; token = "EPOCH.NUMBER.INDEX.TRIES"
  std::string token;       // token of the current try; empty before STARTING
  std::optional<Moment> started_at;
  std::optional<Moment> ended_at;
  PartEnd end;
  Usage usage;
  bool usage_final = false;
  Span extended;                 // time booked beyond the duration, by extensions while running
  std::vector<uint64_t> counts;  // current sets per chunk after a resize; empty if never resized
  std::optional<Loan> loan;      // REQUIRES while set: the part is BOOKED or READY
  uint32_t recalls = 0;          // how often a loan was recalled
  BootSpan lost;                 // time of recalled lives, whose work is lost
  Span saved;                    // of its duration, what recalled lives have done and saved
  std::optional<OnlyLent> only_lent;
  BootSpan paused;  // of the time since it started, what it was paused on lent room
  static constexpr auto Fields() {
    using P = PartRecord;
    return FieldList(
        Field("index", &P::index), Field("state", &P::state), Field("place", &P::place),
        Field("rendezvous", &P::rendezvous), Field("tries", &P::tries), Field("token", &P::token),
        Field("started_at", &P::started_at), Field("ended_at", &P::ended_at), Field("end", &P::end),
        Field("usage", &P::usage), Field("usage_final", &P::usage_final),
        Field("extended", &P::extended), Field("counts", &P::counts), Field("loan", &P::loan),
        Field("recalls", &P::recalls), Field("lost", &P::lost), Field("saved", &P::saved),
        Field("only_lent", &P::only_lent), Field("paused", &P::paused));
  }
  bool operator==(const PartRecord&) const = default;
};

// A hold's record in a site's ledger. Complete enough that a restored meta can rebuild its attempt
// from it.
struct HoldRecord {
  HoldOrder order;
  HoldState state = HoldState::kNone;
  ClosedAs closed_as = ClosedAs::kNotClosed;
  Cause cause;                       // cause of the last move or of the close
  Instant start;                     // booked start
  std::optional<Deadline> lease;     // set while HELD
  std::optional<Deadline> deadline;  // D, set from PREPARED on
  Started started = Started::kNo;
  std::vector<PartRecord> parts;  // empty for a tombstone
  std::optional<Permit> permit;
  Revision revision;  // revision of the last change of this hold
  // The date that a ceiling of the site gave it when it was booked: while the ceiling bars, it is
  // not moved to before this. None: it was booked as new work that nothing barred.
  std::optional<Instant> dated;
  static constexpr auto Fields() {
    using H = HoldRecord;
    return FieldList(
        Field("order", &H::order), Field("state", &H::state), Field("closed_as", &H::closed_as),
        Field("cause", &H::cause), Field("start", &H::start), Field("lease", &H::lease),
        Field("deadline", &H::deadline), Field("started", &H::started), Field("parts", &H::parts),
        Field("permit", &H::permit), Field("revision", &H::revision), Field("dated", &H::dated));
  }
  bool operator==(const HoldRecord&) const = default;
};

}  // namespace muster::schemas
