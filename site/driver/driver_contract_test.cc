// One contract for all drivers (site/driver/driver.h): any sequence of commands, with daemons that
// die in between, yields the same events from real processes as from simulated parts, except for
// times and usage, and nothing runs twice. The seed in a failure replays it.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "site/driver/process/part_files.h"
#include "site/driver/process/process_driver.h"
#include "site/driver/process/process_driver_fixture.h"
#include "site/driver/process/spawn.h"
#include "site/driver/shepherd/part_folder.h"
#include "site/driver/simulated/simulated_driver.h"
#include "site/driver/words.h"

namespace muster::driver {
namespace {

using namespace testing;
using Stage = SimulatedPart::Stage;

// --- events as text, without their times

std::string EndOf(const PartEnded& ended) {
  std::string text = "by " + std::to_string(static_cast<int>(ended.end.by));
  if (ended.end.exit_code) text += ", exit code " + std::to_string(*ended.end.exit_code);
  if (ended.end.signal) text += ", signal " + std::to_string(*ended.end.signal);
  return text + (ended.end.text.empty() ? "" : ": " + ended.end.text);
}
std::string Said(const PartStarted&) { return "started"; }
std::string Said(const PartNotStarted& none) {
  return "not started" + std::string(none.late ? ", late: " : ": ") + none.why;
}
std::string Said(const PartEnding&) { return "ending"; }
std::string Said(const PartEnded& ended) { return "ended " + EndOf(ended); }
std::string Said(const PartFound& found) {
  constexpr const char* kFindings[] = {"running", "ended", "never ran", "cannot tell"};
  std::string text = std::string("found ") + kFindings[static_cast<int>(found.finding)];
  if (found.started_at) text += ", started";
  return text + (found.ended ? ", " + EndOf(*found.ended) : "");
}

using Words = std::map<std::string, std::vector<std::string>>;  // by token, in order

Words WordsOf(const std::vector<Event>& events) {
  Words words;
  for (const Event& event : events) {
    std::visit(
        [&](const auto& what) {
          if constexpr (requires { what.token; }) {
            words[what.token].push_back(Said(what));
          }
        },
        event);
  }
  return words;
}

// --- the same part in both worlds

enum class Kind : uint8_t { kQuick, kLong, kCrashes, kInvalid, kLate };
constexpr int kKinds = 5;
constexpr char kNothingToRun[] = "it has neither a script nor a command";

SimulatedFate FateOf(Kind kind) {
  if (kind == Kind::kQuick) return {.runs = BootSpan{0}, .exit_code = 3};
  if (kind == Kind::kCrashes) return {.runs = BootSpan{0}, .signal = SIGKILL};
  if (kind == Kind::kInvalid) return {.cannot_start = kNothingToRun};
  return {};
}

StartPart PartOf(const std::string& token, Kind kind, const std::string& folder) {
  const std::string then = kind == Kind::kQuick     ? "exit 3"
                           : kind == Kind::kCrashes ? "kill -9 $$"
                                                    : "exec sleep 1000";
  StartPart part = Shell(token, "echo run >> ran." + token + "; " + then, folder);
  part.walltime = Span{86400};
  part.not_after = WallSecond() + Span{kind == Kind::kLate ? -10 : 3600};
  if (kind == Kind::kInvalid) part.payload.argv.clear();
  return part;
}

// Both drivers, given the same commands.
class Pair {
 public:
  explicit Pair(uint64_t seed) : random_(seed) {
    simulated_.Advance({.boot = {1000}, .wall = ToMoment(WallSecond())});
    Open();
  }
  ~Pair() {
    Crash();
    for (const auto& [token, kind] : parts_) Do(FindParts{{token}});
    for (const auto& [token, kind] : parts_) Do(StopPart{.token = token});
    Settle("the end");
    real_.reset();
    while (waitpid(-1, nullptr, WNOHANG) > 0) {
    }
  }

  void Run(int steps) {
    for (int i = 0; i < steps && !::testing::Test::HasFailure(); ++i) {
      step_ = i;
      Step();
    }
    CheckRuns();
  }
  const std::map<std::string, int>& seen() const { return seen_; }

 private:
  void Open() {
    ProcessOptions options;
    options.state_dir = folder_.path() + "/state";
    options.shepherd = BinFolder() + "/muster-shepherd";
    auto opened = ProcessDriver::Open(std::move(options));
    ASSERT_TRUE(opened.ok()) << opened.status();
    real_ = *std::move(opened);
  }
  void Do(const Command& command) {
    real_->Do(command);
    simulated_.Do(command);
  }

