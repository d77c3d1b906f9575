// Parts that are paused and go on: real processes under real shepherds, frozen by a cgroup where
// the machine has one, else stopped one by one. Maui Sect. IV (preemption).
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "site/driver/process/process_driver_fixture.h"
#include "site/driver/shepherd/part_folder.h"

namespace muster::driver {
namespace {

using namespace testing;
using schemas::EndedBy;

constexpr int64_t kStill = 300;  // ms for which a paused part is watched

// A command and a process of another session, which both write a line every 20 ms.
constexpr char kTicks[] =
    "setsid sh -c 'while :; do echo >> far; sleep 0.02; done' & "
    "echo > ready; while :; do echo >> near; sleep 0.02; done";

// Whether cgroups are used, if there are any.
class ProcessPauses : public ::testing::TestWithParam<bool> {
 protected:
  ProcessPauses() { options_.cgroups = GetParam(); }
  StartPart Sh(const std::string& token, const std::string& text, int64_t walltime) {
    StartPart part = Shell(token, text, folder_.path());
    part.walltime = Span{walltime};
    return part;
  }
  size_t Lines(const std::string& name) {
    const std::string text = ReadAll(folder_.path() + "/" + name);
    return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  }
  bool Grows(const std::string& name) {
    const size_t before = Lines(name);
    return Eventually([&] { return Lines(name) > before + 1; }, 2'000);
  }
  // Whether the file stays as it is from some moment on.
  bool StandsStill(const std::string& name) {
    return Eventually([&] {
      const size_t before = Lines(name);
      poll(nullptr, 0, kStill);
      return Lines(name) == before;
    });
  }
  pid_t Shepherd(const std::string& token) {
    return ReadTraces(folder_.path() + "/state/tries/" + token, token).shepherd;
  }

  StateFolder folder_;
  ProcessOptions options_;
};

INSTANTIATE_TEST_SUITE_P(All, ProcessPauses, ::testing::Values(true, false), [](const auto& info) {
  return std::string(info.param ? "WithCgroups" : "WithoutCgroups");
});

TEST_P(ProcessPauses, AllProcessesOfAPausedPartStandStillUntilItGoesOn) {
  RunningDriver driver(folder_, options_);
  driver->Do(Sh("a", kTicks, 60));
  folder_.Await("ready");
  ASSERT_TRUE(Grows("near") && Grows("far"));
  for (int round = 0; round < 2; ++round) {
    driver->Do(PausePart{"a"});
    driver->Do(PausePart{"a"});
    EXPECT_TRUE(StandsStill("near"));
    EXPECT_TRUE(StandsStill("far"));
    driver->Do(ResumePart{"a"});
    EXPECT_TRUE(Grows("near") && Grows("far"));
  }
  driver->Do(StopPart{.token = "a"});
  const auto ended = driver.Next<PartEnded>("a");
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->end.by, EndedBy::kRelease);
}

TEST_P(ProcessPauses, ThePauseCountsNeitherAsRunTimeNorAgainstTheWalltime) {
  const int64_t from = MillisecondsNow();
  {
    RunningDriver driver(folder_, options_);
    driver->Do(Sh("a",
                  "echo > ready; i=0; while [ $i -lt 40 ]; do i=$((i+1)); echo >> near; "
                  "sleep 0.02; done; exit 3",
                  1));
    folder_.Await("ready");
    driver->Do(PausePart{"a"});
    EXPECT_TRUE(StandsStill("near"));
  }
  poll(nullptr, 0, 1'500);  // past its walltime, without a daemon
  RunningDriver driver(folder_, options_);
  driver->Do(FindParts{.tokens = {"a"}});
  driver->Do(PausePart{"a"});
  const auto found = driver.Next<PartFound>("a");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->finding, Finding::kRunning);
  driver->Do(LimitPart{.token = "a", .walltime = Span{30}});
  driver->Do(ResumePart{"a"});
  const auto ended = driver.Next<PartEnded>("a");
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->end.exit_code, 3);
  EXPECT_EQ(Lines("near"), 40u) << "it has done all of its work";
  EXPECT_LE(ended->usage.elapsed.milliseconds, MillisecondsNow() - from - 1'500);
}

TEST_P(ProcessPauses, APausedPartThatIsEndedHearsTerm) {
  RunningDriver driver(folder_, options_);
  driver->Do(Sh("a", "trap 'exit 7' TERM; echo > ready; while :; do sleep 0.02; done", 60));
  folder_.Await("ready");
  driver->Do(PausePart{"a"});
  driver->Do(StopPart{.token = "a"});
  const auto ended = driver.Next<PartEnded>("a");
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->end, (schemas::PartEnd{.by = EndedBy::kRelease, .exit_code = 7}));
}

TEST_P(ProcessPauses, APausedPartThatIgnoresTermIsKilledAfterItsGrace) {
  RunningDriver driver(folder_, options_);
  driver->Do(Sh("a", "trap '' TERM; echo > ready; while :; do sleep 0.02; done", 60));
  folder_.Await("ready");
  driver->Do(PausePart{"a"});
  driver->Do(StopPart{.token = "a", .grace = Milliseconds(300)});
  driver->Do(PausePart{"a"});  // no effect: it is ending
  const auto ended = driver.Next<PartEnded>("a");
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->end, (schemas::PartEnd{.by = EndedBy::kRelease, .signal = SIGKILL}));
}

