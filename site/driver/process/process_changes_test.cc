// Running parts that get a notice before their end, more time, or other nodes: real processes under
// real shepherds. OpenCCS Sect. 5.4.
#include <gtest/gtest.h>

#include "site/driver/process/process_driver_fixture.h"
#include "site/driver/shepherd/part_folder.h"

namespace muster::driver {
namespace {

using namespace testing;
using schemas::EndedBy;

class ProcessChanges : public ::testing::Test {
 protected:
  StartPart Sh(const std::string& token, const std::string& text, int64_t walltime) {
    StartPart part = Shell(token, text, folder_.path());
    part.walltime = Span{walltime};
    part.environment["MUSTER_ENDS_BY"] = "as it was at the start";
    return part;
  }
  // Lines that the part or its notice wrote to this file.
  size_t Lines(const std::string& name) {
    const std::string text = ReadAll(folder_.path() + "/" + name);
    return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  }

  StateFolder folder_;
};

constexpr char kLoop[] = "echo > ready; while :; do sleep 0.05; done";

TEST_F(ProcessChanges, ASignalComesBeforeTheEnd) {
  RunningDriver driver(folder_);
  StartPart part = Sh("a", std::string("trap 'echo heard >> heard' USR1; ") + kLoop, 2);
  part.notice = schemas::Notice{.before = Span{1}, .signal = "USR1"};
  const PartEnded ended = driver.Run(part);
  EXPECT_EQ(ended.end.by, EndedBy::kWalltime);
  EXPECT_EQ(Lines("heard"), 1u);
}

TEST_F(ProcessChanges, AJobMayEndItselfOnItsNotice) {
  RunningDriver driver(folder_);
  StartPart part = Sh("a", std::string("trap 'exit 9' USR1; ") + kLoop, 30);
  part.notice = schemas::Notice{.before = Span{29}, .signal = "SIGUSR1"};
  const PartEnded ended = driver.Run(part);
  EXPECT_EQ(ended.end.by, EndedBy::kExit);
  EXPECT_EQ(ended.end.exit_code, 9);
}

TEST_F(ProcessChanges, ACommandRunsBesideTheJobInItsEnvironmentAndKnowsTheEnd) {
  RunningDriver driver(folder_);
  StartPart part = Sh("a", kLoop, 2);
  part.environment["MUSTER_JOB_ID"] = "42";
  part.notice = schemas::Notice{
      .before = Span{1},
      .argv = {"sh", "-c", "echo told $MUSTER_JOB_ID; echo $MUSTER_ENDS_BY > told; exec sleep 99"}};
  const PartEnded ended = driver.Run(part);
  EXPECT_EQ(ended.end.by, EndedBy::kWalltime);
  EXPECT_EQ(driver.Read(part.part_name).data, "told 42\n");
  const std::string ends_by = ReadAll(folder_.path() + "/told");
  EXPECT_EQ(ends_by.size(), std::string("2026-11-19T14:00:00Z\n").size()) << ends_by;
  EXPECT_TRUE(ends_by.ends_with("Z\n")) << ends_by;
}

TEST_F(ProcessChanges, ANoticeThatCannotRunIsSaidAndThePartGoesOn) {
  RunningDriver driver(folder_);
  StartPart part = Sh("a", kLoop, 2);
  part.notice = schemas::Notice{.before = Span{1}, .argv = {"no-such-command"}};
  EXPECT_EQ(driver.Run(part).end.by, EndedBy::kWalltime);
  EXPECT_EQ(driver.Read(part.part_name, 0, 4096, true).data,
            "muster: cannot run the notice 'no-such-command': No such file or directory\n");
}

TEST_F(ProcessChanges, ANoticeComesWhileNoDaemonRuns) {
  StartPart part = Sh("a", std::string("trap 'echo heard >> heard; exit 0' USR1; ") + kLoop, 30);
  part.notice = schemas::Notice{.before = Span{28}, .signal = "USR1"};
  {
    RunningDriver driver(folder_);
    driver->Do(part);
    ASSERT_TRUE(driver.Next<PartStarted>("a"));
  }
  folder_.Await("heard");
  RunningDriver driver(folder_);
  Eventually([&] { return TryLock(folder_.path() + "/state/tries/a").lock == Lock::kObtained; });
  driver->Do(FindParts{.tokens = {"a"}});
  const auto found = driver.Next<PartFound>("a");
  ASSERT_TRUE(found && found->ended);
  EXPECT_EQ(found->ended->end.exit_code, 0);
}

TEST_F(ProcessChanges, ANoticeThatCouldNotBeGivenIsRefusedAtTheStart) {
  RunningDriver driver(folder_);
  StartPart part = Sh("a", "true", 60);
  part.notice = schemas::Notice{.before = Span{10}, .signal = "KILL"};
  driver->Do(part);
  const auto refused = driver.Next<PartNotStarted>("a");
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->why,
            "its notice names signal 'KILL', which is not one of USR1 USR2 TERM INT HUP QUIT ALRM "
            "CONT URG WINCH");
}

TEST_F(ProcessChanges, APartThatMayGoOnOutlivesItsFirstEnd) {
  RunningDriver driver(folder_);
  driver->Do(Sh("a", "echo > ready; sleep 1.6; exit 3", 1));
  folder_.Await("ready");
  driver->Do(LimitPart{.token = "a", .walltime = Span{30}});
  const auto ended = driver.Next<PartEnded>("a");
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->end, (schemas::PartEnd{.by = EndedBy::kExit, .exit_code = 3}));
}

