// Real processes under real shepherds.
#include "site/driver/process/process_driver.h"

#include <pwd.h>

#include "site/driver/process/process_driver_fixture.h"

namespace muster::driver {
namespace {

using namespace testing;
using schemas::EndedBy;

class ProcessDriverTest : public ::testing::Test {
 protected:
  StartPart Sh(const std::string& token, const std::string& text) {
    return Shell(token, text, folder_.path());
  }
  std::string Output(const StartPart& part) { return driver_.Read(part.part_name, 0, 65536).data; }

  StateFolder folder_;
  RunningDriver driver_{folder_};
};

TEST_F(ProcessDriverTest, TellsStartEndExitCodeAndUsage) {
  driver_->Do(Sh("a", "exit 3"));
  const auto started = driver_.Next<PartStarted>("a");
  ASSERT_TRUE(started.has_value());
  EXPECT_NEAR(started->at.milliseconds / 1000, WallSecond().seconds, 5);
  const auto ended = driver_.Next<PartEnded>("a");
  ASSERT_TRUE(ended.has_value());
  EXPECT_EQ(ended->end.by, EndedBy::kExit);
  EXPECT_EQ(ended->end.exit_code, 3);
  EXPECT_EQ(ended->end.signal, std::nullopt);
  EXPECT_GE(ended->at, started->at);
  EXPECT_GT(ended->usage.max_rss_bytes, 0);
  EXPECT_TRUE(ended->usage.cpu.has_value());
}

TEST_F(ProcessDriverTest, TellsTheSignalThatEndedAPart) {
  const PartEnded ended = driver_.Run(Sh("a", "kill -SEGV $$"));
  EXPECT_EQ(ended.end.by, EndedBy::kExit);
  EXPECT_EQ(ended.end.signal, SIGSEGV);
  EXPECT_EQ(ended.end.exit_code, std::nullopt);
}

TEST_F(ProcessDriverTest, CountsProcessorTimeOfAllDescendants) {
  const PartEnded ended =
      driver_.Run(Sh("a", "sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'"));
  EXPECT_GT(ended.usage.cpu->milliseconds, 10);
  EXPECT_GE(ended.usage.elapsed.milliseconds, 10);
}

TEST_F(ProcessDriverTest, ACommandThatCannotBeRunFailsAsInAShell) {
  StartPart part = Sh("a", "");
  part.payload.argv = {"no-such-command", "x"};
  const PartEnded ended = driver_.Run(part);
  EXPECT_EQ(ended.end.exit_code, 127);
  EXPECT_EQ(ended.end.text, "cannot run 'no-such-command': No such file or directory");
  EXPECT_EQ(driver_.Read(part.part_name, 0, 4096, true).data, "muster: " + ended.end.text + "\n");
  part = Sh("b", "");
  part.payload.argv = {"/etc/passwd"};
  EXPECT_EQ(driver_.Run(part).end.exit_code, 126);
}

TEST_F(ProcessDriverTest, TheWalltimeEndsAPartThatObeysTerm) {
  StartPart part = Sh("a", "trap 'echo term; exit 5' TERM; while :; do sleep 0.05; done");
  part.walltime = Span{1};
  const PartEnded ended = driver_.Run(part);
  EXPECT_TRUE(driver_.Next<PartEnding>("a", 0).has_value());
  EXPECT_EQ(ended.end.by, EndedBy::kWalltime);
  EXPECT_EQ(ended.end.exit_code, 5);
  EXPECT_GE(ended.usage.elapsed.milliseconds, 1000);
  EXPECT_EQ(Output(part), "term\n");
}

TEST_F(ProcessDriverTest, TheWalltimeKillsAPartThatIgnoresTerm) {
  StartPart part = Sh("a", "trap '' TERM; while :; do sleep 0.05; done");
  part.walltime = Span{1};
  const PartEnded ended = driver_.Run(part);
  EXPECT_EQ(ended.end.by, EndedBy::kWalltime);
  EXPECT_EQ(ended.end.signal, SIGKILL);
  EXPECT_GE(ended.usage.elapsed.milliseconds, 1700);
}

TEST_F(ProcessDriverTest, AReleasedPartEndsByTermAndThenByKill) {
  driver_->Do(Sh("mild", "echo $$ > mild; exec sleep 100"));
  driver_->Do(Sh("hard", "trap '' TERM; echo $$ > hard; while :; do sleep 0.05; done"));
  folder_.Await("mild");
  folder_.Await("hard");
  driver_->Do(StopPart{.token = "mild", .grace = Seconds(60)});
  driver_->Do(StopPart{.token = "hard", .grace = Milliseconds(200)});
  EXPECT_EQ(driver_.Next<PartEnded>("mild")->end,
            (schemas::PartEnd{.by = EndedBy::kRelease, .signal = SIGTERM}));
  EXPECT_EQ(driver_.Next<PartEnded>("hard")->end,
            (schemas::PartEnd{.by = EndedBy::kRelease, .signal = SIGKILL}));
  driver_->Do(StopPart{.token = "mild"});
  EXPECT_FALSE(driver_.Next<PartEnded>("mild", 50).has_value());
}

TEST_F(ProcessDriverTest, ASecondStopBringsKillForward) {
  driver_->Do(Sh("a", "trap '' TERM; echo > ready; while :; do sleep 0.05; done"));
  folder_.Await("ready");
  driver_->Do(StopPart{.token = "a", .grace = Seconds(100)});
  driver_->Do(StopPart{.token = "a", .grace = Milliseconds(50)});
  EXPECT_TRUE(driver_.Next<PartEnded>("a").has_value());
}

TEST_F(ProcessDriverTest, AStopRightAfterTheStartIsNotLost) {
  driver_->Do(Sh("a", "exec sleep 100"));
  driver_->Do(StopPart{.token = "a"});
  // The stop takes effect before or after the start, whichever comes first.
  const auto ended = driver_.Next<PartEnded>("a", 3000);
  if (!ended) {
    EXPECT_TRUE(driver_.Next<PartNotStarted>("a", 0).has_value());
  } else {
    EXPECT_EQ(ended->end.by, EndedBy::kRelease);
  }
}

constexpr char kEscape[] =
    "setsid sh -c 'trap \"\" TERM; (sh -c \"trap \\\"\\\" TERM; echo \\$\\$ > fled; sleep 1000; "
    "true\" &)' ;";

TEST_F(ProcessDriverTest, ProcessesThatFledTheirSessionAreKilledWithThePart) {
  driver_->Do(Sh("a", std::string(kEscape) + "echo $$ > main; sleep 1000"));
  const pid_t fled = std::stoi(folder_.Await("fled"));
  folder_.Await("main");
  ASSERT_TRUE(IsAlive(fled));
  driver_->Do(StopPart{.token = "a", .grace = Milliseconds(100)});
  EXPECT_EQ(driver_.Next<PartEnded>("a")->end.by, EndedBy::kRelease);
  EXPECT_FALSE(IsAlive(fled));
}

TEST_F(ProcessDriverTest, WhatACommandLeavesBehindEndsWithIt) {
  const PartEnded ended = driver_.Run(
      Sh("a", std::string(kEscape) + "while [ ! -s fled ]; do sleep 0.01; done; exit 7"));
  EXPECT_EQ(ended.end.by, EndedBy::kExit);
  EXPECT_EQ(ended.end.exit_code, 7);
  EXPECT_FALSE(IsAlive(std::stoi(folder_.Await("fled"))));
}

TEST(ProcessDriverWithoutCgroups, ProcessesThatFledTheirSessionAreKilledAllTheSame) {
  StateFolder folder;
  RunningDriver driver(folder, {.cgroups = false});
  EXPECT_EQ(driver->LimitsNote(), "no cgroup limits: switched off");
  driver->Do(Shell("a", std::string(kEscape) + "sleep 1000", folder.path()));
  const pid_t fled = std::stoi(folder.Await("fled"));
  driver->Do(StopPart{.token = "a", .grace = Milliseconds(100)});
  EXPECT_TRUE(driver.Next<PartEnded>("a").has_value());
  EXPECT_FALSE(IsAlive(fled));
}

TEST_F(ProcessDriverTest, NothingStartsAfterItsLastStart) {
  StartPart part = Sh("a", "echo ran > ran");
  part.not_after = WallSecond() - Span{1};
  driver_->Do(part);
  const auto refused = driver_.Next<PartNotStarted>("a");
  ASSERT_TRUE(refused.has_value());
  EXPECT_TRUE(refused->late);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/ran"));
}

TEST_F(ProcessDriverTest, WhatCannotRunIsRefusedWithAReason) {
  StartPart part = Sh("a", "");
  part.payload.argv.clear();
  driver_->Do(part);
  EXPECT_EQ(driver_.Next<PartNotStarted>("a")->why, "it has neither a script nor a command");
  part = Sh("b", "true");
  part.payload.environment["A=B"] = "x";
  driver_->Do(part);
  EXPECT_EQ(driver_.Next<PartNotStarted>("b")->why, "'A=B' cannot name a variable");
  part = Sh("../c", "true");
  driver_->Do(part);
  EXPECT_EQ(driver_.Next<PartNotStarted>("../c")->why, "'../c' cannot name a folder");
}

TEST_F(ProcessDriverTest, APartFindsTheEnvironmentThatWasPromised) {
  StartPart part = Sh("a",
                      "env; echo; cat $MUSTER_NODEFILE $MUSTER_SECRET_FILE; stat -c %a "
                      "$MUSTER_SECRET_FILE; pwd; cat");
  part.payload.environment = {
      {"PATH", "/usr/bin:/bin"}, {"COLOUR", "blue\nand red"}, {"MUSTER_PART", "forged"}};
  part.environment = {{"MUSTER_PART", "2"}, {"MUSTER_JOB_ID", "42"}};
  part.place.chunks = {{.node = "n1", .resources = {{"ncpus", 4}, {"ngpus", 1}}},
                       {.node = "n2", .resources = {{"ncpus", 2}}},
                       {.node = "n1", .resources = {{"ncpus", 3}, {"ngpus", 1}}}};
  part.secret.bytes[0] = 0xab;
  EXPECT_EQ(driver_.Run(part).end.exit_code, 0);
  const std::string output = "\n" + Output(part);
  for (const std::string line :
       {"COLOUR=blue\nand red", "MUSTER_PART=2", "MUSTER_JOB_ID=42", "MUSTER_NCPUS=7",
        "MUSTER_GPUS=2", "CUDA_VISIBLE_DEVICES=0,1", "PATH=/usr/bin:/bin"}) {
    EXPECT_NE(output.find("\n" + line + "\n"), std::string::npos) << line << " is not in" << output;
  }
  EXPECT_NE(output.find("MUSTER_SUBMIT_DIR=" + folder_.path() + "\n"), std::string::npos);
  EXPECT_NE(output.find("\n\nn1 slots=4\nn2 slots=2\nn1 slots=3\nab00"), std::string::npos)
      << output;
  EXPECT_TRUE(output.ends_with("\n600\n" + folder_.path() + "\n")) << output;
}

TEST_F(ProcessDriverTest, LivePartsOfANodeNeverShareAGpu) {
  const auto gpu_part = [&](const std::string& token) {
    StartPart part = Sh(token, "echo $CUDA_VISIBLE_DEVICES; echo > " + token + "; [ " + token +
                                   " = c ] || exec sleep 1000");
    part.place.chunks.front().resources.Set("ngpus", 2);
    return part;
  };
  driver_->Do(gpu_part("a"));
  driver_->Do(gpu_part("b"));
  folder_.Await("a");
  folder_.Await("b");
  EXPECT_EQ(Output(gpu_part("a")), "0,1\n");
  EXPECT_EQ(Output(gpu_part("b")), "2,3\n");
  driver_->Do(StopPart{.token = "a"});
  driver_.Next<PartEnded>("a");
  driver_.Run(gpu_part("c"));
  EXPECT_EQ(Output(gpu_part("c")), "0,1\n");
  driver_->Do(StopPart{.token = "b"});
  driver_.Next<PartEnded>("b");
}

TEST_F(ProcessDriverTest, WithoutAUsableSubmitDirectoryAPartRunsInItsOwn) {
  StartPart part = Sh("a", "pwd; echo ${MUSTER_SUBMIT_DIR-unset}");
  part.payload.submit_dir = "/no/such/folder";
  driver_.Run(part);
  EXPECT_EQ(Output(part), folder_.path() + "/state/parts/42.a\nunset\n");
}

TEST_F(ProcessDriverTest, AScriptIsRunByItsInterpreterOrByTheShell) {
  StartPart part = Sh("a", "");
  part.payload.script = "#!/usr/bin/env -S sh -e\necho \"$1-$2\"\nfalse\necho unreached\n";
  part.payload.argv = {"one", "two three"};
  EXPECT_EQ(driver_.Run(part).end.exit_code, 1);
  EXPECT_EQ(Output(part), "one-two three\n");
  part = Sh("b", "");
  part.payload.script = "echo plain $#\n";
  part.payload.argv.clear();
  EXPECT_EQ(driver_.Run(part).end.exit_code, 0);
  EXPECT_EQ(Output(part), "plain 0\n");
}

TEST_F(ProcessDriverTest, NothingOfTheDaemonLeaksIntoAPart) {
  // Simulates a careless library: descriptors without close-on-exec and ignored signals must not
  // reach the part.
  const int careless = open("/dev/zero", O_RDONLY);
  fcntl(careless, F_DUPFD, 40);
  signal(SIGHUP, SIG_IGN);
  const StartPart part = Sh("a",
                            "ls /proc/self/fd | wc -w; sed -n -E 's/^(SigBlk|SigIgn).*(.{7})$/\\1 "
                            "\\2/p' /proc/self/status; cat");
  driver_.Run(part);
  signal(SIGHUP, SIG_DFL);
  close(careless);
  close(40);
  // Four descriptors: the standard streams and the folder that ls reads. The mask covers signals 1
  // to 28 (the C library sets 32 and 33 itself).
  EXPECT_EQ(Output(part), "4\nSigBlk 0000000\nSigIgn 0000000\n");
}

TEST_F(ProcessDriverTest, OutputIsReadInPiecesWhileThePartRunsAndAfterIt) {
  const StartPart part = Sh("a",
                            "printf hello; printf oops >&2; echo > said; while [ ! -e go ]; do "
                            "sleep 0.01; done; printf ' world'");
  EXPECT_FALSE(driver_.Read(part.part_name).known);
  driver_->Do(part);
  folder_.Await("said");
  EXPECT_EQ(driver_.Read(part.part_name, 0, 3),
            (schemas::OutputView{.data = "hel", .next = 3, .known = true}));
  EXPECT_EQ(driver_.Read(part.part_name, 3, 99),
            (schemas::OutputView{.data = "lo", .next = 5, .known = true}));
  EXPECT_EQ(driver_.Read(part.part_name, 0, 99, true).data, "oops");
  std::ofstream(folder_.path() + "/go");
  driver_.Next<PartEnded>("a");
  driver_->Do(ForgetPart{"a"});
  EXPECT_EQ(driver_.Read(part.part_name, 5, 3),
            (schemas::OutputView{.data = " wo", .next = 8, .known = true}));
  EXPECT_EQ(driver_.Read(part.part_name, 8, 99),
            (schemas::OutputView{.data = "rld", .next = 11, .ended = true, .known = true}));
}

TEST_F(ProcessDriverTest, OutputIsThatOfTheNewestTry) {
  StartPart part = Sh("first", "echo first");
  driver_.Run(part);
  part.token = "second";
  part.payload.argv.back() = "echo second";
  driver_.Run(part);
  EXPECT_EQ(Output(part), "second\n");
}

TEST_F(ProcessDriverTest, AShepherdThatIsKilledLeavesAnUnknownEndAndNoProcesses) {
  driver_->Do(Sh("a", std::string(kEscape) + "echo $PPID > shepherd; sleep 1000"));
  const pid_t fled = std::stoi(folder_.Await("fled"));
  kill(std::stoi(folder_.Await("shepherd")), SIGKILL);
  const auto ended = driver_.Next<PartEnded>("a");
  ASSERT_TRUE(ended.has_value());
  EXPECT_EQ(ended->end.by, EndedBy::kUnknown);
  EXPECT_TRUE(Eventually([&] { return !IsAlive(fled); }));
}

TEST_F(ProcessDriverTest, ForgettingKeepsTheOutputAndNothingSecret) {
  driver_.Run(Sh("a", "echo out"));
  driver_->Do(ForgetPart{"a"});
  std::vector<std::string> left;
  for (const auto& file : std::filesystem::directory_iterator(folder_.path() + "/state/tries/a")) {
    left.push_back(file.path().filename());
  }
  std::sort(left.begin(), left.end());
  EXPECT_EQ(left, (std::vector<std::string>{"stderr", "stdout"}));
}

TEST(ProcessDriverAccounts, AMappedUserRunsAsTheLocalAccount) {
  const passwd* nobody = getpwnam("nobody");
  if (geteuid() != 0 || nobody == nullptr) GTEST_SKIP() << "needs root and an account 'nobody'";
  const uid_t uid = nobody->pw_uid;
  StateFolder folder;
  RunningDriver driver(folder, {.accounts = {{"kim", "nobody"}, {"*", "deny"}}});
  // It cannot write into root's submit directory, so it runs in its own directory and owns its
  // files.
  const StartPart part =
      Shell("a", "id -u; pwd; wc -c < $MUSTER_SECRET_FILE; echo $LOGNAME; echo x >> /dev/stdout",
            folder.path());
  EXPECT_EQ(driver.Run(part).end, (schemas::PartEnd{.by = EndedBy::kExit, .exit_code = 0}));
  EXPECT_EQ(driver.Read(part.part_name).data,
            std::to_string(uid) + "\n" + folder.path() + "/state/parts/42.a\n65\nnobody\nx\n");
  StartPart other = Shell("b", "true", folder.path());
  other.user = "ada";
  driver->Do(other);
  EXPECT_EQ(driver.Next<PartNotStarted>("b")->why, "user 'ada' has no account at this site");
}

}  // namespace
}  // namespace muster::driver
