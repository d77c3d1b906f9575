// slurm_walled: parts a second with a reservation each: put, handed over, taken away.
//
// Three steps are timed and summed, in either way of doing it for all parts before the next step:
// reservations stand, jobs are handed over, reservations are gone. Between the last two the jobs
// are cancelled, which is not counted. While there are jobs, all nodes are drained, so that none of
// them starts.
#include <unistd.h>

#include "tests/bench/federation/conversation.h"
#include "tests/bench/slurm/bare.h"
#include "tests/bench/slurm/cluster_rows.h"
#include "tests/bench/slurm/driven.h"
#include "tests/bench/slurm/pairs.h"

namespace muster::bench {
namespace {

constexpr uint32_t kParts = 120;
constexpr int kPairs = 7;
constexpr useconds_t kLookUs = 1000;

// All of them have begun when jobs are handed over; each has a core of its own.
Interval Hour() {
  const Instant begin = WallMoment().Ceiling();
  return {begin, begin + Span{3600}};
}

void AwaitNone(const std::string& beginning) {
  while (!bare::Living(beginning).empty()) usleep(20'000);
}

double BareRate(const Ground& ground) {
  const Interval hour = Hour();
  std::vector<uint32_t> jobs;
  const auto name = [](uint32_t part) { return "bare_" + std::to_string(part); };
  const auto begin = SteadyClock::now();
  for (uint32_t i = 0; i < kParts; ++i) {
    bare::Reserve(name(i), ground.Node(i), hour, Driven::kUser);
  }
  double seconds = SecondsSince(begin);
  bare::Drain(ground.All());
  const auto then = SteadyClock::now();
  for (uint32_t i = 0; i < kParts; ++i) {
    jobs.push_back(bare::Submit(
        {.node = ground.Node(i), .reservation = name(i), .user = Driven::kUser, .minutes = 2}));
  }
  seconds += SecondsSince(then);
  for (const uint32_t job : jobs) bare::Cancel(job);
  AwaitNone("bare");
  bare::Resume(ground.All());
  const auto again = SteadyClock::now();
  for (uint32_t i = 0; i < kParts; ++i) bare::Unreserve(name(i));
  seconds += SecondsSince(again);
  return kParts / seconds;
}

double DriverRate(const Ground& ground) {
  Driven driven(ground.shared_folder, {});
  const Interval hour = Hour();
  std::vector<driver::PutWall> walls;
  std::vector<driver::StartPart> parts;
  for (uint32_t i = 0; i < kParts; ++i) {
    parts.push_back(driven.PartOf(ground.Node(i), hour.begin + Span{10}, "true"));
    parts.back().wall = Driven::kPrefix + std::to_string(i);
    walls.push_back({.wall = parts.back().wall, .serial = 1, .when = hour, .user = "ana"});
    walls.back().places = {parts.back().place};
  }
  driven.Do(driver::Reconcile{});
  driven.Settle();
  const uint32_t marker = bare::Submit({.name = "bare-marker", .held = true});
  driven.Forget();
  const auto begin = SteadyClock::now();
  for (const driver::PutWall& wall : walls) driven.Do(wall);
  driven.Await([&] { return driven.Count<driver::WallStands>() == kParts; });
  double seconds = SecondsSince(begin);
  bare::Drain(ground.All());
  const auto then = SteadyClock::now();
  for (const driver::StartPart& part : parts) driven.Do(part);
  while (!bare::HasSaved(marker + kParts)) usleep(kLookUs);
  seconds += SecondsSince(then);
  if (bare::Living(Driven::kPrefix).size() != kParts) Fail("not all parts were handed over");
  bare::Cancel(marker);
  for (const driver::StartPart& part : parts) driven.Do(driver::StopPart{.token = part.token});
  driven.Await([&] { return driven.Count<driver::PartNotStarted>() == kParts; });
  AwaitNone(Driven::kPrefix);
  bare::Resume(ground.All());
  const auto again = SteadyClock::now();
  for (const driver::PutWall& wall : walls) driven.Do(driver::DropWall{.wall = wall.wall});
  driven.Settle();  // a reservation that is in use would be tried again later, and still be there
  seconds += SecondsSince(again);
  if (driven.Count<driver::WallLost>() > 0) Fail("a reservation was lost");
  if (bare::Reservations(Driven::kPrefix) > 0) Fail("a reservation was left");
  return kParts / seconds;
}

}  // namespace

void WalledRow(const Ground& ground) {
  const Pairs pairs =
      Alternate(kPairs, [&] { return DriverRate(ground); }, [&] { return BareRate(ground); });
  PrintMedians("slurm_walled", "1/s", pairs, {.at_least = 0.60, .aim = 0.85});
}

}  // namespace muster::bench
