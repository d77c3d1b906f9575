// A daemon is killed with SIGKILL; what the next one finds must agree with the table of protocol.md
// section 3.3.
#include <pwd.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "site/driver/process/process_driver.h"
#include "site/driver/process/process_driver_fixture.h"
#include "site/driver/process/spawn.h"
#include "site/driver/shepherd/part_folder.h"
#include "site/driver/words.h"

namespace muster::driver {
namespace {

using namespace testing;
using schemas::EndedBy;

// A process that runs driver_owner.cc.
class Owner {
 public:
  Owner(const StateFolder& folder, const std::string& account,
        const std::vector<std::string>& parts) {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, ends[1], 1);
    const std::string program = BinFolder() + "/../tests/driver_owner";
    std::vector<std::string> words = {program, folder.path(), account, "cgroups"};
    words.insert(words.end(), parts.begin(), parts.end());
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    EXPECT_EQ(posix_spawn(&pid_, program.c_str(), &files, nullptr, arguments.data(), environ), 0);
    posix_spawn_file_actions_destroy(&files);
    close(ends[1]);
    said_ = Descriptor(ends[0]);
  }
  ~Owner() { Kill(); }
  // Reads until this line comes.
  bool Says(const std::string& line) {
    while (text_.find(line + "\n") == std::string::npos) {
      pollfd wait = {said_.get(), POLLIN, 0};
      char piece[512];
      if (poll(&wait, 1, 10'000) <= 0) return false;
      const ssize_t got = read(said_.get(), piece, sizeof(piece));
      if (got <= 0) return false;
      text_.append(piece, got);
    }
    return true;
  }
  void Kill() {
    if (pid_ < 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  const std::string& text() const { return text_; }

 private:
  pid_t pid_ = -1;
  Descriptor said_;
  std::string text_;
};

PartFound Find(RunningDriver& driver, const std::string& token) {
  driver->Do(FindParts{{token}});
  const auto found = driver.Next<PartFound>(token);
  EXPECT_TRUE(found.has_value());
  return found.value_or(PartFound{});
}

constexpr char kUntilGo[] = "echo $PPID > shepherd; while [ ! -e go ]; do sleep 0.01; done; exit 5";

TEST(ProcessRecovery, APartThatRunsOnIsFoundAndItsEndIsHeard) {
  StateFolder folder;
  Owner owner(folder, "", {std::string("a=") + kUntilGo});
  ASSERT_TRUE(owner.Says("started a")) << owner.text();
  owner.Kill();
  RunningDriver driver(folder);
  const PartFound found = Find(driver, "a");
  EXPECT_EQ(found.finding, Finding::kRunning);
  EXPECT_TRUE(found.started_at.has_value());
  EXPECT_FALSE(driver.Next<PartEnded>("a", 100).has_value());
  std::ofstream(folder.path() + "/go");
  const auto ended = driver.Next<PartEnded>("a");
  ASSERT_TRUE(ended.has_value());
  EXPECT_EQ(ended->end, (schemas::PartEnd{.by = EndedBy::kExit, .exit_code = 5}));
}

TEST(ProcessRecovery, AFoundPartKeepsItsGpuAndCanBeStopped) {
  StateFolder folder;
  Owner owner(folder, "", {std::string("a=") + kUntilGo});
  ASSERT_TRUE(owner.Says("started a")) << owner.text();
  owner.Kill();
  RunningDriver driver(folder);
  Find(driver, "a");
  StartPart other = Shell("b", "echo $CUDA_VISIBLE_DEVICES", folder.path());
  other.place.chunks.front().resources.Set("ngpus", 1);
  driver.Run(other);
  EXPECT_EQ(driver.Read(other.part_name).data, "1\n");
  driver->Do(StopPart{.token = "a"});
  EXPECT_EQ(driver.Next<PartEnded>("a")->end.by, EndedBy::kRelease);
}

TEST(ProcessRecovery, APartThatEndedUnwatchedIsFoundWithItsEnd) {
  StateFolder folder;
  Owner owner(folder, "", {std::string("a=") + kUntilGo});
  ASSERT_TRUE(owner.Says("started a")) << owner.text();
  const pid_t shepherd = std::stoi(folder.Await("shepherd"));
  owner.Kill();
  std::ofstream(folder.path() + "/go");
  ASSERT_TRUE(Eventually([&] { return !IsAlive(shepherd); }));
  RunningDriver driver(folder);
  const PartFound found = Find(driver, "a");
  EXPECT_EQ(found.finding, Finding::kEnded);
  ASSERT_TRUE(found.ended.has_value());
  EXPECT_EQ(found.ended->end.exit_code, 5);
  EXPECT_TRUE(found.started_at.has_value());
}

TEST(ProcessRecovery, OfAPartThatStartedAndLostItsShepherdNobodyCanTellAndNothingIsLeft) {
  for (const std::string cgroups : {"with", "without"}) {
    StateFolder folder;
    RunningDriver first(folder, {.cgroups = cgroups == "with"});
    first->Do(Shell(
        "a", "setsid sh -c 'echo $$ > fled; exec sleep 1000' & echo $PPID > shepherd; sleep 1000",
        folder.path()));
    const pid_t fled = std::stoi(folder.Await("fled"));
    const pid_t shepherd = std::stoi(folder.Await("shepherd"));
    kill(shepherd, SIGKILL);
    ASSERT_TRUE(Eventually([&] { return !IsAlive(shepherd); }));
    RunningDriver second(folder);
    EXPECT_EQ(Find(second, "a").finding, Finding::kCannotTell) << cgroups;
    EXPECT_TRUE(Eventually([&] { return !IsAlive(fled); })) << cgroups;
  }
}

// A folder as left by a daemon that is killed just before the spawn.
std::string PrepareOnly(const StateFolder& folder, const std::string& token,
                        const std::string& boot_id) {
  const std::string path = folder.path() + "/state/tries/" + token;
  const SpecFacts facts{
      .boot_id = boot_id, .serial = 1, .own_dir = folder.path() + "/state/parts/42." + token};
  EXPECT_TRUE(WritePart(path, Shell(token, "echo ran > ran", folder.path()), facts).ok());
  return path;
}

std::string BootId() {
  const std::string text = ReadAll("/proc/sys/kernel/random/boot_id");
  return text.substr(0, text.size() - 1);
}

// Exit code of a shepherd that is started on this folder by hand.
int RunShepherd(const std::string& path, const std::string& token, int news = -1) {
  const Descriptor null(open("/dev/null", O_RDWR | O_CLOEXEC));
  const auto pid = SpawnShepherd(BinFolder() + "/muster-shepherd", path, token,
                                 news < 0 ? null.get() : news, null.get());
  int status = -1;
  EXPECT_TRUE(pid.ok());
  EXPECT_EQ(waitpid(*pid, &status, 0), *pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// As PrepareOnly, on a site whose traces of this boot are complete.
std::string Prepared(const StateFolder& folder, const std::string& token) {
  {
    RunningDriver first(folder);
    first->Do(FindParts{});
  }
  return PrepareOnly(folder, token, BootId());
}

TEST(ProcessRecovery, ATokenWithoutAStartIsProvedAndItsLateShepherdIsKeptOut) {
  StateFolder folder;
  const std::string path = Prepared(folder, "a");
  RunningDriver driver(folder);
  EXPECT_EQ(Find(driver, "a").finding, Finding::kNeverRan);
  EXPECT_EQ(RunShepherd(path, "a"), shepherd::kKeptOut);
  driver->Do(ForgetPart{"a"});
  EXPECT_EQ(RunShepherd(path, "a"), shepherd::kKeptOut);
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/ran"));
}

TEST(ProcessRecovery, AShepherdRunsATokenOnce) {
  StateFolder folder;
  {
    RunningDriver first(folder);
  }
  const std::string path = PrepareOnly(folder, "a", BootId());
  EXPECT_EQ(RunShepherd(path, "a"), shepherd::kDone);
  EXPECT_TRUE(std::filesystem::remove(folder.path() + "/ran"));
  EXPECT_EQ(RunShepherd(path, "a"), shepherd::kKeptOut);
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/ran"));
}

TEST(ProcessRecovery, ADaemonThatDoesNotListenDelaysNoPart) {
  StateFolder folder;
  {
    RunningDriver first(folder);
  }
  const std::string path = PrepareOnly(folder, "a", BootId());
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
  const Descriptor reader(ends[0]), writer(ends[1]);
  while (write(writer.get(), "full", 4) == 4) {
  }
  EXPECT_EQ(RunShepherd(path, "a", writer.get()), shepherd::kDone);
  EXPECT_EQ(ReadTraces(path, "a").ended->end.exit_code, 0);
}

TEST(ProcessRecovery, AShepherdBeforeItsStartIsWaitedForBeforeItsTokenIsAnswered) {
  StateFolder folder;
  {
    RunningDriver first(folder);
    Find(first, "unheard");
  }
  for (const bool starts : {false, true}) {
    const std::string token = starts ? "starts" : "refuses";
    const std::string path = PrepareOnly(folder, token, BootId());
    LockTry shepherd = TryLock(path);
    ASSERT_EQ(shepherd.lock, Lock::kObtained);
    RunningDriver driver(folder);
    driver->Do(FindParts{{token}});
    EXPECT_FALSE(driver.Next<PartFound>(token, 100).has_value());
    if (starts) {
      std::ofstream(path + "/token", std::ios::binary | std::ios::app) << "at_ms=77" << '\0';
      EXPECT_EQ(
          driver.Next<PartFound>(token),
          (PartFound{.token = token, .finding = Finding::kRunning, .started_at = Moment{77}}));
    }
    shepherd.descriptor = Descriptor();
    if (starts) {
      EXPECT_EQ(driver.Next<PartEnded>(token)->end.by, EndedBy::kUnknown);
    } else {
      EXPECT_EQ(driver.Next<PartFound>(token)->finding, Finding::kNeverRan);
    }
  }
}

// This happens when the configuration is reloaded while the answer is due.
TEST(ProcessRecovery, ATokenThatIsAskedForTwiceIsAnsweredOnceItIsKnown) {
  StateFolder folder;
  const std::string path = Prepared(folder, "a");
  LockTry shepherd = TryLock(path);
  ASSERT_EQ(shepherd.lock, Lock::kObtained);
  RunningDriver driver(folder);
  for (int i = 0; i < 2; ++i) driver->Do(FindParts{{"a"}});
  EXPECT_FALSE(driver.Next<PartFound>("a", 100).has_value());
  shepherd.descriptor = Descriptor();
  EXPECT_EQ(driver.Next<PartFound>("a")->finding, Finding::kNeverRan);
  EXPECT_FALSE(driver.Next<PartFound>("a", 100).has_value());
}

TEST(ProcessRecovery, APartThatWasFoundStartingAndThenDidNotEnds) {
  StateFolder folder;
  const std::string path = Prepared(folder, "a");
  LockTry shepherd = TryLock(path);
  ASSERT_EQ(shepherd.lock, Lock::kObtained);
  std::ofstream(path + "/token", std::ios::binary | std::ios::app) << "at_ms=77" << '\0';
  RunningDriver driver(folder);
  EXPECT_EQ(Find(driver, "a").finding, Finding::kRunning);
  std::ofstream(path + "/token", std::ios::binary | std::ios::app)
      << "by=not_started" << '\0' << "text=no fork" << '\0' << "over=" << '\0';
  shepherd.descriptor = Descriptor();
  const auto ended = driver.Next<PartEnded>("a");
  ASSERT_TRUE(ended.has_value());
  EXPECT_EQ(ended->end, (schemas::PartEnd{.by = EndedBy::kFailedToStart, .text = "no fork"}));
}

TEST(ProcessRecovery, WithoutADescriptorNothingIsProved) {
  StateFolder folder;
  const std::string path = Prepared(folder, "a");
  RunningDriver driver(folder);
  Find(driver, "unheard");  // records the boot while files can still be opened
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  rlimit none = before;
  none.rlim_cur = 0;
  setrlimit(RLIMIT_NOFILE, &none);
  driver->Do(FindParts{{"a"}});
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(RunShepherd(path, "a"), shepherd::kDone) << "it was not kept out";
  EXPECT_EQ(driver.Next<PartFound>("a")->finding, Finding::kEnded);
}

TEST(ProcessRecovery, AHalfWrittenSpecStartsNothing) {
  StateFolder folder;
  {
    RunningDriver first(folder);
    Find(first, "unheard");
  }
  const std::string path = PrepareOnly(folder, "a", BootId());
  const std::string whole = ReadAll(path + "/token");
  for (const size_t size : {size_t{0}, size_t{10}, whole.size() / 2, whole.size() - 2}) {
    std::ofstream(path + "/token", std::ios::binary | std::ios::trunc) << whole.substr(0, size);
    EXPECT_EQ(RunShepherd(path, "a"), shepherd::kDone) << size;
    EXPECT_FALSE(std::filesystem::exists(folder.path() + "/ran")) << size;
    std::ofstream(path + "/token", std::ios::binary | std::ios::trunc) << whole.substr(0, size);
    for (int restart = 0; restart < 2; ++restart) {
      RunningDriver driver(folder);
      EXPECT_EQ(Find(driver, "a").finding, Finding::kNeverRan) << size;
      driver->Do(Shell("a", "echo ran > ran", folder.path()));
      EXPECT_EQ(driver.Next<PartNotStarted>("a")->why, kTokenIsOver) << size;
    }
    EXPECT_EQ(RunShepherd(path, "a"), shepherd::kKeptOut) << size;
  }
}

// An incomplete token file from before a reboot proves nothing, to this daemon and every later one.
TEST(ProcessRecovery, AHalfWrittenSpecFromBeforeARebootIsLostForEver) {
  StateFolder folder;
  const std::string path = Prepared(folder, "a");
  const std::string whole = ReadAll(path + "/token");
  std::ofstream(path + "/token", std::ios::binary | std::ios::trunc) << whole.substr(0, 40);
  std::ofstream(folder.path() + "/state/tries/.boot") << "another-boot\n";
  for (int restart = 0; restart < 2; ++restart) {
    RunningDriver driver(folder);
    EXPECT_EQ(Find(driver, "a").finding, Finding::kCannotTell) << restart;
    driver->Do(Shell("a", "echo ran > ran", folder.path()));
    EXPECT_EQ(driver.Next<PartNotStarted>("a")->why, kTokenIsOver) << restart;
  }
  EXPECT_EQ(RunShepherd(path, "a"), shepherd::kKeptOut);
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/ran"));
}

TEST(ProcessRecovery, AfterARebootATokenWithoutAnEndProvesNothing) {
  StateFolder folder;
  {
    RunningDriver first(folder);
    Find(first, "unheard");
  }
  PrepareOnly(folder, "prepared", "another-boot");
  std::ofstream(folder.path() + "/state/tries/.boot") << "another-boot\n";
  for (int restart = 0; restart < 2; ++restart) {
    RunningDriver driver(folder);
    EXPECT_EQ(Find(driver, "prepared").finding, Finding::kCannotTell) << restart;
    if (restart == 0) driver->Do(FindParts{{"traceless"}});
    EXPECT_EQ(Find(driver, "traceless").finding, Finding::kCannotTell) << restart;
  }
  RunningDriver later(folder);
  EXPECT_EQ(Find(later, "new").finding, Finding::kNeverRan);
}

TEST(ProcessRecovery, AStateFolderMadeAnewProvesNothingOnce) {
  StateFolder folder;
  RunningDriver driver(folder);
  EXPECT_EQ(Find(driver, "a").finding, Finding::kCannotTell);
  RunningDriver next(folder);
  EXPECT_EQ(Find(next, "b").finding, Finding::kNeverRan);
}

TEST(ProcessRecovery, StartingAKnownTokenAgainStartsNothingAndTellsWhatIsKnown) {
  StateFolder folder;
  {
    RunningDriver first(folder);
    first.Run(Shell("a", "echo >> ran", folder.path()));
  }
  RunningDriver driver(folder);
  driver->Do(Shell("a", "echo >> ran", folder.path()));
  EXPECT_TRUE(driver.Next<PartStarted>("a").has_value());
  EXPECT_EQ(driver.Next<PartEnded>("a")->end.exit_code, 0);
  EXPECT_EQ(ReadAll(folder.path() + "/ran"), "\n");
}

TEST(ProcessRecovery, OfAPartThatIsAboutToStartASecondDriverTellsTheStart) {
  StateFolder folder;
  const std::string path = Prepared(folder, "a");
  LockTry shepherd = TryLock(path);
  ASSERT_EQ(shepherd.lock, Lock::kObtained);
  RunningDriver driver(folder);
  driver->Do(Shell("a", "echo ran > ran", folder.path()));
  EXPECT_FALSE(driver.Next<PartStarted>("a", 100).has_value());
  std::ofstream(path + "/token", std::ios::binary | std::ios::app) << "at_ms=77" << '\0';
  EXPECT_EQ(driver.Next<PartStarted>("a"), (PartStarted{.token = "a", .at = Moment{77}}));
  shepherd.descriptor = Descriptor();
  EXPECT_EQ(driver.Next<PartEnded>("a")->end.by, EndedBy::kUnknown);
}

TEST(ProcessRecovery, TheProofThatATokenNeverRanOutlivesTheDaemonThatGaveIt) {
  StateFolder folder;
  const std::string path = Prepared(folder, "a");
  {
    RunningDriver driver(folder);
    EXPECT_EQ(Find(driver, "a").finding, Finding::kNeverRan);
  }
  EXPECT_EQ(RunShepherd(path, "a"), shepherd::kKeptOut) << "slower than a second stop";
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/ran"));
  std::ofstream(folder.path() + "/state/tries/.boot") << "another-boot\n";
  RunningDriver next(folder);
  EXPECT_EQ(Find(next, "a").finding, Finding::kNeverRan) << "also after a reboot";
  EXPECT_EQ(Find(next, "b").finding, Finding::kCannotTell);
}

TEST(ProcessRecovery, ATokenWithoutAFolderThatWasAskedForNeverStarts) {
  StateFolder folder;
  {
    RunningDriver first(folder);
    first->Do(FindParts{});
  }
  for (int restart = 0; restart < 2; ++restart) {
    RunningDriver driver(folder);
    if (restart == 0) EXPECT_EQ(Find(driver, "a").finding, Finding::kNeverRan);
    driver->Do(Shell("a", "echo ran > ran", folder.path()));
    EXPECT_EQ(driver.Next<PartNotStarted>("a")->why, kTokenIsOver) << restart;
    EXPECT_EQ(Find(driver, "a").finding, Finding::kNeverRan) << restart;
  }
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/ran"));
}

// A site sends FindParts at its start even without tokens.
TEST(ProcessRecovery, AQuestionForNoTokenEndsTheDoubtOfAStateFolderMadeAnew) {
  for (const bool asked : {false, true}) {
    StateFolder folder;
    {
      RunningDriver first(folder);
      if (asked) first->Do(FindParts{});
    }
    RunningDriver driver(folder);
    EXPECT_EQ(Find(driver, "a").finding, asked ? Finding::kNeverRan : Finding::kCannotTell);
  }
}

// A limit on file size stands in for a full disk; it also binds root.
TEST(ProcessRecovery, WithoutRoomForTheMarkTheTokenFileGoesAndNothingStartsAllTheSame) {
  StateFolder folder;
  const std::string path = Prepared(folder, "a");
  {
    RunningDriver driver(folder);
    signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    rlimit full = before;
    full.rlim_cur = std::filesystem::file_size(path + "/token");
    setrlimit(RLIMIT_FSIZE, &full);
    EXPECT_EQ(Find(driver, "a").finding, Finding::kNeverRan);
    EXPECT_EQ(Find(driver, "a").finding, Finding::kNeverRan);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_DFL);
    driver->Do(Shell("a", "echo ran > ran", folder.path()));
    EXPECT_EQ(driver.Next<PartNotStarted>("a")->why, kTokenIsOver);
  }
  EXPECT_EQ(RunShepherd(path, "a"), shepherd::kKeptOut);
  RunningDriver next(folder);
  EXPECT_EQ(Find(next, "a").finding, Finding::kNeverRan);
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/ran"));
}

TEST(ProcessRecovery, ADaemonThatIsNotRootRunsPartsAsItselfAndNobodyElse) {
  const passwd* nobody = getpwnam("nobody");
  if (geteuid() != 0 || nobody == nullptr) GTEST_SKIP() << "needs root and an account 'nobody'";
  StateFolder folder;
  ASSERT_EQ(chown(folder.path().c_str(), nobody->pw_uid, nobody->pw_gid), 0);
  Owner owner(folder, "nobody",
              {"a=id -u > who; setsid sh -c 'trap \"\" TERM; echo $$ > fled; exec sleep 1000' & "
               "while [ ! -s fled ]; do sleep 0.01; done; exit 4"});
  ASSERT_TRUE(owner.Says("ended a 4")) << owner.text();
  EXPECT_EQ(ReadAll(folder.path() + "/who"), std::to_string(nobody->pw_uid) + "\n");
  EXPECT_FALSE(IsAlive(std::stoi(ReadAll(folder.path() + "/fled"))));
}

}  // namespace
}  // namespace muster::driver
