// The folder of a token, and the wrapper in it, which runs here without Slurm.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "base/io/system/clock.h"
#include "site/driver/slurm/part_command.h"
#include "site/driver/slurm/token_folder.h"
#include "site/driver/slurm/token_record.h"
#include "site/driver/slurm/wrapper.h"

namespace muster::driver::slurm::token_test {
namespace {

using testing::HasSubstr;

class SlurmToken : public testing::Test {
 protected:
  SlurmToken() {
    char path[] = "/tmp/muster-token-XXXXXX";
    folder_ = mkdtemp(path);
    folders_.emplace(*TokenFolders::Open(folder_));
    EXPECT_TRUE(folders_->fresh());
    EXPECT_TRUE(folders_->RememberUse().ok());
  }
  ~SlurmToken() override { std::filesystem::remove_all(folder_); }

  Instant Second() const { return io::SystemClock()->Read().wall.Floor(); }
  StartPart PartOf(const std::string& token, const std::string& command) const {
    StartPart part{.token = token, .part_name = "p." + token};
    part.payload.argv = {"/bin/sh", "-c", command};
    part.place.chunks = {{.node = "n1"}};
    part.not_before = Second();
    part.not_after = Second() + Span{60};
    part.walltime = Span{60};
    return part;
  }
  void Make(const StartPart& part, const Graces& graces = {}) {
    const absl::Status made = folders_->Make(part, std::nullopt, graces);
    ASSERT_TRUE(made.ok()) << made;
  }
  // The wrapper's exit code.
  int RunJob(const std::string& token, int job = 1, const std::string& with = "") const {
    const std::string script = folder_ + "/job." + std::to_string(job) + ".sh";
    std::ofstream(script) << BatchScript(folders_->FolderOf(token));
    const std::string command = "SLURM_JOB_ID=" + std::to_string(job) + " SLURMD_NODENAME=n1 " +
                                with + " /bin/sh " + script + " >/dev/null 2>&1";
    return WEXITSTATUS(std::system(command.c_str()));
  }
  // A folder for PATH with what a wrapper needs, and no mkfifo.
  std::string WithoutFifos() const {
    const std::string folder = folder_ + "/few";
    std::filesystem::create_directory(folder);
    const std::string all =
        "for each in cat date env ln mkdir mv rm setsid sh sleep; do ln -sf \"$("
        "command -v $each)\" " +
        folder + "; done";
    EXPECT_EQ(std::system(all.c_str()), 0);
    return folder;
  }
  // Through which a wrapper that waits for its second holds its command; "": there is none.
  std::string Fifo(const std::string& token) const {
    for (const auto& file :
         std::filesystem::directory_iterator(folders_->FolderOf(token) + "/run")) {
      if (file.is_fifo()) return file.path();
    }
    return "";
  }
  StartPart InThreeSeconds(const std::string& token) const {
    StartPart part = PartOf(token, "echo ran");
    part.not_before = Second() + Span{3};
    return part;
  }
  void AwaitFifo(const std::string& token) const {
    while (Fifo(token).empty() || !OneWaits()) usleep(5'000);
    usleep(50'000);  // its child opens it
  }
  // To the first job's wrapper, and to who waits there.
  int Signal(const std::string& signal) const {
    const std::string kill = "pkill -" + signal + " -f '^/bin/sh ";
    return std::system((kill + folder_ + "/job[.]1[.]sh'").c_str());
  }
  static int SignalChild(const std::string& signal) {
    return std::system(("pkill -" + signal + " -f '" + kWaits + "'").c_str());
  }
  static constexpr int kTries = 8;  // on a loaded machine a signal may come too late
  static bool OneWaits() {
    return std::system(("pgrep -f '" + std::string(kWaits) + "' >/dev/null").c_str()) == 0;
  }
  static constexpr char kWaits[] = "muster-part 1[.]0[.]n1[.]";
  Marks Read(const std::string& token) const { return folders_->Read(token).value(); }
  std::string Output(const std::string& token) const {
    const auto piece = folders_->Output(token, false, 0, 100'000);
    return piece ? piece->data : "none";
  }

  std::string folder_;
  std::optional<TokenFolders> folders_;
};

TEST_F(SlurmToken, RunsOnceWhateverJobsComeForIt) {
  Make(PartOf("t", "echo ran; exit 3"));
  EXPECT_EQ(RunJob("t", 1), 3);
  EXPECT_EQ(RunJob("t", 2), kTokenTaken);
  EXPECT_EQ(RunJob("t", 1), kTokenTaken);
  EXPECT_EQ(Output("t"), "ran\n");
  const Marks marks = Read("t");
  EXPECT_EQ(marks.owner, 1u);
  EXPECT_EQ(marks.begun, Begun::kYes);
  ASSERT_TRUE(marks.ended.has_value());
  EXPECT_EQ(marks.ended->end.exit_code, 3);
  EXPECT_TRUE(marks.ended->usage.cpu.has_value());
}

TEST_F(SlurmToken, OfJobsAtOneTimeOneRuns) {
  Make(PartOf("t", "echo ran; sleep 0.3"));
  std::vector<std::thread> jobs;
  for (int job = 1; job <= 8; ++job) jobs.emplace_back([&, job] { RunJob("t", job); });
  for (std::thread& job : jobs) job.join();
  EXPECT_EQ(Output("t"), "ran\n");
}

TEST_F(SlurmToken, GivenUpNeverRunsAndBegunIsNotGivenUp) {
  Make(PartOf("t", "echo ran"));
  EXPECT_EQ(*folders_->GiveUp("t", Begun::kNever), Begun::kNever);
  EXPECT_EQ(*folders_->GiveUp("t", Begun::kLost), Begun::kNever);
  EXPECT_EQ(RunJob("t"), kTokenTaken);
  EXPECT_EQ(Output("t"), "none");
  Make(PartOf("u", "echo ran"));
  EXPECT_EQ(RunJob("u"), 0);
  EXPECT_EQ(*folders_->GiveUp("u", Begun::kNever), Begun::kYes);
}

TEST_F(SlurmToken, AJobThatWaitsLosesATokenThatIsGivenUpMeanwhile) {
  StartPart part = PartOf("t", "echo ran");
  part.not_before = Second() + Span{2};
  Make(part);
  std::thread job([&] { EXPECT_EQ(RunJob("t"), kTokenTaken); });
  while (Read("t").owner == 0) usleep(10'000);
  EXPECT_EQ(*folders_->GiveUp("t", Begun::kNever), Begun::kNever);
  job.join();
  EXPECT_EQ(Output("t"), "none");
}

TEST_F(SlurmToken, AReleasedOwnerThatLivesDoesNotMakeItRunTwice) {
  StartPart part = PartOf("t", "echo ran");
  part.not_before = Second() + Span{2};
  Make(part);
  std::thread first([&] { RunJob("t", 1); });
  while (Read("t").owner == 0) usleep(10'000);
  folders_->Release("t");
  std::thread second([&] { RunJob("t", 2); });
  first.join();
  second.join();
  EXPECT_EQ(Output("t"), "ran\n");
}

TEST_F(SlurmToken, ATokenWithoutAFolderIsGivenUpForGood) {
  EXPECT_FALSE(Read("t").exists);
  EXPECT_EQ(*folders_->GiveUp("t", Begun::kNever), Begun::kNever);
  EXPECT_TRUE(absl::IsAlreadyExists(folders_->Make(PartOf("t", "true"), std::nullopt, {})));
}

TEST_F(SlurmToken, AFolderThatIsNotThereAnyMoreProvesNothing) {
  std::filesystem::remove_all(folder_ + "/parts");
  EXPECT_TRUE(absl::IsUnavailable(folders_->Read("t").status()));
  std::filesystem::create_directories(folder_ + "/parts");  // an empty file system in its place
  EXPECT_TRUE(absl::IsUnavailable(folders_->Read("t").status()));
}

TEST_F(SlurmToken, StartsNotBeforeItsSecondAndNotAfterItsLastStart) {
  StartPart part = PartOf("t", "true");
  part.not_before = Second() + Span{2};
  Make(part);
  EXPECT_EQ(RunJob("t"), 0);
  EXPECT_GE(Read("t").started_at->milliseconds, ToMoment(part.not_before).milliseconds);
  EXPECT_LT(Read("t").started_at->milliseconds, ToMoment(part.not_before).milliseconds + 500);
  part = PartOf("u", "echo ran");
  part.not_after = Second() - Span{1};
  Make(part);
  EXPECT_EQ(RunJob("u"), kLate);
  EXPECT_EQ(Read("u").begun, Begun::kNever);
  EXPECT_TRUE(Read("u").late);
  EXPECT_EQ(Output("u"), "none");
}

TEST_F(SlurmToken, ItsCommandBeginsInItsSecondAndNotBefore) {
  for (const bool fifos : {true, false}) {  // without them it begins somewhat later
    const std::string token = fifos ? "t" : "u";
    StartPart part = PartOf(token, "date +%s%3N; [ -t 0 ] || cat; pwd");
    part.not_before = Second() + Span{3};
    Make(part);
    EXPECT_EQ(RunJob(token, 1, fifos ? "" : "PATH=" + WithoutFifos()), 0);
    std::istringstream output(Output(token));
    int64_t began = 0;
    std::string where;
    output >> began >> where;
    EXPECT_GE(began, ToMoment(part.not_before).milliseconds);
    EXPECT_LT(began, ToMoment(part.not_before).milliseconds + 700);
    EXPECT_EQ(where, folders_->FolderOf(token) + "/work");
    EXPECT_EQ(*Read(token).started_at, ToMoment(part.not_before));
    EXPECT_EQ(Fifo(token), "");
  }
}

TEST_F(SlurmToken, WhoEndsWhileItWaitsLeavesNobodyWaiting) {
  for (const std::string signal : {"TERM", "KILL"}) {
    bool in_time = false;
    for (int i = 0; i < kTries && !in_time; ++i) {
      const std::string token = signal + std::to_string(i);
      Make(InThreeSeconds(token));
      std::thread job([&] { RunJob(token, 1, "exec"); });
      AwaitFifo(token);
      const int missed = Signal(signal);
      in_time = missed == 0 && Read(token).begun == Begun::kNo;
      job.join();
      for (int k = 0; k < 200 && OneWaits(); ++k) usleep(10'000);
      EXPECT_FALSE(OneWaits()) << signal;
      if (in_time) {
        EXPECT_EQ(Output(token), "none");
      }
    }
    EXPECT_TRUE(in_time);
  }
}

TEST_F(SlurmToken, ASignalToWhoWaitsLeavesTheStartAsItIs) {
  for (const std::string signal : {"USR1", "KILL"}) {  // to all; to the child alone
    bool in_time = false;
    for (int i = 0; i < kTries && !in_time; ++i) {
      const std::string token = signal + std::to_string(i);
      const StartPart part = InThreeSeconds(token);
      Make(part);
      int code = 0;
      std::thread job([&] { code = RunJob(token, 1, "exec"); });
      AwaitFifo(token);
      const int missed =
          signal == "USR1" ? Signal(signal) + SignalChild(signal) : SignalChild(signal);
      in_time = missed == 0 && Read(token).begun == Begun::kNo;
      job.join();
      if (!in_time) continue;
      EXPECT_EQ(code, 0) << signal;
      EXPECT_EQ(Output(token), "ran\n") << signal;
      EXPECT_EQ(Read(token).started_at, ToMoment(part.not_before));
    }
    EXPECT_TRUE(in_time);
  }
}

TEST_F(SlurmToken, ToldToEndBetweenItsTokenAndItsSecondItDoesNotBegin) {
  for (const bool fifos : {true, false}) {
    bool in_time = false;
    for (int i = 0; i < kTries && !in_time; ++i) {
      const std::string token = (fifos ? "t" : "u") + std::to_string(i);
      StartPart part = PartOf(token, "echo ran; sleep 1");
      part.not_before = Second() + Span{2};
      Make(part);
      int code = 0;
      std::thread job(
          [&] { code = RunJob(token, 1, (fifos ? "" : "PATH=" + WithoutFifos()) + " exec"); });
      while (Read(token).begun == Begun::kNo) usleep(1000);
      EXPECT_EQ(Signal("TERM"), 0);
      job.join();
      EXPECT_EQ(code, 128 + SIGTERM);
      in_time = Output(token) == "none";
      ASSERT_TRUE(Read(token).ended);
      EXPECT_EQ(Read(token).ended->end.signal, SIGTERM);
      EXPECT_TRUE(Read(token).by_term);
    }
    EXPECT_TRUE(in_time);
  }
}

TEST_F(SlurmToken, ANodeThatStandsStillBeforeItsSecondDoesNotBeginAfterTheLastStart) {
  bool stood_still = false;
  for (int i = 0; i < kTries && !stood_still; ++i) {
    const std::string token = "t" + std::to_string(i);
    StartPart part = PartOf(token, "echo ran");
    part.not_before = Second() + Span{2};
    part.not_after = part.not_before + Span{1};
    Make(part);
    int code = 0;
    std::thread job([&] { code = RunJob(token, 1, "exec"); });
    while (Read(token).begun == Begun::kNo) usleep(1000);
    EXPECT_EQ(Signal("STOP"), 0);
    usleep(2'000'000);
    EXPECT_EQ(Signal("CONT"), 0);
    job.join();
    stood_still = code == kLate;
    EXPECT_EQ(Output(token), stood_still ? "none" : "ran\n");
    ASSERT_TRUE(Read(token).ended);
    EXPECT_EQ(Read(token).ended->end.exit_code, code);
  }
  EXPECT_TRUE(stood_still);
}

TEST_F(SlurmToken, EndsAtItsWalltimeWithNoticeAndAfterAnExtension) {
  StartPart part = PartOf(
      "t", "trap 'echo noticed' USR1; trap 'echo term; exit 9' TERM; while :; do sleep 0.1; done");
  part.walltime = Span{2};
  part.notice = schemas::Notice{.before = Span{1}, .signal = "USR1"};
  part.notice->argv = {"/bin/echo", "it's", "soon"};
  Make(part);
  EXPECT_EQ(RunJob("t"), 9);
  EXPECT_THAT(Output("t"), HasSubstr("noticed\n"));
  EXPECT_THAT(Output("t"), HasSubstr("it's soon\n"));
  EXPECT_THAT(Output("t"), HasSubstr("term\n"));
  EXPECT_EQ(Read("t").ended->end.by, schemas::EndedBy::kWalltime);
  EXPECT_TRUE(Read("t").ending);
  part = PartOf("u", "sleep 2");
  part.walltime = Span{1};
  Make(part);
  ASSERT_TRUE(folders_->WriteWalltime("u", Span{30}).ok());
  EXPECT_EQ(RunJob("u"), 0);
}

TEST_F(SlurmToken, ARunningPartAnswersAndHearsAStopByFilesAlone) {
  Make(PartOf("t", "sleep 60"), {.beat = Milliseconds(200)});
  EXPECT_EQ(Read("t").answered, std::nullopt);
  std::thread job([&] { RunJob("t"); });
  for (const int64_t question : {41, 7}) {
    ASSERT_TRUE(folders_->Ask("t", question).ok());
    for (int i = 0; i < 500 && Read("t").answered != question; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_EQ(Read("t").answered, question);
  }
  EXPECT_FALSE(Read("t").ended);
  ASSERT_TRUE(folders_->WriteStop("t", Milliseconds(500)).ok());
  job.join();
  ASSERT_TRUE(Read("t").ended);
  EXPECT_EQ(Read("t").ended->end.by, schemas::EndedBy::kRelease);
}

TEST_F(SlurmToken, ACommandThatEndsByTermOfItsOwnHasEndedByItself) {
  Make(PartOf("t", "kill -s TERM $$"));
  EXPECT_EQ(RunJob("t"), 128 + SIGTERM);
  EXPECT_EQ(Read("t").ended->end.by, schemas::EndedBy::kExit);
  EXPECT_EQ(Read("t").ended->end.signal, SIGTERM);
  EXPECT_FALSE(Read("t").by_term);
}

TEST_F(SlurmToken, KillsWhatDoesNotEndAndWhatIsLeftBehind) {
  StartPart part = PartOf("t", "trap '' TERM; sleep 30 & wait; wait; sleep 30");
  part.walltime = Span{1};
  Make(part);
  EXPECT_EQ(RunJob("t"), 128 + SIGKILL);
  EXPECT_EQ(Read("t").ended->end.by, schemas::EndedBy::kWalltime);
  EXPECT_EQ(Read("t").ended->end.signal, SIGKILL);
  Make(PartOf("u", "sleep 47.25 & exit 0"));
  EXPECT_EQ(RunJob("u"), 0);
  EXPECT_NE(std::system("pgrep -f 'sleep 47[.]25' >/dev/null"), 0);
}

TEST_F(SlurmToken, TextsOfUsersAreNeverInterpreted) {
  StartPart part = PartOf("t", "");
  part.payload.script =
      "#!/bin/sh\nprintf '%s|' \"$@\" \"$ODD\"; tr '\\0' '\\n' </proc/$$/environ | grep -c "
      "'^a.b=c'\n";
  part.payload.argv = {"a b", "$(touch x)", "'", "\"", "new\nline", "-n", "a=b", ""};
  part.payload.environment = {{"ODD", "'`id`'$HOME"}, {"a.b", "c"}};
  part.part_name = "it's $(id)";
  Make(part);
  EXPECT_EQ(RunJob("t"), 0);
  EXPECT_EQ(Output("t"), "a b|$(touch x)|'|\"|new\nline|-n|a=b||'`id`'$HOME|1\n");
  EXPECT_EQ(folders_->NewestOf("it's $(id)"), "t");
}

TEST_F(SlurmToken, VariablesReachACommandAsTheyWereSet) {
  const std::vector<std::string> names = {"IFS",   "OPTIND", "PPID",    "UID",       "PWD",
                                          "TMOUT", "LINENO", "_",       "RANDOM",    "1abc",
                                          "a.b",   "go",     "again",   "muster_go", "BASH_ENV",
                                          "PATH",  "ODD",    "SECONDS", "SHLVL"};
  for (const bool waits : {true, false}) {
    const std::string token = waits ? "t" : "u";
    StartPart part = PartOf(token, "");
    part.payload.argv = {"cat", "/proc/self/environ"};
    for (const std::string& name : names) {
      part.payload.environment[name] = name == "PATH" ? "/bin:/usr/bin:/none" : "its $" + name;
    }
    if (waits) part.not_before = Second() + Span{3};
    Make(part);
    EXPECT_EQ(RunJob(token), 0);
    const std::string output = '\0' + Output(token);
    for (const std::string& name : names) {
      const std::string set = name + "=" + part.payload.environment[name];
      EXPECT_NE(output.find('\0' + set + '\0'), output.npos) << set;
    }
  }
}

TEST_F(SlurmToken, TheFirstWordOfACommandIsItsNameWhateverItLooksLike) {
  for (const std::string name : {"a=b", "-c", "--", "cd", "env"}) {
    for (const bool odd_variables : {false, true}) {
      const std::string token = "t" + name + (odd_variables ? "1" : "0");
      std::ofstream(folder_ + "/" + name) << "#!/bin/sh\nprintf '%s|' \"${0##*/}\" \"$@\"\n";
      chmod((folder_ + "/" + name).c_str(), 0700);
      StartPart part = PartOf(token, "");
      part.payload.argv = {name, "-x", "y=z"};
      part.payload.environment["PATH"] = folder_ + ":" + std::getenv("PATH");
      if (odd_variables) part.payload.environment["a.b"] = "c";
      Make(part);
      EXPECT_EQ(RunJob(token), 0) << name;
      EXPECT_EQ(Output(token), name + "|-x|y=z|") << name;
      std::filesystem::remove(folder_ + "/" + name);
    }
  }
}

TEST_F(SlurmToken, LinksAndFifosInItsFolderLeadNowhere) {
  Make(PartOf("t", "true"));
  const std::string folder = folders_->FolderOf("t");
  ASSERT_EQ(symlink("/etc/passwd", (folder + "/out").c_str()), 0);
  EXPECT_EQ(Output("t"), "none");
  ASSERT_EQ(mkfifo((folder + "/run/exit").c_str(), 0600), 0);
  EXPECT_FALSE(Read("t").ended.has_value());
}

TEST_F(SlurmToken, ForgottenKeepsItsOutputUntilItIsSwept) {
  Make(PartOf("t", "echo ran"));
  RunJob("t");
  folders_->Empty("t");
  EXPECT_EQ(Output("t"), "ran\n");
  EXPECT_EQ(RunJob("t", 2), kNoFolder);
  folders_->Sweep(Second(), Span{100});
  EXPECT_EQ(Output("t"), "ran\n");
  folders_->Sweep(Second() + Span{200}, Span{100});
  EXPECT_FALSE(Read("t").exists);
}

TEST(SlurmRecord, ReadsTimesAndLeavesOutWhatIsNotOne) {
  EXPECT_EQ(ProcessorTime("0m0.00s 0m0.01s\n1m2.5s 0m0.05s\n"), Milliseconds(62'560));
  EXPECT_EQ(ProcessorTime("0m0.00s 0m0.01s\n"), std::nullopt);
  EXPECT_EQ(ProcessorTime("nonsense a b c"), std::nullopt);
  EXPECT_EQ(NumberOf(EntriesIn("at=12 job=7x\n", ' '), "at"), 12);
  EXPECT_EQ(NumberOf(EntriesIn("at=12 job=7x\n", ' '), "job"), std::nullopt);
}

}  // namespace
}  // namespace muster::driver::slurm::token_test
