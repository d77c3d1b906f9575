// How long programs run beside each other, by hand. Maui Sect. IV (Application Level Simulations).
#include "sim/app/models.h"

#include <gtest/gtest.h>

#include <map>

#include "sim/app/replay_apps.h"
#include "site/driver/simulated/simulated_driver.h"

namespace muster::sim {
namespace {

using driver::Media;

class Programs : public driver::Applications {
 public:
  Media media_;
  std::map<std::string, std::unique_ptr<const driver::Application>> models_;  // by user
  const Media& media() const override { return media_; }
  const driver::Application* Of(const driver::StartPart& start) const override {
    const auto it = models_.find(start.user);
    return it == models_.end() ? nullptr : it->second.get();
  }
};

// A machine of nodes with four processors. Each user runs one program; its parts take 100 s alone.
class AppModels : public testing::Test {
 protected:
  AppModels()
      : machine_([](const driver::StartPart&) {
          driver::SimulatedFate fate;
          fate.runs = Seconds(100);
          return fate;
        }) {
    machine_.SetApplications(programs_);
    GoTo(0);
  }
  void Runs(const std::string& user, config::AppConfig app) {
    programs_->models_[user] = ModelOf(app);
  }
  void GoTo(double second) {
    const auto ms = static_cast<int64_t>(second * 1000);
    machine_.Advance({BootInstant{ms}, Moment{ms}});
    for (const driver::Event& event : machine_.Take()) {
      if (const auto* ended = std::get_if<driver::PartEnded>(&event)) {
        ended_[ended->token] = static_cast<double>(ended->at.milliseconds) / 1000;
        usage_[ended->token] = ended->usage;
        by_[ended->token] = ended->end.by;
      }
    }
  }
  // A part of the user with all four processors of these nodes.
  void Start(const std::string& user, std::vector<std::string> nodes, Span walltime = Span{1000}) {
    driver::StartPart part{.token = user,
                           .part_name = user + ".1",
                           .user = user,
                           .not_after = kFarFuture,
                           .walltime = walltime};
    for (const std::string& node : nodes) {
      part.place.chunks.push_back({.node = node, .resources = {{"ncpus", 4}}});
    }
    place_[user] = part.place;
    machine_.Do(part);
  }
  void Until(double second) {
    for (auto next = machine_.Next(); next && next->milliseconds <= second * 1000;
         next = machine_.Next()) {
      GoTo(static_cast<double>(next->milliseconds) / 1000);
    }
    GoTo(second);
  }

