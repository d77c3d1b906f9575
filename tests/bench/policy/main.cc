// bench_policy: what policies cost. 10,000 requests of 100 users in 20 groups wait in two queues,
// as the requests room of a meta has them on record. The reference is one array of 10,000 with the
// points beside it, sorted anew.
#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/random.h"
#include "meta/requests/points.h"
#include "meta/requests/rank.h"
#include "tests/bench/policy/live_rows.h"
#include "tests/bench/policy/settling.h"
#include "tests/bench/policy/whatif_replay.h"
#include "tests/bench/rows.h"

namespace muster::bench {
namespace {

using meta::Request;
using meta::RequestsLayer;

constexpr size_t kRequests = 10'000;
constexpr size_t kUsers = 100;
constexpr size_t kGroups = 20;
constexpr int64_t kBegin = 1'800'000'000;
constexpr int64_t kTick = 60;
// With a weight of 1,000 a tick gives a point to one in ten.
constexpr Span kTenthChanges{10 * kTick * 1000};

std::string User(uint64_t n) { return "user" + std::to_string(n); }
std::string Group(uint64_t n) { return "group" + std::to_string(n); }

policy::PointsRules Rules() {
  policy::PointsRules rules{.tick = Span{kTick}, .queue_full = kTenthChanges};
  rules.weights.fill(1000);
  // What a wait in durations gives would change for all.
  rules.weights[static_cast<size_t>(policy::Factor::kXFactor)] = 0;
  for (uint64_t g = 0; g < kGroups; ++g)
    rules.credentials["@" + Group(g)] = static_cast<int64_t>(g);
  rules.credentials["queue debug"] = 100;
  return rules;
}

meta::Turn At(int64_t second) {
  meta::Turn turn;
  turn.now = {BootInstant{second * 1000}, Moment{second * 1000}};
  turn.plan = turn.now.wall;
  return turn;
}

RequestsLayer Waiting(const policy::PointsRules& rules) {
  RequestsLayer f(Now{BootInstant{0}, Moment{kBegin * 1000}});
  Random random(3);
  f.options.queues = {{"debug", 4}, {"normal", 1}};
  f.options.priority = rules;
  for (uint64_t u = 0; u < kUsers; ++u) {
    f.users[User(u)] = {.name = User(u), .groups = {Group(u % kGroups)}};
  }
  f.site_names = {"lakes"};
  schemas::Capacity capacity;
  capacity.total = {{"ncpus", 1024}, {"mem", int64_t{4} << 40}};
  f.sites["lakes"].capacity = capacity;
  f.requests.SetQueues({"debug", "normal"});
  f.room.SetQueues({4, 1});
  for (uint64_t id = 1; id <= kRequests; ++id) {
    schemas::RequestRecord record{.id = {id}};
    record.requester.user = User(random.Below(kUsers));
    record.submitted_at = Moment{(kBegin - random.Between(0, 86'400)) * 1000};
    record.spec.queue = random.Chance(100) ? "debug" : "normal";
    record.spec.duration = Span{random.Between(60, 86'400)};
    record.spec.parts.resize(1);
    record.spec.parts[0].chunks = {{.count = static_cast<uint32_t>(random.Between(1, 16)),
                                    .resources = {{"ncpus", 4}, {"mem", int64_t{8} << 30}}}};
    f.requests.Restore(std::move(record));
    f.room.Queue(RankOf(*f.requests.Find({id})), {"lakes"});
  }
  meta::Turn first = At(kBegin);
  meta::RankAnew(f, first);
  MUSTER_CHECK(!f.ranking.running());
  return f;
}

double RankMilliseconds() {
  RequestsLayer f = Waiting(Rules());
  return 1e3 * BestSeconds(
                   9, [&f] { f.ranking.NoteChanged(); },
                   [&] {
                     meta::Turn turn = At(kBegin);
                     const bool reordered = meta::RankAnew(f, turn);
                     MUSTER_CHECK(!reordered && !f.ranking.running());
                   });
}

double OrderMilliseconds() {
  RequestsLayer f = Waiting(Rules());
  int64_t second = kBegin;
  const double out = 1e3 * BestSeconds(
                               9, [&second] { second += kTick; },
                               [&] {
                                 meta::Turn turn = At(second);
                                 const bool reordered = meta::RankAnew(f, turn);
                                 MUSTER_CHECK(reordered);
                               });
  MUSTER_CHECK(f.room.queues().size() == kRequests);
  return out;
}

double SortMilliseconds() {
  Random random(3);
  std::vector<std::pair<int64_t, uint64_t>> all;
  const auto draw = [&] {
    all.clear();
    for (uint64_t id = 1; id <= kRequests; ++id) all.push_back({random.Between(-4000, 0), id});
  };
  return 1e3 * BestSeconds(9, draw, [&] { std::sort(all.begin(), all.end()); });
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) {
  using namespace muster::bench;
  const std::vector<Row> rows = {
      {"rank_10k", "ms", Bounds{10, 2}, RankMilliseconds, SortMilliseconds},
      {"order_10k", "ms", Bounds{5, 1}, OrderMilliseconds, SortMilliseconds},
      {"settle", "1/s", Bounds{10'000, 30'000}, SettledPerSecond, StoredPerSecond},
      {"whatif_10k", "s", Bounds{2, 1}, WhatIfSeconds, {}},
      {"whatif_stall", "ms", Bounds{10, 3}, WhatIfStall, {}},
      {"whatif_replay_7d", "s", Bounds{15, 4}, WhatIfReplaySeconds, WeekReplayedOnce},
      {"recall_to_clean", "ms", Bounds{200, 50}, RecallToClean, {}},
  };
  try {
    return MeasureRows(rows, argc, argv);
  } catch (const std::runtime_error& failure) {  // the fleet is gone by now
    std::fprintf(stderr, "bench: %s\n", failure.what());
    return 1;
  }
}
