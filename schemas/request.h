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
#include "schemas/fields.h"

namespace muster::schemas {

// free: chunks anywhere, several may share a node; pack: all chunks on one node; scatter: each on
// its own node.
enum class Place : uint8_t { kFree, kPack, kScatter };
// Batch and interactive are the two classes of CCS Sect. 3.3.
enum class RequestClass : uint8_t { kBatch, kInteractive };

// `count` equal sets of resources, each on one node with these properties ("arch" -> "x86_64").
struct Chunk {
  uint32_t count = 1;
  ResourceSet resources;  // of one set; sizes in bytes
  std::map<std::string, std::string> properties;
  // Malleable: while it runs, the part may have `least` to `most` sets of it; both 0: rigid.
  uint32_t least = 0;
  uint32_t most = 0;
  static constexpr auto Fields() {
    return FieldList(Field("count", &Chunk::count), Field("resources", &Chunk::resources),
                     Field("properties", &Chunk::properties), Field("least", &Chunk::least),
                     Field("most", &Chunk::most));
  }
  bool operator==(const Chunk&) const = default;
};

// What runs once in every part, on its first node: a script (then argv are its arguments) or a
// command.
struct Payload {
  std::string script;             // at most kScriptBytes; empty: argv is the command
  std::vector<std::string> argv;  // command and arguments; with a script only its arguments
  std::map<std::string, std::string> environment;
  std::string submit_dir;  // absolute; where submit was called
  static constexpr auto Fields() {
    return FieldList(Field("script", &Payload::script), Field("argv", &Payload::argv),
                     Field("environment", &Payload::environment),
                     Field("submit_dir", &Payload::submit_dir));
  }
  bool operator==(const Payload&) const = default;
};

// One part: what one site gets of a request.
struct PartSpec {
  std::vector<Chunk> chunks;
  Place place = Place::kFree;
  bool exclusive = false;              // whole nodes
  std::vector<std::string> sites;      // may run on; empty: any
  std::vector<std::string> not_sites;  // may not run on
  Span offset;                         // starts this long after the request's start, >= 0
  ResourceSet jobwide;                 // of the site, not of a node: licences, disk (jRS)
  std::string group;                   // "switch": all chunks below one switch; "": anywhere
  static constexpr auto Fields() {
    return FieldList(Field("chunks", &PartSpec::chunks), Field("place", &PartSpec::place),
                     Field("exclusive", &PartSpec::exclusive), Field("sites", &PartSpec::sites),
                     Field("not_sites", &PartSpec::not_sites), Field("offset", &PartSpec::offset),
                     Field("jobwide", &PartSpec::jobwide), Field("group", &PartSpec::group));
  }
  bool operator==(const PartSpec&) const = default;
};

// An array: one job of equal elements, each a request of its own with its index.
struct ArraySpec {
  uint64_t first = 0;
  uint64_t last = 0;     // >= first; at most kArrayElements elements
  uint64_t step = 1;     // > 0
  uint64_t at_once = 0;  // so many elements at most run at the same time; 0: any number
  static constexpr auto Fields() {
    using A = ArraySpec;
    return FieldList(Field("first", &A::first), Field("last", &A::last), Field("step", &A::step),
                     Field("at_once", &A::at_once));
  }
  bool operator==(const ArraySpec&) const = default;
};

// What must have ended before the request starts: well (kOk), at all (kAny), or not well (kFail).
// An array has ended when all of its elements have, and well if all of them have.
enum class DependencyKind : uint8_t { kOk, kAny, kFail };
struct Dependency {
  DependencyKind kind = DependencyKind::kOk;
  RequestId request;
  static constexpr auto Fields() {
    return FieldList(Field("kind", &Dependency::kind), Field("request", &Dependency::request));
  }
  bool operator==(const Dependency&) const = default;
};

// Word to the running job before its time ends (OpenCCS Sect. 5.4): a signal, a command, or both.
struct Notice {
  Span before;                    // the end, > 0
  std::string signal;             // "USR1"; "": none
  std::vector<std::string> argv;  // run beside the job, in its environment; empty: none
  static constexpr auto Fields() {
    return FieldList(Field("before", &Notice::before), Field("signal", &Notice::signal),
                     Field("argv", &Notice::argv));
  }
  bool operator==(const Notice&) const = default;
};

// Civil times at which something begins, each field as bits: minutes 0-59, hours 0-23, days 1-31,
// months 1-12, weekdays 0-6 from Sunday. All fields must hold. In the federation's time zone.
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

// The request runs nothing: what it books is a system of its own for the jobs of those allowed
// (OpenCCS Sect. 4, rRS, and Sect. 5.4).
struct ReservationSpec {
  std::vector<std::string> allow;      // users, "@group"; its owner always may
  std::optional<Span> confirm_within;  // provisional: given back unless confirmed in that time
  // Standing: it books nothing itself, and at each of these times begins one of its own.
  std::optional<Recurrence> every;
  std::optional<RequestId> of;  // the standing one that it is of; never said by a user
  static constexpr auto Fields() {
    using R = ReservationSpec;
    return FieldList(Field("allow", &R::allow), Field("confirm_within", &R::confirm_within),
                     Field("every", &R::every), Field("of", &R::of));
  }
  bool operator==(const ReservationSpec&) const = default;
};

// The whole request as its user wrote it.
struct RequestSpec {
  std::string name;
  RequestClass request_class = RequestClass::kBatch;
  Span duration;  // of every part, > 0; 0 in what is submitted or asked: the default where it runs
  std::vector<PartSpec> parts;
  bool apart = false;               // each part on its own site
  std::optional<Instant> at;        // exactly then
  std::optional<Instant> from;      // not before
  std::optional<Instant> start_by;  // latest start
  std::optional<Instant> deadline;  // ended by
  std::string queue = "normal";
  bool rerunnable = false;  // may start again after an unknown outcome
  bool keep_going = false;  // one part's failure ends no other
  Payload payload;
  std::optional<ArraySpec> array;   // of an element: none
  std::vector<Dependency> after;    // all must hold; at most kDependencies
  bool firm = false;                // promised at submission, behind all that was promised before
  std::optional<RequestId> inside;  // of this reservation
  std::optional<ReservationSpec> reserves;  // it is a reservation
  std::optional<Notice> notice;
  IntervalSet slots;  // slot-aware: runs wholly inside one of these; empty: any time
  // No move puts a start nearer than this; none: what its class has (verifier/start_notice.h).
  std::optional<Span> start_notice;
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
                     Field("start_notice", &R::start_notice));
  }
  bool operator==(const RequestSpec&) const = default;
};

}  // namespace muster::schemas