  std::shared_ptr<Programs> programs_ = std::make_shared<Programs>();
  driver::SimulatedMachine machine_;
  std::map<std::string, double> ended_;
  std::map<std::string, schemas::Usage> usage_;
  std::map<std::string, schemas::EndedBy> by_;
  std::map<std::string, schemas::PartPlace> place_;
};

TEST_F(AppModels, OneThatIsFixedRunsAsLongAsAloneWhateverRunsBesideIt) {
  Runs("kim", {.model = "fixed"});
  Start("kim", {"n1"});
  Start("ana", {"n1"});
  Until(200);
  EXPECT_EQ(ended_.at("kim"), 100);
  EXPECT_EQ(ended_.at("ana"), 100);
  EXPECT_EQ(usage_.at("kim").cpu, Seconds(400));
}

TEST_F(AppModels, OfLinksTheBusiestCounts) {
  programs_->media_.network = 800;  // each draws 4 * 100 at a node
  const config::AppConfig app{.model = "network", .share = 500, .bandwidth = 100};
  for (const char* user : {"kim", "ana", "eve"}) Runs(user, app);
  Start("kim", {"n1", "n2"});
  Start("ana", {"n2", "n3"});
  Until(10);
  // Three at n2: load 1.5, so 1 / (0.5 + 0.5 * 1.5) = 0.8 of the speed.
  Start("eve", {"n2", "n4"});
  Until(400);
  EXPECT_EQ(ended_.at("kim"), 10 + 90 / 0.8);
  EXPECT_EQ(ended_.at("ana"), ended_.at("kim"));
  // The third has done as much as they did by then, and goes on alone.
  EXPECT_EQ(ended_.at("eve"), ended_.at("kim") + 10);
}

TEST_F(AppModels, OnOneNodeNobodyNeedsTheNetworkAndAllShareItsMemory) {
  programs_->media_.network = 1;
  programs_->media_.memory = 400;
  Runs("kim", {.model = "network", .share = 900, .bandwidth = 100});
  Runs("ana", {.model = "memory", .share = 1000, .bandwidth = 100});
  Runs("eve", {.model = "memory", .share = 1000, .bandwidth = 100});
  Start("kim", {"n1"});
  Start("ana", {"n1"});
  Start("eve", {"n1"});
  Until(400);
  EXPECT_EQ(ended_.at("kim"), 100);
  EXPECT_EQ(ended_.at("ana"), 200);
  EXPECT_EQ(ended_.at("eve"), 200);
}

TEST_F(AppModels, StorageIsSharedAmongThoseWhoReadOrWrite) {
  programs_->media_.storage = 100;
  const config::AppConfig app{.model = "staged", .reads = 1000, .writes = 2000};
  Runs("kim", app);
  Runs("ana", app);
  // Alone: 10 s, 70 s and 20 s. Both read until 20, compute until 90, and write until 130.
  Start("kim", {"n1"});
  Start("ana", {"n2"});
  Until(400);
  EXPECT_EQ(ended_.at("kim"), 130);
  EXPECT_EQ(ended_.at("ana"), 130);
  EXPECT_EQ(usage_.at("kim").cpu, Seconds(4 * 70));
}

TEST_F(AppModels, WhoReadsAloneReadsAtFullSpeed) {
  programs_->media_.storage = 100;
  const config::AppConfig app{.model = "staged", .reads = 1000, .writes = 2000};
  Runs("kim", app);
  Runs("ana", app);
  Start("kim", {"n1"});
  Until(10);
  Start("ana", {"n2"});
  Until(400);
  // The one writes alone from 80 to 90, and both from then on until 110.
  EXPECT_EQ(ended_.at("kim"), 110);
  EXPECT_EQ(ended_.at("ana"), 120);
}

TEST_F(AppModels, AMalleableOneWouldHaveMoreWhileHalfOfEachIsUsed) {
  Runs("kim", {.model = "malleable", .serial = 100, .times = 8});
  Start("kim", {"n1"});
  // S(11) / 11 = 1 / (0.1 * 11 + 0.9) = 0.5, and S(12) / 12 is less.
  const auto wants = machine_.TakeWants();
  ASSERT_EQ(wants.size(), 1u);
  EXPECT_EQ(wants.at("kim"), 11);
  EXPECT_TRUE(machine_.TakeWants().empty());
  Until(50);
  schemas::PartPlace more = place_.at("kim");
  more.chunks.push_back({.node = "n2", .resources = {{"ncpus", 4}}});
  machine_.Do(driver::ResizePart{.token = "kim", .place = more});
  Until(400);
  // S(8) / S(4) = (8 / 1.7) / (4 / 1.3): 1529 thousandths, so 50 s of work take 32.701 s.
  EXPECT_NEAR(ended_.at("kim"), 82.7, 0.01);
}

TEST_F(AppModels, WhoIsSlowedReachesTheEndOfItsWalltime) {
  programs_->media_.memory = 400;
  for (const char* user : {"kim", "ana"}) {
    Runs(user, {.model = "memory", .share = 1000, .bandwidth = 100});
  }
  Start("kim", {"n1"}, Span{150});
  Start("ana", {"n1"}, Span{300});
  Until(400);
  EXPECT_EQ(by_.at("kim"), schemas::EndedBy::kWalltime);
  EXPECT_EQ(ended_.at("kim"), 150);
  // 75 s of its work are done by then; the rest is alone.
  EXPECT_EQ(ended_.at("ana"), 175);
}

TEST_F(AppModels, APausedOneDrawsNothingAndGoesOnWhereItWas) {
  programs_->media_.memory = 400;
  for (const char* user : {"kim", "ana"}) {
    Runs(user, {.model = "memory", .share = 1000, .bandwidth = 100});
  }
  Start("kim", {"n1"});
  Start("ana", {"n1"});
  Until(40);
  machine_.Do(driver::PausePart{"kim"});
  Until(60);
  machine_.Do(driver::ResumePart{"kim"});
  Until(400);
  // By 60 the one did 20 s of work, the other 40; both share until the other ends at 180.
  EXPECT_EQ(ended_.at("ana"), 180);
  EXPECT_EQ(ended_.at("kim"), 200);
}

TEST(ReplayApps, TheFirstProgramThatFitsAJobCounts) {
  config::AppsConfig apps;
  apps.apps = {{.name = "of 3", .model = "fixed", .executables = {3}, .least = 8, .most = 64},
               {.name = "of 17", .model = "malleable", .users = {17}, .times = 4}};
  std::vector<FederationJob> jobs(4);
  jobs[0] = {.runs = Span{10}, .parts = {8}, .user = 17, .executable = 3};
  jobs[1] = {.runs = Span{10}, .parts = {4}, .user = 17, .executable = 3};
  jobs[2] = {.runs = Span{10}, .parts = {4}, .user = 1, .executable = 3};
  jobs[3] = {.runs = Span{10}, .parts = {4, 4}, .user = 17};
  GiveApps(apps, jobs);
  EXPECT_EQ(jobs[0].app, 0u);
  EXPECT_EQ(jobs[1].app, 1u);
  EXPECT_EQ(jobs[1].times, 4);
  EXPECT_EQ(jobs[2].app, std::nullopt);
  EXPECT_EQ(jobs[3].app, 1u);
  EXPECT_EQ(jobs[3].times, 1) << "a co-allocation is rigid";
  FederationResult result;
  result.jobs.resize(4);
  result.jobs[0] = {.fate = JobFate::kEnded, .start = Instant{5}, .end = Instant{20}};
  result.jobs[1] = {.fate = JobFate::kEnded, .start = Instant{5}, .end = Instant{10}};
  result.jobs[1].grown = true;
  const std::vector<AppFigures> figures = MeasureApps(apps, jobs, result);
  ASSERT_EQ(figures.size(), 2u);
  EXPECT_EQ(figures[0].jobs, 1u);
  EXPECT_EQ(figures[0].stretch, 1.5);
  EXPECT_EQ(figures[1].stretch, 0.5);
  EXPECT_EQ(figures[1].grown, 1u);
}

}  // namespace
}  // namespace muster::sim