// Whoever kills a paused command ends it: the rest of its tree does not stay frozen.
TEST_P(ProcessPauses, AnEndWhileItIsPausedIsAnEnd) {
  RunningDriver driver(folder_, options_);
  driver->Do(Sh("a", "sleep 60 & echo $$ > ready; while :; do sleep 0.02; done", 60));
  const pid_t command = std::stoi(folder_.Await("ready"));
  driver->Do(PausePart{"a"});
  kill(command, SIGKILL);
  const auto ended = driver.Next<PartEnded>("a");
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->end, (schemas::PartEnd{.by = EndedBy::kExit, .signal = SIGKILL}));
}

TEST_P(ProcessPauses, APausedPartWhoseShepherdIsLostLeavesNothing) {
  RunningDriver driver(folder_, options_);
  driver->Do(Sh("a", "echo $$ > ready; while :; do sleep 0.02; done", 60));
  const pid_t command = std::stoi(folder_.Await("ready"));
  ASSERT_TRUE(driver.Next<PartStarted>("a"));
  driver->Do(PausePart{"a"});
  poll(nullptr, 0, kStill);
  kill(Shepherd("a"), SIGKILL);
  const auto ended = driver.Next<PartEnded>("a");
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->end.by, EndedBy::kUnknown);
  EXPECT_TRUE(Eventually([&] { return !IsAlive(command); }));
}

TEST_P(ProcessPauses, APauseThatComesAfterTheEndHasNoEffect) {
  RunningDriver driver(folder_, options_);
  EXPECT_EQ(driver.Run(Sh("a", "exit 4", 60)).end.exit_code, 4);
  driver->Do(PausePart{"a"});
  driver->Do(ResumePart{"a"});
  EXPECT_EQ(driver.Run(Sh("b", "exit 5", 60)).end.exit_code, 5);
}

// A word that the signal queue has no room for is said again.
TEST_P(ProcessPauses, APauseThatFindsTheSignalQueueFullComesLater) {
  RunningDriver driver(folder_, options_);
  driver->Do(Sh("a", kTicks, 60));
  folder_.Await("ready");
  rlimit many{};
  ASSERT_EQ(prlimit(Shepherd("a"), RLIMIT_SIGPENDING, nullptr, &many), 0);
  const rlimit none{.rlim_cur = 0, .rlim_max = many.rlim_max};
  ASSERT_EQ(prlimit(Shepherd("a"), RLIMIT_SIGPENDING, &none, nullptr), 0);
  driver->Do(PausePart{"a"});
  EXPECT_TRUE(Grows("near"));
  ASSERT_EQ(prlimit(Shepherd("a"), RLIMIT_SIGPENDING, &many, nullptr), 0);
  std::optional<PartEnding> nothing = driver.Next<PartEnding>("a", 1'500);  // lets time pass
  EXPECT_FALSE(nothing);
  EXPECT_TRUE(StandsStill("near"));
  driver->Do(StopPart{.token = "a"});
  EXPECT_TRUE(driver.Next<PartEnded>("a"));
}

}  // namespace
}  // namespace muster::driver