  void Step() {
    const uint64_t choice = random_.Below(100);
    if (choice < 30) return Start(NewToken(), static_cast<Kind>(random_.Below(kKinds)));
    if (choice < 40) return StartAgain();
    if (choice < 58) return Find();
    if (choice < 64) return Stop();
    if (choice < 68) return PauseOrResume();
    if (choice < 73) return Forget();
    if (choice < 80) return Restart("a daemon died");
    if (choice < 85) return DieAfterAStart();
    if (choice < 91) return DieBeforeASpawn();
    if (choice < 96) return LateShepherds();
    LoseAShepherd();
  }

  std::string NewToken() { return "t" + std::to_string(++tokens_); }
  std::string AnyToken() {
    if (parts_.empty()) return "";
    auto part = parts_.begin();
    std::advance(part, random_.Below(parts_.size()));
    return part->first;
  }

  void Start(const std::string& token, Kind kind) {
    parts_.emplace(token, kind);
    simulated_.SetFate("42." + token, FateOf(kind));
    Do(PartOf(token, kind, folder_.path()));
    Settle("start " + token);
  }
  void StartAgain() {
    const std::string token = AnyToken();
    if (!token.empty()) Start(token, parts_.at(token));
  }
  void Find() {
    std::set<std::string> tokens;
    for (uint64_t n = random_.Below(4); n > 0 && !parts_.empty(); --n) tokens.insert(AnyToken());
    if (random_.Chance(300)) {
      const std::string unheard = NewToken();
      parts_.emplace(unheard, Kind::kQuick);
      tokens.insert(unheard);
    }
    Do(FindParts{{tokens.begin(), tokens.end()}});
    Settle("find");
  }
  void Stop() {
    if (const std::string token = AnyToken(); !token.empty()) {
      Do(StopPart{.token = token});
      Settle("stop " + token);
    }
  }
  void PauseOrResume() {
    const std::string token = AnyToken();
    if (token.empty()) return;
    random_.Chance(500) ? Do(PausePart{token}) : Do(ResumePart{token});
    Settle("pause or resume " + token);
  }
  // A forgotten token is not named again; only parts that are over are forgotten.
  void Forget() {
    const std::string token = AnyToken();
    const auto part = simulated_.parts().find(token);
    if (part == simulated_.parts().end() || part->second.stage < Stage::kEnded) return;
    CheckRunsOf(token);
    prepared_.erase(token);
    parts_.erase(token);
    Do(ForgetPart{token});
    Settle("forget " + token);
  }

  void Crash() {
    real_.reset();
    simulated_.CrashDaemon();
    Open();
  }
  void Restart(const std::string& why) {
    Crash();
    Settle(why);
  }
  // The daemon dies after a start, so no daemon hears of the events until the next one.
  void DieAfterAStart() {
    const std::string token = NewToken();
    const Kind kind = static_cast<Kind>(random_.Below(kKinds));
    parts_.emplace(token, kind);
    simulated_.SetFate("42." + token, FateOf(kind));
    Do(PartOf(token, kind, folder_.path()));
    real_.reset();
    AwaitTruthOf(token);
    Restart("a daemon died after the start of " + token);
  }
  // The daemon dies before the spawn: the folder exists, and its shepherd comes late or never.
  void DieBeforeASpawn() {
    const std::string token = NewToken();
    const Kind kind = random_.Chance(500) ? Kind::kQuick : Kind::kLong;
    parts_.emplace(token, kind);
    prepared_.insert(token);
    SimulatedFate fate = FateOf(kind);
    fate.start_delay = Seconds(1);
    simulated_.SetFate("42." + token, fate);
    const StartPart part = PartOf(token, kind, folder_.path());
    simulated_.Do(part);
    real_->Do(FindParts{});  // then a missing trace is proof
    const SpecFacts facts{.boot_id = BootId(),
                          .serial = 1,
                          .walltime_grace = Milliseconds(700),
                          .stop_grace = Milliseconds(700),
                          .own_dir = folder_.path() + "/state/parts/42." + token};
    EXPECT_TRUE(WritePart(FolderOf(token), part, facts).ok());
    Restart("a daemon died before the spawn of " + token);
  }
  void LateShepherds() {
    boot_ms_ += 2000;
    simulated_.Advance({.boot = {boot_ms_}, .wall = ToMoment(WallSecond())});
    const Descriptor null(open("/dev/null", O_RDWR | O_CLOEXEC));
    for (const std::string& token : std::exchange(prepared_, {})) {
      const auto pid = SpawnShepherd(BinFolder() + "/muster-shepherd", FolderOf(token), token,
                                     null.get(), null.get());
      ASSERT_TRUE(pid.ok());
      if (simulated_.parts().at(token).stage == Stage::kNeverRan) {
        int status = -1;
        EXPECT_EQ(waitpid(*pid, &status, 0), *pid);
        EXPECT_TRUE(WIFEXITED(status));
        EXPECT_EQ(WEXITSTATUS(status), shepherd::kKeptOut) << token;
        ++seen_["late shepherd kept out"];
      } else {
        AwaitTruthOf(token);
      }
    }
    Settle("late shepherds");
  }
  void LoseAShepherd() {
    const std::string token = AnyToken();
    const auto part = simulated_.parts().find(token);
    if (part == simulated_.parts().end() || part->second.stage != Stage::kRunning) return;
    const pid_t shepherd = ReadTraces(FolderOf(token), token).shepherd;
    ASSERT_GT(shepherd, 0);
    kill(shepherd, SIGKILL);
    simulated_.LoseShepherd(token);
    EXPECT_TRUE(Eventually([&] { return !IsAlive(shepherd); }));
    Settle("the shepherd of " + token + " is lost");
  }

