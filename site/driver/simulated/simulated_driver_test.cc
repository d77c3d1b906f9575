// The driver on virtual time: parts that end, overrun, obey or ignore signals, and outlive a
// daemon, as simulations rely on them.
#include "site/driver/simulated/simulated_driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "site/driver/words.h"

namespace muster::driver {
namespace {

using schemas::EndedBy;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::VariantWith;

constexpr int64_t kWallOfBoot = 1'000'000'000;  // wall clock, in ms, at boot time 0

Now At(int64_t boot_ms) { return {.boot = {boot_ms}, .wall = {kWallOfBoot + boot_ms}}; }
Moment Wall(int64_t boot_ms) { return At(boot_ms).wall; }

StartPart Part(const std::string& token) {
  return {.token = token,
          .part_name = "42.1",
          .place = {.index = 1, .chunks = {{.node = "n1", .resources = {{"ncpus", 4}}}}},
          .not_after = Instant{kWallOfBoot / 1000 + 100},
          .walltime = Span{60}};
}

PartEnded Ended(const std::string& token, int64_t at, schemas::PartEnd end, int64_t elapsed) {
  return {.token = token,
          .at = Wall(at),
          .end = std::move(end),
          .usage = {.elapsed = {elapsed}, .cpu = BootSpan{4 * elapsed}}};
}

TEST(SimulatedDriver, RunsAPartForItsWalltimeByDefault) {
  SimulatedMachine machine;
  machine.Advance(At(1000));
  machine.Do(Part("a"));
  EXPECT_THAT(machine.Take(), ElementsAre(Event(PartStarted{"a", Wall(1000)})));
  EXPECT_EQ(machine.Next(), BootInstant{61000});
  machine.Advance(At(60999));
  EXPECT_THAT(machine.Take(), IsEmpty());
  machine.Advance(At(70000));
  EXPECT_THAT(machine.Take(),
              ElementsAre(Event(Ended("a", 61000, {.by = EndedBy::kExit, .exit_code = 0}, 60000))));
  EXPECT_EQ(machine.Next(), std::nullopt);
}

TEST(SimulatedDriver, APartThatMayGoOnLongerEndsAtItsNewWalltimeAndNeverAtAnEarlierOne) {
  SimulatedMachine machine;
  machine.Advance(At(0));
  machine.Do(Part("a"));
  machine.Advance(At(10000));
  machine.Do(LimitPart{.token = "a", .walltime = Span{90}});
  EXPECT_EQ(machine.Next(), BootInstant{90000});
  machine.Do(LimitPart{.token = "a", .walltime = Span{70}});
  EXPECT_EQ(machine.Next(), BootInstant{90000});
  machine.Do(LimitPart{.token = "none", .walltime = Span{70}});
  machine.Do(StopPart{.token = "a"});
  machine.Take();
  machine.Do(LimitPart{.token = "a", .walltime = Span{500}});
  EXPECT_EQ(machine.Next(), std::nullopt) << "what has ended goes on no more";
}

TEST(SimulatedDriver, APausedPartMakesNoProgressAndItsEndMovesByThePause) {
  SimulatedMachine machine;
  machine.SetFate("42.1", {.runs = Seconds(50)});
  machine.Advance(At(0));
  machine.Do(Part("a"));
  machine.Take();
  machine.Advance(At(10000));
  machine.Do(PausePart{"a"});
  machine.Do(PausePart{"a"});
  EXPECT_EQ(machine.Next(), std::nullopt) << "not even its walltime ends it";
  machine.Advance(At(100000));
  EXPECT_THAT(machine.Take(), IsEmpty());
  machine.Do(LimitPart{.token = "a", .walltime = Span{150}});
  machine.Do(ResumePart{"a"});
  machine.Do(ResumePart{"a"});
  EXPECT_EQ(machine.Next(), BootInstant{140000});
  machine.Advance(At(140000));
  EXPECT_THAT(
      machine.Take(),
      ElementsAre(Event(Ended("a", 140000, {.by = EndedBy::kExit, .exit_code = 0}, 50000))));
}

TEST(SimulatedDriver, APausedPartThatIsStoppedHearsTerm) {
  SimulatedMachine machine;
  machine.SetFate("42.1", {.after_term = Seconds(2)});
  machine.Advance(At(0));
  machine.Do(Part("a"));
  machine.Take();
  machine.Advance(At(10000));
  machine.Do(PausePart{"a"});
  machine.Advance(At(20000));
  machine.Do(StopPart{.token = "a", .grace = Seconds(5)});
  machine.Do(PausePart{"a"});
  machine.Advance(At(30000));
  EXPECT_THAT(
      machine.Take(),
      ElementsAre(Event(Ended("a", 22000, {.by = EndedBy::kRelease, .signal = SIGTERM}, 12000))));
}

TEST(SimulatedDriver, APauseThatComesAfterTheEndHasNoEffect) {
  SimulatedMachine machine;
  machine.Advance(At(0));
  machine.Do(Part("a"));
  machine.Advance(At(60000));
  machine.Take();
  machine.Do(PausePart{"a"});
  machine.Do(ResumePart{"a"});
  machine.Do(PausePart{"none"});
  EXPECT_EQ(machine.Next(), std::nullopt);
  EXPECT_THAT(machine.Take(), IsEmpty());
}

// It goes on without a daemon, and is paused still for the next one.
TEST(SimulatedDriver, APausedPartOutlivesADaemonAndAnEndOfItsShepherd) {
  SimulatedMachine machine;
  machine.Advance(At(0));
  machine.Do(FindParts{});
  machine.Do(Part("a"));
  machine.Do(PausePart{"a"});
  machine.CrashDaemon();
  machine.Advance(At(100000));
  machine.Do(FindParts{{"a"}});
  EXPECT_THAT(machine.Take(),
              ElementsAre(Event(
                  PartFound{.token = "a", .finding = Finding::kRunning, .started_at = Wall(0)})));
  machine.LoseShepherd("a");
  const std::vector<Event> events = machine.Take();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(std::get<PartEnded>(events[0]).usage.elapsed, Seconds(0));
  EXPECT_EQ(machine.Next(), std::nullopt);
}

TEST(SimulatedDriver, APartIsWhereItWasResizedTo) {
  SimulatedMachine machine;
  machine.Advance(At(0));
  machine.Do(Part("a"));
  schemas::PartPlace place = Part("a").place;
  place.chunks.push_back({.node = "n2", .resources = {{"ncpus", 4}}});
  machine.Do(ResizePart{.token = "a", .place = place});
  EXPECT_EQ(machine.parts().at("a").command.place, place);
}

TEST(SimulatedDriver, EndsAnOverrunningPartByTermThenKill) {
  SimulatedMachine machine;
  machine.SetWalltimeGrace(Seconds(1));
  machine.SetFate("42.1",
                  {.runs = Seconds(90), .after_term = Seconds(5), .after_kill = Seconds(2)});
  machine.Advance(At(0));
  machine.Do(Part("a"));
  machine.Advance(At(60000));
  EXPECT_THAT(machine.Take(),
              ElementsAre(VariantWith<PartStarted>(testing::_), Event(PartEnding{"a"})));
  machine.Advance(At(80000));
  EXPECT_THAT(
      machine.Take(),
      ElementsAre(Event(Ended("a", 63000, {.by = EndedBy::kWalltime, .signal = SIGKILL}, 63000))));
}

TEST(SimulatedDriver, ReleasesAPartThatObeysTerm) {
  SimulatedMachine machine;
  machine.SetFate("42.1", {.after_term = Milliseconds(300)});
  machine.Advance(At(0));
  machine.Do(Part("a"));
  machine.Advance(At(10000));
  machine.Do(StopPart{.token = "a"});
  machine.Take();
  machine.Advance(At(20000));
  EXPECT_THAT(
      machine.Take(),
      ElementsAre(Event(Ended("a", 10300, {.by = EndedBy::kRelease, .signal = SIGTERM}, 10300))));
  machine.Do(StopPart{.token = "a"});
  EXPECT_THAT(machine.Take(), IsEmpty());
}

TEST(SimulatedDriver, ASecondStopOnlyBringsKillForward) {
  SimulatedMachine machine;
  machine.SetFate("42.1", {.after_term = Seconds(50)});
  machine.Advance(At(0));
  machine.Do(Part("a"));
  machine.Do(StopPart{.token = "a", .grace = Seconds(5)});
  machine.Do(StopPart{.token = "a", .grace = Seconds(9)});
  EXPECT_EQ(machine.Next(), BootInstant{5000});
  machine.Do(StopPart{.token = "a", .grace = Seconds(1)});
  EXPECT_EQ(machine.Next(), BootInstant{1000});
}

TEST(SimulatedDriver, RefusesALateStart) {
  SimulatedMachine machine;
  machine.SetFate("42.1", {.start_delay = Seconds(10)});
  machine.Advance(At(90001));
  machine.Do(Part("a"));
  machine.Advance(At(200000));
  const std::vector<Event> events = machine.Take();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_TRUE(std::get<PartNotStarted>(events[0]).late);
  EXPECT_EQ(machine.parts().at("a").stage, SimulatedPart::Stage::kNeverRan);
}

TEST(SimulatedDriver, TellsWhyAPartCannotStart) {
  SimulatedMachine machine([](const StartPart& part) {
    return SimulatedFate{.cannot_start = part.token == "a" ? "out of luck" : ""};
  });
  machine.Advance(At(0));
  machine.Do(Part("a"));
  machine.Do(Part("b"));
  EXPECT_THAT(machine.Take(), ElementsAre(Event(PartNotStarted{.token = "a", .why = "out of luck"}),
                                          VariantWith<PartStarted>(testing::_)));
}

TEST(SimulatedDriver, ACrashedDaemonFindsItsPartsByTruth) {
  SimulatedMachine machine;
  machine.Advance(At(0));
  machine.Do(Part("runs"));
  machine.SetFate("42.1", {.runs = Seconds(1), .exit_code = 3});
  machine.Do(Part("ends"));
  machine.SetFate("42.1", {.start_delay = Seconds(5)});
  machine.Do(Part("spawns"));
  machine.CrashDaemon();
  machine.Advance(At(2000));
  EXPECT_THAT(machine.Take(), IsEmpty());
  machine.Do(FindParts{{"runs", "ends", "spawns", "unheard"}});
  EXPECT_THAT(
      machine.Take(),
      ElementsAre(
          Event(PartFound{.token = "runs", .finding = Finding::kRunning, .started_at = Wall(0)}),
          Event(PartFound{
              .token = "ends",
              .finding = Finding::kEnded,
              .started_at = Wall(0),
              .ended = Ended("ends", 1000, {.by = EndedBy::kExit, .exit_code = 3}, 1000)}),
          Event(PartFound{.token = "spawns", .finding = Finding::kNeverRan}),
          Event(PartFound{.token = "unheard", .finding = Finding::kNeverRan})));
  machine.Advance(At(60000));
  EXPECT_THAT(machine.Take(), ElementsAre(VariantWith<PartEnded>(testing::_)));
}

TEST(SimulatedDriver, ATokenThatWasProvedNeverToRunStaysOut) {
  SimulatedMachine machine;
  machine.Advance(At(0));
  machine.Do(FindParts{});
  machine.CrashDaemon();
  machine.Do(FindParts{{"a"}});
  machine.Do(Part("a"));
  machine.CrashDaemon();
  machine.Do(Part("a"));
  machine.Do(FindParts{{"a"}});
  machine.Advance(At(90000));
  EXPECT_THAT(machine.Take(),
              ElementsAre(Event(PartNotStarted{.token = "a", .why = kTokenIsOver}),
                          Event(PartFound{.token = "a", .finding = Finding::kNeverRan})));
}

TEST(SimulatedDriver, TheFirstDaemonOfABootCannotTellOfATokenWithoutATrace) {
  SimulatedMachine machine;
  machine.Advance(At(0));
  machine.CrashDaemon();  // before its events were taken
  for (const std::string token : {"a", "b"}) machine.Do(FindParts{{token}});
  machine.CrashDaemon();
  for (const std::string token : {"a", "c"}) machine.Do(FindParts{{token}});
  EXPECT_THAT(machine.Take(),
              ElementsAre(Event(PartFound{.token = "a", .finding = Finding::kCannotTell}),
                          Event(PartFound{.token = "c", .finding = Finding::kNeverRan})));
}

TEST(SimulatedDriver, APartThatIsAboutToStartIsFoundRunningByWhoStartedIt) {
  SimulatedMachine machine;
  machine.SetFate("42.1", {.start_delay = Seconds(5)});
  machine.Advance(At(0));
  machine.Do(Part("a"));
  machine.Do(FindParts{{"a"}});
  machine.Advance(At(6000));
  EXPECT_THAT(machine.Take(),
              ElementsAre(Event(PartFound{.token = "a", .finding = Finding::kRunning}),
                          Event(PartStarted{"a", Wall(5000)})));
}

// As a job of Slurm's in its wrapper: it outlives the daemon, and nobody can tell before.
TEST(SimulatedDriver, APartThatWaitsForItsSecondOnASharedMachineTellsWhenItBegins) {
  for (const bool crashes : {false, true}) {
    SimulatedMachine machine;
    machine.Advance(At(0));
    machine.Share({.nodes = {{"n1", {{"ncpus", 8}}}}});
    StartPart waits = Part("a");
    waits.not_before = {Wall(8000).Floor()};
    waits.not_after = waits.not_before + Span{5};
    machine.Do(waits);
    StartPart released = Part("b");
    released.not_before = waits.not_before;
    released.not_after = waits.not_after;
    machine.Do(released);
    machine.Advance(At(0));
    if (crashes) machine.CrashDaemon();
    machine.Do(FindParts{{"a", "b"}});
    machine.Advance(At(1000));
    machine.Do(StopPart{.token = "b"});
    machine.Advance(At(9000));
    std::vector<Event> told;
    for (Event& event : machine.Take()) {
      if (!std::holds_alternative<Outside>(event)) told.push_back(std::move(event));
    }
    ASSERT_EQ(told.size(), 2u);
    if (crashes) {
      EXPECT_THAT(told, ElementsAre(Event(PartFound{.token = "b", .finding = Finding::kNeverRan}),
                                    Event(PartFound{.token = "a",
                                                    .finding = Finding::kRunning,
                                                    .started_at = Wall(8000)})));
    } else {
      EXPECT_EQ(std::get<PartNotStarted>(told[0]).token, "b");
      EXPECT_EQ(told[1], Event(PartStarted{"a", Wall(8000)}));
    }
  }
}

TEST(SimulatedDriver, ADaemonStopsOnlyWhatItStartedOrFound) {
  SimulatedMachine machine;
  machine.Advance(At(0));
  machine.Do(Part("a"));
  machine.CrashDaemon();
  machine.Do(StopPart{.token = "a"});
  EXPECT_EQ(machine.parts().at("a").stage, SimulatedPart::Stage::kRunning);
  machine.Do(FindParts{{"a"}});
  machine.Do(StopPart{.token = "a"});
  EXPECT_EQ(machine.parts().at("a").stage, SimulatedPart::Stage::kEnded);
}

TEST(SimulatedDriver, StartsATokenOnce) {
  SimulatedMachine machine;
  machine.Advance(At(0));
  machine.Do(Part("a"));
  machine.Do(Part("a"));
  EXPECT_EQ(machine.Take().size(), 1u);
  machine.CrashDaemon();
  machine.Do(Part("a"));
  EXPECT_THAT(machine.Take(), ElementsAre(Event(PartStarted{"a", Wall(0)})));
  machine.Advance(At(60000));
  EXPECT_EQ(machine.Take().size(), 1u) << "its end is heard";
}

TEST(SimulatedDriver, AfterARebootNobodyCanTellWithoutAnEnd) {
  SimulatedMachine machine;
  machine.Advance(At(0));
  machine.Do(Part("runs"));
  machine.SetFate("42.1", {.runs = Seconds(0)});
  machine.Do(Part("ended"));
  machine.Reboot();
  machine.Do(FindParts{{"runs", "ended", "unheard"}});
  const std::vector<Event> events = machine.Take();
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(std::get<PartFound>(events[0]).finding, Finding::kCannotTell);
  EXPECT_EQ(std::get<PartFound>(events[1]).finding, Finding::kEnded);
  EXPECT_EQ(std::get<PartFound>(events[2]).finding, Finding::kCannotTell);
}

TEST(SimulatedDriver, ALostShepherdMeansAnUnknownEnd) {
  SimulatedMachine machine;
  machine.Advance(At(0));
  machine.Do(Part("a"));
  machine.Take();
  machine.LoseShepherd("a");
  const std::vector<Event> events = machine.Take();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(std::get<PartEnded>(events[0]).end.by, EndedBy::kUnknown);
  EXPECT_EQ(machine.Next(), std::nullopt);
}

TEST(SimulatedDriver, ReadsOutputInPiecesUntilThePartHasEnded) {
  SimulatedMachine machine;
  machine.SetFate("42.1", {.runs = Seconds(1), .output = "hello"});
  machine.Advance(At(0));
  machine.Do(ReadOutput{.inspection = 7, .part_name = "42.1", .limit = 3});
  EXPECT_FALSE(std::get<OutputRead>(machine.Take().at(0)).view.known);
  machine.Do(Part("a"));
  machine.Take();
  machine.Do(ReadOutput{.inspection = 7, .part_name = "42.1", .limit = 3});
  EXPECT_EQ(machine.Take().at(0),
            Event(OutputRead{7, {.data = "hel", .next = 3, .ended = false, .known = true}}));
  machine.Advance(At(1000));
  machine.Take();
  machine.Do(ForgetPart{"a"});
  machine.Do(ReadOutput{.inspection = 8, .part_name = "42.1", .offset = 3, .limit = 3});
  EXPECT_EQ(machine.Take().at(0),
            Event(OutputRead{8, {.data = "lo", .next = 5, .ended = true, .known = true}}));
}

TEST(SimulatedDriver, ACopiedWorldGoesItsOwnWay) {
  SimulatedMachine machine;
  SimulatedDriver driver(&machine);
  machine.Advance(At(0));
  driver.Do(Part("a"));
  SimulatedMachine copy = machine;
  SimulatedDriver other = driver;
  other.Attach(&copy);
  copy.Advance(At(60000));
  EXPECT_EQ(other.Take().size(), 2u);
  EXPECT_EQ(driver.Take().size(), 1u);
}

}  // namespace
}  // namespace muster::driver
