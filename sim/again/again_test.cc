// Cores taken through their recorded turns again want the same; what differs is found, and shown.
#include "sim/again/again.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schemas/canonical_reader.h"
#include "sim/again/world_turns.h"
#include "sim/campaign.h"
#include "sim/workload.h"

namespace muster::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Three minutes of the small federation, its daemons stopped now and then.
class RecordedWorld : public testing::Test {
 protected:
  static TurnsOfWorld Recorded() {
    WorldOptions options = SmallFederation(11);
    options.crash_of_10000 = 15;
    options.rebuild_every = 0;
    Random random(11);
    options.clients.emplace_back("kim", DrawWorkload({.requests = 20}, random));
    TurnsOfWorld turns(options);
    options.record = turns.Recorder();
    World world(std::move(options));
    world.Run(world.now() + Seconds(180));
    EXPECT_GT(world.counts().crashes, 0u);
    return turns;
  }

  // The frames of a host with one field of its middle batch that sends something changed.
  template <class Effects, class Change>
  static std::vector<std::string> Changed(std::vector<std::string> frames, Change change) {
    for (size_t i = frames.size() / 2; i < frames.size(); ++i) {
      schemas::CanonicalReader reader(frames[i]);
      schemas::FrameKind kind{};
      reader.Get(kind);
      if (kind != schemas::FrameKind::kBatch) continue;
      Effects effects;
      reader.Get(effects);
      EXPECT_TRUE(reader.AtEnd());
      if (!change(effects)) continue;
      frames[i] = schemas::FrameOf(kind, effects);
      return frames;
    }
    ADD_FAILURE() << "no batch to change";
    return frames;
  }
};

TEST_F(RecordedWorld, WantsTheSameAgain) {
  const TurnsOfWorld turns = Recorded();
  ASSERT_EQ(turns.frames().size(), 4u);
  EXPECT_THAT(turns.Differences(), IsEmpty());
  uint64_t cores = 0;
  for (const auto& [host, frames] : turns.frames()) {
    const auto again = TakeAgain(frames, turns.options());
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(again->daemon, host == "meta" ? "meta" : "site");
    EXPECT_GT(again->turns, 100u);
    EXPECT_GT(again->events, 50u);
    EXPECT_EQ(again->turns * 2 + again->cores, frames.size());
    cores += again->cores;
  }
  EXPECT_GT(cores, 4u) << "daemons were stopped and came back";
}

TEST_F(RecordedWorld, APlantedDifferenceIsFoundAndShownOnBothSides) {
  const TurnsOfWorld turns = Recorded();
  const auto meta = Changed<meta::Effects>(turns.frames().at("meta"), [](meta::Effects& effects) {
    for (meta::SiteMessage& m : effects.to_sites) {
      m.message.number.value += 1000000;
      return true;
    }
    return false;
  });
  const auto found = TakeAgain(meta, turns.options());
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_THAT(found->difference, HasSubstr("turn " + std::to_string(found->turns) + " at "));
  EXPECT_THAT(found->difference, HasSubstr("recorded\n    to_sites[0].message.number = 100"));
  EXPECT_THAT(found->difference, HasSubstr("again\n    to_sites[0].message.number = "));

  const auto lakes = Changed<site::Effects>(turns.frames().at("lakes"), [](site::Effects& effects) {
    if (effects.driver.empty()) return false;
    effects.driver.pop_back();
    return true;
  });
  const auto missing = TakeAgain(lakes, turns.options());
  ASSERT_TRUE(missing.ok()) << missing.status();
  EXPECT_THAT(missing->difference, HasSubstr("again\n    driver["));
}

TEST_F(RecordedWorld, AnEventThatIsLeftOutShows) {
  const TurnsOfWorld turns = Recorded();
  std::vector<std::string> frames = turns.frames().at("lakes");
  for (size_t i = frames.size() / 2; i < frames.size(); ++i) {
    schemas::CanonicalReader reader(frames[i]);
    schemas::FrameKind kind{};
    schemas::CoreTurn<site::Event> turn;
    reader.Get(kind);
    if (kind != schemas::FrameKind::kTurn) continue;
    reader.Get(turn);
    ASSERT_TRUE(reader.AtEnd());
    if (turn.events.empty()) continue;
    turn.events.clear();
    frames[i] = schemas::FrameOf(kind, turn);
    break;
  }
  const auto again = TakeAgain(frames, turns.options());
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_NE(again->difference, "");
}

TEST_F(RecordedWorld, ATurnWithoutItsBatchIsTakenAndTold) {
  const TurnsOfWorld turns = Recorded();
  std::vector<std::string> frames = turns.frames().at("woods");
  frames.pop_back();
  const auto again = TakeAgain(frames, turns.options());
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE(again->unfinished);
  EXPECT_EQ(again->difference, "");
}

TEST_F(RecordedWorld, WhatIsOfAnotherVersionIsRefused) {
  const TurnsOfWorld turns = Recorded();
  std::vector<std::string> frames = turns.frames().at("woods");
  frames[1] += "more";
  EXPECT_THAT(std::string(Text(TakeAgain(frames, turns.options()).status())),
              HasSubstr("frame 2 cannot be understood: it was recorded by another version"));
  EXPECT_FALSE(TakeAgain({}, turns.options()).ok());
  EXPECT_FALSE(TakeAgain({"x"}, turns.options()).ok());
}

TEST(RecordedCampaign, WhateverHappensToThemCoresKnowOnlyWhatTheyAreTold) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const CampaignResult result = RunCampaign({.seed = seed,
                                               .drains = true,
                                               .reservations = seed == 2,
                                               .rules = seed == 2,
                                               .moves = seed != 2,
                                               .again = true,
                                               .rebuild_every = 0});
    EXPECT_THAT(result.violations, IsEmpty()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace muster::sim
