// The points of one request, as people are shown them. scheduling.md section 11; cli.md section 2
// (priority).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "schemas/fields.h"
#include "schemas/views.h"

namespace muster::schemas {

// One factor with a weight, or with a value that has none.
struct PriorityRow {
  std::string factor;  // "queue"
  double value = 0;    // -1 to 1
  int64_t weight = 0;
  int64_t points = 0;   // weight times value, rounded
  std::string because;  // "12m of 24h"
  static constexpr auto Fields() {
    using P = PriorityRow;
    return FieldList(Field("factor", &P::factor), Field("value", &P::value),
                     Field("weight", &P::weight), Field("points", &P::points),
                     Field("because", &P::because));
  }
  bool operator==(const PriorityRow&) const = default;
};

// A change of the request that gives it an earlier place in its queue.
struct PriorityWay {
  std::vector<std::string> argv;  // of the command, without "muster"
  int64_t points = 0;
  uint64_t place = 0;
  static constexpr auto Fields() {
    using P = PriorityWay;
    return FieldList(Field("argv", &P::argv), Field("points", &P::points),
                     Field("place", &P::place));
  }
  bool operator==(const PriorityWay&) const = default;
};

// A hold among those that a site may move to an earlier start.
struct RankRow {
  std::string site;
  std::string job;  // "42", or "lakes/17"
  std::string user;
  uint64_t place = 0;    // from 1: the first is tried first
  uint64_t holds = 0;    // of so many
  bool ordered = false;  // by the site's points; else by urgency
  int64_t points = 0;
  int32_t urgency = 0;
  Instant start;
  std::vector<PriorityRow> rows;  // how its points come about; only where one hold is asked about
  static constexpr auto Fields() {
    using R = RankRow;
    return FieldList(Field("site", &R::site), Field("job", &R::job), Field("user", &R::user),
                     Field("place", &R::place), Field("holds", &R::holds),
                     Field("ordered", &R::ordered), Field("points", &R::points),
                     Field("urgency", &R::urgency), Field("start", &R::start),
                     Field("rows", &R::rows));
  }
  bool operator==(const RankRow&) const = default;
};

struct PriorityView {
  std::string job;
  std::string name;
  std::string user;
  std::string queue;
  RequestState state = RequestState::kWaiting;
  bool ordered = false;  // there is a [priority]; else queue and arrival alone decide
  int64_t points = 0;
  std::vector<PriorityRow> rows;
  // Its place among those of its queue that wait as it does, from 1, and their number; none if it
  // has a place, waits for another job, or its sites are being asked now.
  std::optional<uint64_t> place;
  std::optional<uint64_t> waiting;
  std::optional<Reason> reason;   // why it has no place in the order, if known
  std::optional<int64_t> ahead;   // points of the next one before it
  std::optional<Moment> at;       // points count waits up to this moment
  std::optional<Moment> next;     // when they are worked out again
  std::vector<PriorityWay> ways;  // best first
  std::optional<std::string> account;
  std::optional<std::string> qos;
  // Its place at each site that has promised it room and orders by points of its own.
  std::vector<RankRow> at_sites;
  static constexpr auto Fields() {
    using P = PriorityView;
    return FieldList(
        Field("job", &P::job), Field("name", &P::name), Field("user", &P::user),
        Field("queue", &P::queue), Field("state", &P::state), Field("ordered", &P::ordered),
        Field("points", &P::points), Field("rows", &P::rows), Field("place", &P::place),
        Field("waiting", &P::waiting), Field("reason", &P::reason), Field("ahead", &P::ahead),
        Field("at", &P::at), Field("next", &P::next), Field("ways", &P::ways),
        Field("account", &P::account), Field("qos", &P::qos), Field("at_sites", &P::at_sites));
  }
  bool operator==(const PriorityView&) const = default;
};

}  // namespace muster::schemas