TEST_F(ProcessChanges, AnExtensionWhoseWordWasLostIsFoundWhenTheOldEndIsDue) {
  RunningDriver driver(folder_);
  driver->Do(Sh("a", "echo > ready; sleep 1.6; exit 3", 1));
  folder_.Await("ready");
  ASSERT_TRUE(WriteLimit(folder_.path() + "/state/tries/a", Span{30}).ok());
  EXPECT_EQ(driver.Next<PartEnded>("a")->end.by, EndedBy::kExit);
}

TEST_F(ProcessChanges, AnExtendedPartGetsItsNoticeAgainBeforeItsNewEnd) {
  RunningDriver driver(folder_);
  StartPart part = Sh("a", kLoop, 2);
  part.notice =
      schemas::Notice{.before = Span{1}, .argv = {"sh", "-c", "echo $MUSTER_ENDS_BY >> told"}};
  driver->Do(part);
  ASSERT_TRUE(Eventually([&] { return Lines("told") == 1; }));
  driver->Do(LimitPart{.token = "a", .walltime = Span{4}});
  const auto ended = driver.Next<PartEnded>("a");
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->end.by, EndedBy::kWalltime);
  EXPECT_GE(ended->usage.elapsed.milliseconds, 4000);
  EXPECT_EQ(Lines("told"), 2u);
  const std::string told = ReadAll(folder_.path() + "/told");
  EXPECT_LT(told.substr(0, 20), told.substr(21, 20)) << "each says the end as it was then";
}

TEST_F(ProcessChanges, APartFoundAfterARestartCanBeExtended) {
  {
    RunningDriver driver(folder_);
    driver->Do(Sh("a", "echo > ready; sleep 2; exit 3", 1));
    folder_.Await("ready");
  }
  RunningDriver driver(folder_);
  driver->Do(FindParts{.tokens = {"a"}});
  driver->Do(LimitPart{.token = "a", .walltime = Span{30}});
  const auto ended = driver.Next<PartEnded>("a");
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->end.by, EndedBy::kExit);
}

TEST_F(ProcessChanges, AResizedPartFindsItsNodeFileNewAndHearsOfItOnce) {
  RunningDriver driver(folder_);
  StartPart part = Sh(
      "a", std::string("trap 'cat $MUSTER_NODEFILE >> seen' WINCH; trap 'exit 0' USR1; ") + kLoop,
      60);
  driver->Do(part);
  folder_.Await("ready");
  schemas::PartPlace place = part.place;
  place.chunks.push_back({.node = "n2", .resources = {{"ncpus", 2}}});
  driver->Do(ResizePart{.token = "a", .place = place});
  EXPECT_TRUE(Eventually([&] { return Lines("seen") == 2; }));
  EXPECT_EQ(ReadAll(folder_.path() + "/seen"), "n1 slots=4\nn2 slots=2\n");
  driver->Do(ResizePart{.token = "a", .place = place});
  place.chunks.pop_back();
  driver->Do(ResizePart{.token = "a", .place = place});
  EXPECT_TRUE(Eventually([&] { return Lines("seen") == 3; })) << "the same again is no news";
  EXPECT_TRUE(ReadAll(folder_.path() + "/seen").ends_with("n2 slots=2\nn1 slots=4\n"));
  driver->Do(StopPart{.token = "a"});
  EXPECT_TRUE(driver.Next<PartEnded>("a"));
}

TEST_F(ProcessChanges, AnEndedPartIsNeitherExtendedNorResized) {
  RunningDriver driver(folder_);
  const StartPart part = Sh("a", "exit 0", 60);
  driver.Run(part);
  driver->Do(LimitPart{.token = "a", .walltime = Span{90}});
  driver->Do(ResizePart{.token = "a", .place = part.place});
  EXPECT_EQ(ReadAll(folder_.path() + "/state/tries/a/" + shepherd::kLimitFile), "");
}

}  // namespace
}  // namespace muster::driver
