// slurm_submit: parts a second that a driver hands over to a cluster.
#include <unistd.h>

#include "tests/bench/federation/conversation.h"
#include "tests/bench/slurm/bare.h"
#include "tests/bench/slurm/cluster_rows.h"
#include "tests/bench/slurm/driven.h"
#include "tests/bench/slurm/pairs.h"

namespace muster::bench {
namespace {

constexpr uint32_t kParts = 120;
constexpr int kPairs = 9;
constexpr useconds_t kLookUs = 1000;

void CancelAll(const std::string& beginning) {
  for (const uint32_t id : bare::Living(beginning)) bare::Cancel(id);
  while (!bare::Living(beginning).empty()) usleep(50'000);
}

double BareRate(const Ground& ground) {
  bare::Job job{.reservation = "bare", .user = Driven::kUser, .minutes = 2};
  const auto begin = SteadyClock::now();
  for (uint32_t i = 0; i < kParts; ++i) {
    job.node = ground.Node(2 + i % 2);
    bare::Submit(job);
  }
  const double rate = kParts / SecondsSince(begin);
  CancelAll("bare");
  return rate;
}

// Ids are given out one after the other, and nobody else submits meanwhile: when the controller has
// the last id, it has all.
double DriverRate(const Ground& ground) {
  Driven driven(ground.shared_folder, {"commons"});
  const Instant at = WallMoment().Ceiling() + Span{30};
  std::vector<driver::StartPart> parts;
  for (uint32_t i = 0; i < kParts; ++i) {
    parts.push_back(driven.PartOf(ground.Node(i % 2), at, "true"));
  }
  const uint32_t marker = bare::Submit({.name = "bare-marker", .held = true});
  const auto begin = SteadyClock::now();
  for (const driver::StartPart& part : parts) driven.Do(part);
  while (!bare::HasSaved(marker + kParts)) usleep(kLookUs);
  const double rate = kParts / SecondsSince(begin);
  if (bare::Living(Driven::kPrefix).size() != kParts) Fail("not all parts were handed over");
  bare::Cancel(marker);
  for (const driver::StartPart& part : parts) driven.Do(driver::StopPart{.token = part.token});
  driven.Await([&] { return driven.Count<driver::PartNotStarted>() == kParts; });
  CancelAll(Driven::kPrefix);
  return rate;
}

}  // namespace

void SubmitRow(const Ground& ground) {
  BareRate(ground);  // the first connections, and files that nobody has read yet
  const Pairs pairs =
      Alternate(kPairs, [&] { return DriverRate(ground); }, [&] { return BareRate(ground); });
  PrintMedians("slurm_submit", "1/s", pairs, {.at_least = 0.80, .aim = 0.95});
}

}  // namespace muster::bench
