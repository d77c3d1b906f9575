// What a daemon asks its driver after a restart, and what it does with the answers. It asks for
// each token once, and never for one that it made itself. protocol.md section 3.3.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "site/driven_site_fixture.h"

namespace muster::site {
namespace {

using driver::Finding;
using schemas::PartState;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class RestartedSite : public DrivenSite {
 protected:
  RestartedSite() { confirms_ = false; }
  // The daemon is down at the start of a co-allocated part; its tail lasts until the restart.
  void BeDownOverAStart() {
    tail_ = Span{10};
    Place(1, 7, 10, 100, std::nullopt, false);
    Until(9);
    Restart(12);
  }
  void Restart(int64_t second) {
    now_ms_ = second * 1000;
    commands_.clear();
    notes_.clear();
    Load();
  }
  void Found(const std::string& token, Finding finding) {
    Turn({DriverSays{driver::PartFound{.token = token, .finding = finding}}});
  }
  const schemas::PartRecord Part() const { return Hold(1).parts[0]; }
  // Driver commands about tokens, in order.
  std::vector<std::string> Told() const {
    std::vector<std::string> told;
    for (const driver::Command& command : commands_) {
      if (const auto* start = std::get_if<driver::StartPart>(&command)) {
        told.push_back("start " + start->token);
      }
      if (const auto* find = std::get_if<driver::FindParts>(&command)) {
        told.push_back("find");
        for (const std::string& token : find->tokens) told.back() += " " + token;
      }
    }
    return told;
  }
};

TEST_F(RestartedSite, AsksForNothingThatItStartsItself) {
  EXPECT_THAT(Told(), ElementsAre("find")) << "a new site asks for nothing, but it asks";
  BeDownOverAStart();
  EXPECT_THAT(Told(), ElementsAre("find", "start 1.1.1.1"));
}

TEST_F(RestartedSite, BelievesNoFindingOfATokenThatItDidNotAskFor) {
  BeDownOverAStart();
  for (const Finding finding : {Finding::kNeverRan, Finding::kCannotTell, Finding::kRunning}) {
    notes_.clear();
    Found("1.1.1.1", finding);
    EXPECT_EQ(Part().state, PartState::kStarting);
    EXPECT_EQ(Part().token, "1.1.1.1");
    EXPECT_THAT(notes_, ElementsAre(HasSubstr("1.1.1.1', which was not asked for")));
  }
  Turn({DriverSays{driver::PartStarted{.token = "1.1.1.1", .at = Time().wall}}});
  EXPECT_EQ(Part().state, PartState::kRunning);
  Until(100);
  EXPECT_EQ(started_.size(), 1u);
}

TEST_F(RestartedSite, WhatADriverThatCannotLookStartsInTheFirstTurnIsNotLost) {
  options_.facts.finds_parts = false;
  BeDownOverAStart();
  EXPECT_THAT(Told(), ElementsAre("start 1.1.1.1"));
  EXPECT_EQ(Part().state, PartState::kStarting);
  Restart(13);
  EXPECT_THAT(Told(), IsEmpty());
  EXPECT_EQ(Hold(1).started, schemas::Started::kUnknown);
}

TEST_F(RestartedSite, StartsAPartAgainUnderANewTokenOnceItsOldOneNeverRan) {
  tail_ = Span{10};
  Place(1, 7, 10, 100, std::nullopt, false);
  Until(10);
  ASSERT_EQ(Part().state, PartState::kStarting);
  Restart(11);
  EXPECT_THAT(Told(), ElementsAre("find 1.1.1.1"));
  Until(13);
  EXPECT_THAT(Told(), ElementsAre("find 1.1.1.1")) << "nothing while the answer is due";
  Found("1.1.1.1", Finding::kNeverRan);
  EXPECT_THAT(Told(), ElementsAre("find 1.1.1.1", "start 1.1.1.2"));
  Found("1.1.1.1", Finding::kNeverRan);  // a second answer
  Found("1.1.1.2", Finding::kNeverRan);  // one that nobody asked for
  EXPECT_EQ(Part().token, "1.1.1.2");
  EXPECT_EQ(Part().state, PartState::kStarting);
  EXPECT_EQ(notes_.size(), 3u) << "that it did not start, and two that were ignored";
  EXPECT_EQ(Told().size(), 2u);
}

TEST_F(RestartedSite, ALateAnswerDoesNotTouchTheNextTry) {
  tail_ = Span{10};
  Place(1, 7, 10, 100, std::nullopt, false);
  Until(10);
  Restart(11);
  Turn({DriverSays{driver::PartNotStarted{.token = "1.1.1.1", .why = "no fork"}}});
  Until(13);
  ASSERT_EQ(Part().token, "1.1.1.2");
  Found("1.1.1.1", Finding::kCannotTell);
  EXPECT_EQ(Part().state, PartState::kStarting);
  EXPECT_EQ(Part().token, "1.1.1.2");
  EXPECT_EQ(Hold(1).started, schemas::Started::kNo);
}

TEST_F(RestartedSite, AnAnswerThatComesTwiceDoesNotEndWhatRuns) {
  Place(1, 7, 10, 100, std::nullopt, false);
  Until(10);
  Restart(11);
  Found("1.1.1.1", Finding::kRunning);
  ASSERT_EQ(Part().state, PartState::kRunning);
  for (const Finding finding : {Finding::kNeverRan, Finding::kCannotTell}) {
    Found("1.1.1.1", finding);
    EXPECT_EQ(Part().state, PartState::kRunning);
  }
  Restart(20);
  EXPECT_THAT(Told(), ElementsAre("find 1.1.1.1")) << "the next daemon asks again";
}

}  // namespace
}  // namespace muster::site