  // Waits until the real part has reached the stage of the simulated one.
  void AwaitTruthOf(const std::string& token) {
    const Stage stage = simulated_.parts().at(token).stage;
    EXPECT_TRUE(Eventually([&] {
      const Traces traces = ReadTraces(FolderOf(token), token);
      if (stage == Stage::kRunning) return traces.started && Runs(token) > 0;
      if (stage != Stage::kEnded) return true;
      return traces.ended.has_value() && TryLock(FolderOf(token)).lock != Lock::kHeld;
    })) << token;
  }

  void Settle(const std::string& after) {
    const Words expected = WordsOf(simulated_.Take());
    size_t count = 0;
    for (const auto& [token, words] : expected) {
      count += words.size();
      for (const std::string& word : words) ++seen_[word];
    }
    std::vector<Event> events = real_->Take();
    const int64_t until = MillisecondsNow() + 10'000;
    while (events.size() < count && MillisecondsNow() < until) {
      pollfd wait = {real_->EventFd(), POLLIN, 0};
      poll(&wait, 1, 100);
      for (Event& event : real_->Take()) events.push_back(std::move(event));
    }
    EXPECT_EQ(WordsOf(events), expected) << "step " << step_ << ", after: " << after;
    // A part may be reported as started before its command has run.
    for (const auto& [token, words] : expected) {
      const auto part = simulated_.parts().find(token);
      if (part != simulated_.parts().end()) AwaitTruthOf(token);
    }
  }

  int Runs(const std::string& token) const {
    const std::string text = ReadAll(folder_.path() + "/ran." + token);
    return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  }
  void CheckRunsOf(const std::string& token) const {
    const auto part = simulated_.parts().find(token);
    const bool ran = part != simulated_.parts().end() && part->second.started_at != Moment{};
    EXPECT_EQ(Runs(token), ran ? 1 : 0) << token;
  }
  void CheckRuns() const {
    for (const auto& [token, kind] : parts_) CheckRunsOf(token);
  }

  std::string FolderOf(const std::string& token) const {
    return folder_.path() + "/state/tries/" + token;
  }
  static std::string BootId() {
    const std::string text = ReadAll("/proc/sys/kernel/random/boot_id");
    return text.substr(0, text.size() - 1);
  }

  Random random_;
  StateFolder folder_;
  std::unique_ptr<ProcessDriver> real_;
  SimulatedMachine simulated_;
  int64_t boot_ms_ = 1000;
  std::map<std::string, Kind> parts_;  // parts that commands may name
  std::set<std::string> prepared_;     // parts whose shepherd has not started yet
  std::map<std::string, int> seen_;    // counts of events, to show that a run was varied
  int tokens_ = 0;
  int step_ = 0;
};

TEST(DriverContract, WhateverIsSaidRealAndSimulatedPartsGiveTheSameEventsAndNothingRunsTwice) {
  std::map<std::string, int> seen;
  for (uint64_t seed = 1; seed <= 12 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Pair pair(seed);
    pair.Run(60);
    for (const auto& [word, count] : pair.seen()) seen[word] += count;
  }
  for (const std::string word :
       {"started", "found running, started", "found never ran", "found cannot tell",
        "found cannot tell, started", "late shepherd kept out"}) {
    EXPECT_GT(seen[word], 0) << word;
  }
  EXPECT_GT(seen[std::string("not started: ") + kTokenIsOver], 0);
}

}  // namespace
}  // namespace muster::driver
