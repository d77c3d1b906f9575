// What people and programs are shown, as structs: field names are the JSON names of cli.md section
// 4, so the documents muster.job/1 and the others are these structs printed. Unknown is an absent
// optional (JSON null).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "schemas/hold.h"
#include "schemas/reasons.h"
#include "schemas/request.h"
#include "schemas/site_link.h"

namespace muster::schemas {

// protocol.md section 3.5.
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
// The later of hold and part, in this order; protocol.md section 3.5.
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

// Which site answered, when, at which plan revision.
struct Basis {
  std::string site;
  Moment answered_at;
  double age_s = 0;
  PlanRevision plan_revision;
  static constexpr auto Fields() {
    return std::tuple(Field("site", &Basis::site), Field("answered_at", &Basis::answered_at),
                      Field("age_s", &Basis::age_s), Field("plan_revision", &Basis::plan_revision));
  }
  bool operator==(const Basis&) const = default;
};
struct StartsBy {
  Instant at;
  bool firm = false;  // true: the promise; false: a bound
  static constexpr auto Fields() {
    return std::tuple(Field("at", &StartsBy::at), Field("firm", &StartsBy::firm));
  }
  bool operator==(const StartsBy&) const = default;
};
struct Expected {
  Instant start;
  Instant low;
  Instant high;
  double confidence_ratio = 0.9;
  static constexpr auto Fields() {
    return std::tuple(Field("start", &Expected::start), Field("low", &Expected::low),
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
    return std::tuple(Field("starts_by", &F::starts_by), Field("ends_by", &F::ends_by),
                      Field("no_promise_reason", &F::no_promise_reason),
                      Field("expected", &F::expected), Field("basis", &F::basis));
  }
  bool operator==(const Figures&) const = default;
};
// One entry of a request's list of figures. The first has no cause ("submitted").
struct FigureChange {
  Moment at;
  Figures figures;
  std::optional<Cause> cause;
  static constexpr auto Fields() {
    return std::tuple(Field("at", &FigureChange::at), Field("figures", &FigureChange::figures),
                      Field("cause", &FigureChange::cause));
  }
  bool operator==(const FigureChange&) const = default;
};
// One line of a timeline. Codes: accepted, proposed, prepared, committed, decided, permitted,
// moved, ready, starting, started, ended, released, dropped, aborted, partial, cancelled, refused.
struct JobEvent {
  Moment at;
  std::string code;
  std::string part;  // "42.1" or ""
  std::string site;
  std::optional<double> elapsed_s;
  std::string text;  // one line for people
  static constexpr auto Fields() {
    using J = JobEvent;
    return std::tuple(Field("at", &J::at), Field("code", &J::code), Field("part", &J::part),
                      Field("site", &J::site), Field("elapsed_s", &J::elapsed_s),
                      Field("text", &J::text));
  }
  bool operator==(const JobEvent&) const = default;
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
  std::string ended_text;  // one line when there is more to say than the exit
  static constexpr auto Fields() {
    using P = PartView;
    return std::tuple(Field("id", &P::id), Field("site", &P::site), Field("state", &P::state),
                      Field("offset_s", &P::offset_s), Field("place", &P::place),
                      Field("nodes", &P::nodes), Field("chunks", &P::chunks),
                      Field("started_at", &P::started_at), Field("ended_at", &P::ended_at),
                      Field("exit_code", &P::exit_code), Field("signal", &P::signal),
                      Field("used", &P::used), Field("ended_text", &P::ended_text));
  }
  bool operator==(const PartView&) const = default;
};
// The one Job shape. `history` and `events` are left empty in a queue.
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
  static constexpr auto Fields() {
    using J = JobView;
    return std::tuple(
        Field("id", &J::id), Field("name", &J::name), Field("user", &J::user),
        Field("kind", &J::kind), Field("state", &J::state), Field("outcome", &J::outcome),
        Field("submitted_at", &J::submitted_at), Field("once", &J::once),
        Field("duration_s", &J::duration_s), Field("apart", &J::apart), Field("at", &J::at),
        Field("from", &J::from), Field("start_by", &J::start_by), Field("deadline", &J::deadline),
        Field("queue", &J::queue), Field("rerunnable", &J::rerunnable),
        Field("keep_going", &J::keep_going), Field("figures", &J::figures),
        Field("parts", &J::parts), Field("history", &J::history), Field("events", &J::events));
  }
  bool operator==(const JobView&) const = default;
};
// One row of `ask`: one site (or one set of sites for several parts).
struct OfferView {
  std::vector<std::string> sites;  // of each part, in part order
  Figures figures;
  std::vector<Reason> waits_for;
  std::optional<Reason> never;
  std::vector<Chunk> largest;  // with never: the largest that would fit
  static constexpr auto Fields() {
    using O = OfferView;
    return std::tuple(Field("sites", &O::sites), Field("figures", &O::figures),
                      Field("waits_for", &O::waits_for), Field("never", &O::never),
                      Field("largest", &O::largest));
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
  std::optional<double> kept_ratio;  // of its promises; none while it has made none
  static constexpr auto Fields() {
    using S = SiteView;
    return std::tuple(Field("name", &S::name), Field("state", &S::state),
                      Field("answered_at", &S::answered_at), Field("age_s", &S::age_s),
                      Field("plan_revision", &S::plan_revision),
                      Field("clock_offset_s", &S::clock_offset_s), Field("driver", &S::driver),
                      Field("capabilities", &S::capabilities), Field("nodes", &S::nodes),
                      Field("nodes_up", &S::nodes_up), Field("total", &S::total),
                      Field("free", &S::free), Field("kept_ratio", &S::kept_ratio));
  }
  bool operator==(const SiteView&) const = default;
};
// One site of `gantt`.
struct GanttSite {
  std::string name;
  bool stale = false;
  std::optional<double> age_s;
  std::vector<std::string> nodes;
  std::vector<BookingRow> bookings;
  static constexpr auto Fields() {
    using G = GanttSite;
    return std::tuple(Field("name", &G::name), Field("stale", &G::stale), Field("age_s", &G::age_s),
                      Field("nodes", &G::nodes), Field("bookings", &G::bookings));
  }
  bool operator==(const GanttSite&) const = default;
};
// A piece of one part's output.
struct OutputRow {
  std::string part;  // "42.1"
  bool known = false;
  std::string data;
  uint64_t next = 0;
  bool ended = false;
  static constexpr auto Fields() {
    using O = OutputRow;
    return std::tuple(Field("part", &O::part), Field("known", &O::known), Field("data", &O::data),
                      Field("next", &O::next), Field("ended", &O::ended));
  }
  bool operator==(const OutputRow&) const = default;
};

}  // namespace muster::schemas
