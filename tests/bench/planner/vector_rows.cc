// The rows of one vector: earliest fit, range add and remove, and the conservative loop that finds
// the earliest fit and books it; of the vector that a site plans with, and of the one that packing
// does ("packing_fit_10k"). Requests are 1 to 64 items of the 9,920 cores of OCuLUS (OpenCCS
// Sect. 6), durations log-uniform from a minute to 60 days.
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/random.h"
#include "site/plan/system_vector.h"
#include "site/rusv/frontier.h"
#include "tests/bench/planner/bench.h"
#include "tests/bench/planner/flat_profile.h"

namespace muster::bench {
namespace {

using rusv::RusvWithFrontier;

constexpr int64_t kCores = 9920;
constexpr size_t kQuestions = 4096;

struct Request {
  int64_t items;
  int64_t length;
};

// A range that is added and removed again.
struct Range {
  int64_t begin;
  int64_t end;
  int64_t items;
};

Request Draw(Random& random) {
  const double share = static_cast<double>(random.Below(1u << 30)) / (1u << 30);
  const double length = 60.0 * std::pow(60.0 * 86400 / 60, share);
  return {random.Between(1, 64), static_cast<int64_t>(length)};
}

std::vector<Request> DrawMany(uint64_t seed, size_t count) {
  Random random(seed);
  std::vector<Request> out;
  for (size_t i = 0; i < count; ++i) out.push_back(Draw(random));
  return out;
}

// Empty makes an empty vector; Content is the RUSV in it.
template <typename Vector>
Vector Empty();
template <>
plan::SystemVector Empty() {
  return plan::EmptySystemVector(kCores);
}
template <>
RusvWithFrontier Empty() {
  return RusvWithFrontier(kCores);
}
const rusv::Rusv& Content(const rusv::Rusv& used) { return used; }
const rusv::Rusv& Content(const RusvWithFrontier& used) { return used.rusv(); }

// Plans requests conservatively, each at its earliest fit, and tells where.
template <typename Vector>
std::vector<Range> Plan(const std::vector<Request>& requests) {
  std::vector<Range> out;
  Vector used = Empty<Vector>();
  for (const Request& r : requests) {
    const Instant t = used.EarliestFit(r.items, {r.length}, {0});
    used.Increment({t, t + Span{r.length}, r.items});
    out.push_back({t.seconds, t.seconds + r.length, r.items});
  }
  return out;
}

// The vectors that conservative backfilling leaves once they have `slots` slots, and questions to
// ask of them.
template <typename Vector>
struct Planned {
  explicit Planned(size_t slots) : questions(DrawMany(2, kQuestions)) {
    Random random(1);
    while (Content(used).edge_count() < slots) {
      const Request r = Draw(random);
      const Instant t = used.EarliestFit(r.items, {r.length}, {0});
      used.Increment({t, t + Span{r.length}, r.items});
      flat.Add(t.seconds, t.seconds + r.length, r.items);
    }
    // Ranges begin anywhere, so that no place in the arrays is preferred.
    const std::vector<rusv::Slot> all = Content(used).Slots();
    for (const Request& q : questions) {
      const rusv::Slot& in = all[random.Below(all.size())];
      const int64_t begin = random.Between(in.start.seconds, in.stop.seconds - 1);
      ranges.push_back({begin, begin + q.length, q.items});
    }
  }
  Vector used = Empty<Vector>();
  FlatProfile flat{kCores};
  std::vector<Request> questions;
  std::vector<Range> ranges;
};

// Nanoseconds that `answer` takes per question. Each run has its own copy of the vector, which
// knows no more than what the vector learnt while it was planned.
template <typename Vector, typename Questions, typename Answer>
double NanosecondsEach(const Vector& planned, const Questions& questions, Answer answer) {
  Vector copy = planned;
  const double seconds = BestSeconds(
      7, [&] { copy = planned; },
      [&] {
        for (const auto& q : questions) answer(copy, q);
      });
  return seconds * 1e9 / static_cast<double>(questions.size());
}

template <typename Vector>
Row FitRow(const std::string& name, size_t slots, std::optional<Bounds> bounds) {
  const auto value = [slots] {
    const Planned<Vector> planned(slots);
    return NanosecondsEach(planned.used, planned.questions,
                           [](const Vector& used, const Request& q) {
                             Keep(used.EarliestFit(q.items, {q.length}, {0}));
                           });
  };
  const auto reference = [slots] {
    const Planned<Vector> planned(slots);
    return NanosecondsEach(planned.flat, planned.questions,
                           [](const FlatProfile& flat, const Request& q) {
                             Keep(flat.EarliestFit(q.items, q.length, 0));
                           });
  };
  return {name, "ns", bounds, value, reference};
}

template <typename Vector>
Row AddRemoveRow(const std::string& name, size_t slots, std::optional<Bounds> bounds) {
  const auto value = [slots] {
    const Planned<Vector> planned(slots);
    return NanosecondsEach(planned.used, planned.ranges, [](Vector& used, const Range& r) {
      used.Increment({{r.begin}, {r.end}, r.items});
      used.Decrement({{r.begin}, {r.end}, r.items});
    });
  };
  const auto reference = [slots] {
    const Planned<Vector> planned(slots);
    return NanosecondsEach(planned.flat, planned.ranges, [](FlatProfile& flat, const Range& r) {
      flat.Add(r.begin, r.end, r.items);
      flat.Add(r.begin, r.end, -r.items);
    });
  };
  return {name, "ns", bounds, value, reference};
}

template <typename Vector>
Row LoopRow(const std::string& name, size_t jobs, std::optional<Bounds> bounds) {
  const auto nothing = [] {};
  const int times = jobs <= 10000 ? 5 : 1;
  const auto value = [jobs, times, nothing] {
    const std::vector<Request> requests = DrawMany(3, jobs);
    return BestSeconds(times, nothing, [&] { Keep(Plan<Vector>(requests).size()); }) * 1e3;
  };
  const auto reference = [jobs, times, nothing] {
    const std::vector<Request> requests = DrawMany(3, jobs);
    const double seconds = BestSeconds(times, nothing, [&] {
      FlatProfile flat(kCores);
      for (const Request& r : requests) {
        const int64_t t = flat.EarliestFit(r.items, r.length, 0);
        flat.Add(t, t + r.length, r.items);
      }
      Keep(flat.size());
    });
    return seconds * 1e3;
  };
  return {name, "ms", bounds, value, reference};
}

template <typename Vector>
void AddRows(const std::string& who, std::vector<Row>& rows) {
  const auto none = std::nullopt;
  const std::vector<Row> all = {
      FitRow<Vector>(who + "fit_345", 345, Bounds{100, 30}),
      FitRow<Vector>(who + "fit_1k", 1000, none),
      FitRow<Vector>(who + "fit_10k", 10000, Bounds{2000, 200}),
      FitRow<Vector>(who + "fit_100k", 100000, none),
      AddRemoveRow<Vector>(who + "addrem_345", 345, Bounds{500, 130}),
      AddRemoveRow<Vector>(who + "addrem_1k", 1000, none),
      AddRemoveRow<Vector>(who + "addrem_10k", 10000, Bounds{1500, 250}),
      AddRemoveRow<Vector>(who + "addrem_100k", 100000, none),
      LoopRow<Vector>(who + "loop_1k", 1000, none),
      LoopRow<Vector>(who + "loop_10k", 10000, Bounds{40, 5}),
      LoopRow<Vector>(who + "loop_100k", 100000, Bounds{2000, 200}),
  };
  rows.insert(rows.end(), all.begin(), all.end());
}

}  // namespace

std::vector<Row> VectorRows() {
  std::vector<Row> rows;
  AddRows<plan::SystemVector>("", rows);
  AddRows<RusvWithFrontier>("packing_", rows);
  return rows;
}

}  // namespace muster::bench
