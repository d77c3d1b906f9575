// slurm_start_error: how far from its promised second a payload begins, by the clock that the
// payload itself reads. Three starts a second, with the scheduler's parameters as shipped. The
// reference is what anybody can do: a held job that is released in that second.
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/bench/federation/conversation.h"
#include "tests/bench/slurm/bare.h"
#include "tests/bench/slurm/cluster_rows.h"
#include "tests/bench/slurm/driven.h"
#include "tests/bench/slurm/pairs.h"

namespace muster::bench {
namespace {

constexpr int kSeconds = 17;
constexpr int kEachSecond = 3;
constexpr int kStarts = kSeconds * kEachSecond;
constexpr int kPairs = 2;
constexpr int kPatienceS = 40;

void SleepUntil(Moment at) {
  const int64_t left = at.milliseconds - WallMoment().milliseconds;
  if (left > 0) usleep(static_cast<useconds_t>(left * 1000));
}

// A folder in which each payload writes down when it began, in milliseconds.
class Begun {
 public:
  explicit Begun(const Ground& ground) : folder_(ground.shared_folder + "/begun") {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
    std::filesystem::permissions(folder_, std::filesystem::perms::all);
  }
  std::string Command(int start) const {
    const std::string file = folder_ + "/" + std::to_string(start);
    return "date +%s%3N >" + file + ".new && mv " + file + ".new " + file;
  }
  // Seconds from `at` to the beginning of this start; waits for it.
  double Error(int start, Instant at) const {
    for (int i = 0; i < kPatienceS * 20; ++i) {
      std::ifstream file(folder_ + "/" + std::to_string(start));
      int64_t ms = 0;
      if (file >> ms) return static_cast<double>(ms - ToMoment(at).milliseconds) / 1e3;
      usleep(50'000);
    }
    Fail("a start never came");
  }

 private:
  std::string folder_;
};

void Add(const Begun& begun, Instant first, std::vector<double>& errors) {
  for (int i = 0; i < kStarts; ++i) {
    errors.push_back(std::abs(begun.Error(i, first + Span{i / kEachSecond})));
  }
}

void Release(const Ground& ground, std::vector<double>& errors) {
  const Begun begun(ground);
  std::vector<uint32_t> jobs;
  for (int i = 0; i < kStarts; ++i) {
    jobs.push_back(bare::Submit({.script = "#!/bin/sh\n" + begun.Command(i) + "\n",
                                 .node = ground.Node(static_cast<size_t>(i)),
                                 .user = Driven::kUser,
                                 .held = true}));
  }
  const Instant first = WallMoment().Ceiling() + Span{2};
  for (int i = 0; i < kStarts; ++i) {
    SleepUntil(ToMoment(first + Span{i / kEachSecond}));
    bare::Release(jobs[static_cast<size_t>(i)]);
  }
  Add(begun, first, errors);
  while (!bare::Living("bare").empty()) usleep(100'000);
}

void HandOverAhead(const Ground& ground, std::vector<double>& errors) {
  Driven driven(ground.shared_folder, {});
  const Begun begun(ground);
  const Span ahead = driven.facts().start_ahead;
  const Instant first = WallMoment().Ceiling() + ahead + Span{2};
  for (int i = 0; i < kStarts; ++i) {
    const Instant at = first + Span{i / kEachSecond};
    SleepUntil(ToMoment(at - ahead));
    driven.Do(driven.PartOf(ground.Node(static_cast<size_t>(i)), at, begun.Command(i)));
  }
  Add(begun, first, errors);
  driven.Await([&] { return driven.Count<driver::PartEnded>() == kStarts; });
  while (!bare::Living(Driven::kPrefix).empty()) usleep(100'000);
}

}  // namespace

void StartErrorRow(const Ground& ground) {
  std::vector<double> errors, released;
  for (int i = 0; i < kPairs; ++i) {
    Release(ground, released);
    HandOverAhead(ground, errors);
  }
  std::fprintf(stderr, "bench: starts are %.3f s off at p50, %.3f at p90, %.3f at most\n",
               Quantile(errors, 0.5), Quantile(errors, 0.9), Quantile(errors, 1));
  PrintRatio("slurm_start_error", Quantile(errors, 0.99), "s", Quantile(released, 0.99),
             {.at_least = 0.05, .aim = 0.01});
}

}  // namespace muster::bench
