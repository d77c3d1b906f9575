// Work that fills what a replay leaves idle: how much it fills, what that costs it, and that the
// jobs of the replay keep their promises. Maui Sect. IV (bottom feeders).
#include "sim/replay/fillers.h"

#include <gtest/gtest.h>

#include "sim/replay/federation_replay.h"
#include "sim/replay/replay_figures.h"

namespace muster::sim {
namespace {

// One site of 10 processors, which lends to all that agreed.
FederationReplayOptions TenProcessors(const std::string& way) {
  FederationReplayOptions options;
  options.meta.federation = "campus";
  options.meta.queues = {{.name = "batch"}};
  options.fillers = {.runs = Span{3600}, .way = way};
  TellMeta(options.fillers, options.meta);
  ReplaySite site{.processors = 10, .one_by_one = true};
  site.site.name = "lakes";
  site.site.boot_id = "b1";
  site.site.facts.turnover = Span{0};
  site.site.lends_to = {"*"};
  for (int i = 1; i <= 10; ++i) {
    site.site.nodes.push_back({"n" + std::to_string(i), {{"ncpus", 1}}, {}});
  }
  options.sites = {site};
  options.start_delay_most = {0};
  return options;
}

// Every two hours a job of five processors for half an hour: alone they use an eighth.
std::vector<FederationJob> EveryTwoHours() {
  std::vector<FederationJob> jobs;
  for (int i = 0; i < 40; ++i) {
    jobs.push_back({.number = i + 1,
                    .submitted = Instant{1'000'000} + Span{7200 * i},
                    .asks = Span{1800},
                    .runs = Span{1800},
                    .parts = {5},
                    .user = 1});
  }
  return jobs;
}

FillerFigures Fill(const std::string& way, FederationResult& result) {
  const FederationReplayOptions options = TenProcessors(way);
  const std::vector<FederationJob> jobs = EveryTwoHours();
  result = ReplayFederation(options, jobs);
  const ReplayFigures figures = Measure(options.sites, jobs, result);
  return MeasureFillers(options.sites, CoreOf(jobs), figures.utilisation, result.fillers);
}

TEST(Fillers, UseWhatIsIdleAndLeaveInTimeForOthers) {
  FederationResult result;
  const FillerFigures filled = Fill("requeue", result);
  EXPECT_TRUE(result.violations.empty());
  EXPECT_GT(filled.utilisation, 0.99);
  EXPECT_LE(filled.utilisation, 1.0);
  EXPECT_GT(filled.recalls, 39 * 5u - 10);
  EXPECT_GT(filled.lost, 0.02);
  const std::vector<FederationJob> jobs = EveryTwoHours();
  for (size_t i = 0; i < jobs.size(); ++i) {
    ASSERT_TRUE(result.jobs[i].start.has_value());
    EXPECT_LE(*result.jobs[i].start - jobs[i].submitted, Span{32}) << "grace, a look and a start";
  }
}

TEST(Fillers, LoseLittleIfTheySaveTheirWork) {
  FederationResult requeue;
  FederationResult checkpoint;
  const FillerFigures lose = Fill("requeue", requeue);
  const FillerFigures save = Fill("checkpoint", checkpoint);
  EXPECT_LT(save.lost, lose.lost / 4);
  EXPECT_GT(save.ended, lose.ended);
}

TEST(Fillers, NoneAreThereUnlessAskedFor) {
  FederationReplayOptions options = TenProcessors("requeue");
  options.fillers = {};
  const FederationResult result = ReplayFederation(options, EveryTwoHours());
  EXPECT_TRUE(result.fillers.lives.empty());
}

}  // namespace
}  // namespace muster::sim
