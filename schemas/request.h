// What a user asks for: parts made of chunks, a duration, where and when it may run, and what to
// run. cli.md sections 2 and 5; OpenCCS Sect. 4 (requested resource set).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/interval.h"
#include "base/resources.h"
#include "base/time.h"
#include "schemas/contract.h"
#include "schemas/fields.h"

namespace muster::schemas {

// kFree: chunks anywhere, several may share a node. kPack: all chunks on one node. kScatter: each
// chunk set on its own node.
enum class Place : uint8_t { kFree, kPack, kScatter };
// The two classes of CCS Sect. 3.3.
enum class RequestClass : uint8_t { kBatch, kInteractive };

// `count` equal sets of resources, each on one node with these properties ("arch" -> "x86_64").
struct Chunk {
  uint32_t count = 1;
  ResourceSet resources;  // per set; sizes in bytes
  std::map<std::string, std::string> properties;
  // Malleable chunk: while running, the part may have from `least` to `most` sets of it. Both 0:
  // rigid.
  uint32_t least = 0;
  uint32_t most = 0;
  static constexpr auto Fields() {
    return FieldList(Field("count", &Chunk::count), Field("resources", &Chunk::resources),
                     Field("properties", &Chunk::properties), Field("least", &Chunk::least),
                     Field("most", &Chunk::most));
  }
  bool operator==(const Chunk&) const = default;
};

// The command that runs once in every part, on its first node: a script with arguments, or a
// command.
struct Payload {
  std::string script;  // at most kScriptBytes; empty: argv is the command
  // The command with its arguments; with a script, only its arguments.
  std::vector<std::string> argv;
  std::map<std::string, std::string> environment;
  std::string submit_dir;  // working directory of `submit`, absolute
  static constexpr auto Fields() {
    return FieldList(Field("script", &Payload::script), Field("argv", &Payload::argv),
                     Field("environment", &Payload::environment),
                     Field("submit_dir", &Payload::submit_dir));
  }
  bool operator==(const Payload&) const = default;
};

// One part: the share of a request that one site gets.
struct PartSpec {
  std::vector<Chunk> chunks;
  Place place = Place::kFree;
  bool exclusive = false;              // whole nodes
  std::vector<std::string> sites;      // sites it may run on; empty: any
  std::vector<std::string> not_sites;  // sites it may not run on
  Span offset;                         // from the request's start to the part's; >= 0
  ResourceSet jobwide;  // resources of the whole site, not of a node: licences, disk (jRS)
  // The node set (base/text/node_set.h) that the nodes must be, "speed~10%:oneof"; "switch" is
  // "switch:oneof", "none" any nodes; "": as the site says, or any.
  std::string set;
  static constexpr auto Fields() {
    return FieldList(Field("chunks", &PartSpec::chunks), Field("place", &PartSpec::place),
                     Field("exclusive", &PartSpec::exclusive), Field("sites", &PartSpec::sites),
                     Field("not_sites", &PartSpec::not_sites), Field("offset", &PartSpec::offset),
                     Field("jobwide", &PartSpec::jobwide), Field("set", &PartSpec::set));
  }
  bool operator==(const PartSpec&) const = default;
};

// An array: a job of equal elements. Each element is a request of its own with its index.
struct ArraySpec {
  uint64_t first = 0;
  uint64_t last = 0;     // >= first; at most kArrayElements elements
  uint64_t step = 1;     // > 0
  uint64_t at_once = 0;  // most elements that may run at the same time; 0: no limit
  static constexpr auto Fields() {
    using A = ArraySpec;
    return FieldList(Field("first", &A::first), Field("last", &A::last), Field("step", &A::step),
                     Field("at_once", &A::at_once));
  }
  bool operator==(const ArraySpec&) const = default;
};

// How a predecessor must have ended before the request may start: successfully (kOk), in any way
// (kAny), or unsuccessfully (kFail). An array has ended when all its elements have; it was
// successful if all of them were.
enum class DependencyKind : uint8_t { kOk, kAny, kFail };
struct Dependency {
  DependencyKind kind = DependencyKind::kOk;
  RequestId request;
  static constexpr auto Fields() {
    return FieldList(Field("kind", &Dependency::kind), Field("request", &Dependency::request));
  }
  bool operator==(const Dependency&) const = default;
};

// A notice to the running job before its time ends (OpenCCS Sect. 5.4): a signal, a command, or
// both.
struct Notice {
  Span before;                    // this long before the end; > 0
  std::string signal;             // "USR1"; "": none
  std::vector<std::string> argv;  // run beside the job, in its environment; empty: none
  static constexpr auto Fields() {
    return FieldList(Field("before", &Notice::before), Field("signal", &Notice::signal),
                     Field("argv", &Notice::argv));
  }
  bool operator==(const Notice&) const = default;
};

// Times at which something recurs, in the federation's time zone. Each field is a bit mask: minutes
// 0-59, hours 0-23, days 1-31, months 1-12, weekdays 0-6 from Sunday. All fields must match.
struct Recurrence {
  uint64_t minutes = 0;
  uint64_t hours = 0;
  uint64_t days = 0;
  uint64_t months = 0;
  uint64_t weekdays = 0;
  static constexpr auto Fields() {
    using R = Recurrence;
    return FieldList(Field("minutes", &R::minutes), Field("hours", &R::hours),
                     Field("days", &R::days), Field("months", &R::months),
                     Field("weekdays", &R::weekdays));
  }
  bool operator==(const Recurrence&) const = default;
};

// Makes a request a reservation. It runs nothing; the jobs of permitted users run inside what it
// books (OpenCCS Sect. 4, rRS, and Sect. 5.4).
struct ReservationSpec {
  std::vector<std::string> allow;  // users, or "@group"; the owner is always allowed
  // Set for a provisional reservation: it is given back unless confirmed within this time.
  std::optional<Span> confirm_within;
  // Set for a standing reservation, which books nothing itself: one occurrence begins at each of
  // these times.
  std::optional<Recurrence> every;
  // The standing reservation that this occurrence belongs to; users cannot set it.
  std::optional<RequestId> of;
  static constexpr auto Fields() {
    using R = ReservationSpec;
    return FieldList(Field("allow", &R::allow), Field("confirm_within", &R::confirm_within),
                     Field("every", &R::every), Field("of", &R::of));
  }
  bool operator==(const ReservationSpec&) const = default;
};

// The whole request as its user specified it.
struct RequestSpec {
  std::string name;
  RequestClass request_class = RequestClass::kBatch;
  // Duration of every part, > 0. In a `submit` or `ask`, 0 means the default of the site where the
  // request runs.
  Span duration;
  std::vector<PartSpec> parts;
  bool apart = false;               // each part on a different site
  std::optional<Instant> at;        // exact start
  std::optional<Instant> from;      // earliest start
  std::optional<Instant> start_by;  // latest start
  std::optional<Instant> deadline;  // latest end
  std::string queue = "normal";
  bool rerunnable = false;  // may run again if its outcome is unknown
  bool keep_going = false;  // if one part fails, the others go on
  Payload payload;
  std::optional<ArraySpec> array;           // absent in an element
  std::vector<Dependency> after;            // dependencies, all required; at most kDependencies
  bool firm = false;                        // promised at submission, behind all earlier promises
  std::optional<RequestId> inside;          // the reservation it runs in
  std::optional<ReservationSpec> reserves;  // set if the request is a reservation
  std::optional<Notice> notice;
  IntervalSet slots;  // the job must run wholly inside one of these; empty: any time
  // No move may put the start nearer than now + this. Absent: the default of its class
  // (verifier/start_notice.h).
  std::optional<Span> start_notice;
  std::string account;  // for which the work is; from a client, empty: the user's first, if any
  std::string qos;      // quality of service; from a client, empty: the user's usual one, if any
  // Under which sites may lend it room before its start; none: they lend it none. From a client
  // only the way counts, and none is that of the QoS.
  std::optional<Contract> contract;
  static constexpr auto Fields() {
    using R = RequestSpec;
    return FieldList(Field("name", &R::name), Field("request_class", &R::request_class),
                     Field("duration", &R::duration), Field("parts", &R::parts),
                     Field("apart", &R::apart), Field("at", &R::at), Field("from", &R::from),
                     Field("start_by", &R::start_by), Field("deadline", &R::deadline),
                     Field("queue", &R::queue), Field("rerunnable", &R::rerunnable),
                     Field("keep_going", &R::keep_going), Field("payload", &R::payload),
                     Field("array", &R::array), Field("after", &R::after), Field("firm", &R::firm),
                     Field("inside", &R::inside), Field("reserves", &R::reserves),
                     Field("notice", &R::notice), Field("slots", &R::slots),
                     Field("start_notice", &R::start_notice), Field("account", &R::account),
                     Field("qos", &R::qos), Field("contract", &R::contract));
  }
  bool operator==(const RequestSpec&) const = default;
};

}  // namespace muster::schemas
