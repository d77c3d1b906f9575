// Loans that are suspended: rows L9 and L10 of protocol.md section 3.3 on the core, and what the
// other rows are for a loan that is paused. Maui Sect. IV (preemption).
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "site/holds/loans_fixture.h"

namespace muster::site {
namespace {

using schemas::HoldState;
using schemas::LoanState;
using schemas::PartState;

// Nodes have 8 units of memory, and job 9 asks for 2 of them. It is lent n2, which is due to job 8
// at 3,000, and is off its cores at 2,988, in time for its grace.
class Suspended : public LentSite {
 protected:
  static constexpr schemas::Contract kSuspend{.way = schemas::RecallWay::kSuspend,
                                              .grace = Span{10},
                                              .min_run = Span{60},
                                              .max_recalls = 2};

  Suspended() {
    for (Node& node : options_.nodes) node.resources.Set("mem", 8);
    Load();
    Say(schemas::Welcome{.epoch = {1}});
  }
  void PlaceWith(const std::string& node, uint64_t number, uint64_t request, int64_t start,
                 int64_t seconds, int64_t mem) {
    schemas::HoldOrder order = OrderFor(number, request, start, seconds, std::nullopt, false);
    order.earliest = kNow + Span{start};
    order.parts[0].chunks[0].properties = {{"name", node}};
    order.parts[0].chunks[0].resources.Set("mem", mem);
    Order(order);
    Permit(number);
  }
  // Job 9.
  void PlaceSuspended(int64_t mem = 2) {
    schemas::HoldOrder order = OrderFor(3, 9, 0, 5'000, std::nullopt, false);
    order.contract = kSuspend;
    order.parts[0].chunks[0].resources.Set("mem", mem);
    Order(order);
    Permit(3);
  }
  // Until job 9 is paused for job 8, which runs for so long; its own start is behind that.
  void PauseFor(int64_t seconds) {
    Place(1, 7, 0, 10'000, std::nullopt, false);
    PlaceWith("n2", 2, 8, 3'000, seconds, 0);
    PlaceSuspended();
    Until(2'988);
    ASSERT_TRUE(Part(3).loan);
    ASSERT_EQ(Part(3).loan->state, LoanState::kPaused);
  }
  template <class Command>
  size_t Count(const std::string& token) const {
    size_t count = 0;
    for (const driver::Command& command : commands_) {
      const auto* said = std::get_if<Command>(&command);
      count += said != nullptr && said->token == token ? 1 : 0;
    }
    return count;
  }
  Span LastLimit() const {
    for (auto it = commands_.rbegin(); it != commands_.rend(); ++it) {
      if (const auto* limit = std::get_if<driver::LimitPart>(&*it)) return limit->walltime;
    }
    return {};
  }
  void Drain(const std::string& node) {
    Say(schemas::Steer{
        .order = 1, .who = "operator:root", .verb = schemas::SteerVerb::kDrain, .nodes = {node}});
  }
  void Stops(const std::string& token, int64_t elapsed_s) {
    driver::PartEnded ended{.token = token, .at = Time().wall};
    ended.end = {.by = schemas::EndedBy::kRelease, .signal = 15};
    ended.usage.elapsed = Seconds(elapsed_s);
    Turn({DriverSays{std::move(ended)}});
  }
};

TEST_F(Suspended, L9IsOffItsCoresAndKeepsAllElse) {
  PauseFor(1'000);
  const schemas::PartRecord part = Part(3);
  EXPECT_EQ(part.loan->recalled_for, "8");
  EXPECT_TRUE(part.loan->paused_at);
  EXPECT_EQ(part.recalls, 0u);
  EXPECT_EQ(part.state, PartState::kBooked);
  EXPECT_EQ(StartOf(3), 4'001);
  EXPECT_EQ(Count<driver::PausePart>(part.loan->token), 1u);
  EXPECT_EQ(Count<driver::StopPart>(part.loan->token), 0u);
  // Its cores can be had at once, its memory cannot.
  PlaceWith("n2", 4, 10, 2'988, 5, 6);
  EXPECT_EQ(Part(4).state, PartState::kRunning);
  Exits(Part(4).token, 0);
  PlaceWith("n2", 5, 11, 2'988, 5, 7);
  EXPECT_GT(StartOf(5), 2'988);
  Until(3'000);
  EXPECT_EQ(StartOf(2), 3'000);
  EXPECT_EQ(Part(2).state, PartState::kRunning);
}

TEST_F(Suspended, L9IsForOneThatRunsPastItsProtection) {
  Place(1, 7, 0, 10'000, std::nullopt, false);
  PlaceWith("n2", 2, 8, 63, 1'000, 0);
  PlaceSuspended();
  ASSERT_TRUE(Part(3).loan);
  Until(49);
  EXPECT_EQ(Part(3).loan->state, LoanState::kRunning);
  Until(60);
  EXPECT_EQ(Part(3).loan->state, LoanState::kPaused);
}

TEST_F(Suspended, L4EndsOneWhoseMemoryIsDueToo) {
  Place(1, 7, 0, 10'000, std::nullopt, false);
  PlaceWith("n2", 2, 8, 3'000, 1'000, 7);
  PlaceSuspended();
  ends_ = false;
  Until(2'988);
  ASSERT_EQ(Part(3).loan->state, LoanState::kRecalled);
  EXPECT_FALSE(Part(3).loan->paused_at);
  EXPECT_EQ(Count<driver::PausePart>(Part(3).loan->token), 0u);
  EXPECT_EQ(Count<driver::StopPart>(Part(3).loan->token), 1u);
}

TEST_F(Suspended, L10AndL2GoOnAndAreKeptAtTheirOwnStartOnTheSamePlace) {
  PauseFor(1'000);
  const std::string token = Part(3).loan->token;
  Until(4'000);
  Exits(Part(2).token, 1'000);
  Until(4'001);
  EXPECT_FALSE(Part(3).loan);
  EXPECT_EQ(Part(3).state, PartState::kRunning);
  EXPECT_EQ(Part(3).token, token) << "it is the same life";
  EXPECT_EQ(StartOf(3), 0);
  const int64_t paused = Part(3).paused.milliseconds / 1000;
  EXPECT_GE(paused, 1'011);
  EXPECT_LE(paused, 1'014);
  EXPECT_EQ(Count<driver::ResumePart>(token), 1u);
  EXPECT_EQ(LastLimit(), Span{5'000 + paused});
  // It is booked to its start, its walltime and what it was paused.
  PlaceWith("n2", 4, 10, 4'001, 100, 0);
  EXPECT_EQ(StartOf(4), 5'000 + paused + 1);
  // A restart repeats what the last daemon may not have said.
  commands_.clear();
  Restart(driver::Finding::kRunning);
  EXPECT_EQ(LastLimit(), Span{5'000 + paused});
  EXPECT_EQ(Count<driver::ResumePart>(token), 1u);
  Exits(token, 5'000);
  EXPECT_EQ(Part(3).usage.elapsed, Seconds(5'000));
  EXPECT_EQ(Hold(3).closed_as, schemas::ClosedAs::kEnded);
}

// n2 is idle again for half an hour before its own start, which is behind job 12.
TEST_F(Suspended, L10GoesOnWhereItsCoresAreIdleForLongEnoughAndIsPausedAgain) {
  Place(1, 7, 0, 10'000, std::nullopt, false);
  PlaceWith("n2", 2, 8, 3'000, 100, 0);
  PlaceWith("n2", 5, 12, 5'000, 4'000, 0);
  PlaceSuspended();
  ASSERT_GE(StartOf(3), 9'001);
  Until(2'988);
  ASSERT_EQ(Part(3).loan->state, LoanState::kPaused);
  const std::string token = Part(3).loan->token;
  Until(3'100);
  EXPECT_EQ(Part(3).loan->state, LoanState::kPaused) << "job 8 is still there";
  Exits(Part(2).token, 100);
  Until(3'107);
  ASSERT_EQ(Part(3).loan->state, LoanState::kRunning);
  EXPECT_FALSE(Part(3).loan->paused_at);
  EXPECT_EQ(Part(3).loan->recalled_for, "");
  const int64_t paused = (Part(3).loan->paused.milliseconds + 999) / 1000;
  EXPECT_GE(paused, 112);
  EXPECT_LE(paused, 120);
  EXPECT_EQ(LastLimit(), Span{5'000 + paused});
  EXPECT_EQ(Count<driver::ResumePart>(token), 1u);
  // All of it is booked again.
  PlaceWith("n2", 6, 13, 3'107, 10, 0);
  EXPECT_GE(StartOf(6), 3'100 + 60);
  Order(schemas::ReleaseOrder{.fence = {{1}, 6}});
  Until(4'988);
  EXPECT_EQ(Part(3).loan->state, LoanState::kPaused);
  EXPECT_EQ(Count<driver::PausePart>(token), 2u);
  EXPECT_EQ(Part(3).recalls, 0u);
}

// A gap that is shorter than what a loan is first booked for is none.
TEST_F(Suspended, L10IsNotForAShortGap) {
  Place(1, 7, 0, 10'000, std::nullopt, false);
  PlaceWith("n2", 2, 8, 3'000, 100, 0);
  PlaceWith("n2", 5, 12, 3'140, 4'000, 0);
  PlaceSuspended();
  Until(3'100);
  Exits(Part(2).token, 100);
  Until(3'139);
  EXPECT_EQ(Part(3).loan->state, LoanState::kPaused);
  Until(3'140);
  EXPECT_EQ(Part(5).state, PartState::kRunning);
}

// Job 10 needs memory alone, so the cores of job 8 are not in its way.
TEST_F(Suspended, L4EndsAPausedOneWhoseMemoryIsDue) {
  PauseFor(1'000);
  const std::string token = Part(3).loan->token;
  Until(3'010);
  schemas::HoldOrder order = OrderFor(4, 10, 3'010, 50, std::nullopt, false);
  order.parts[0].chunks[0] = {
      .count = 1, .resources = {{"mem", 7}}, .properties = {{"name", "n2"}}};
  order.earliest = kNow + Span{3'010};
  Order(order);
  Permit(4);
  const int64_t due = StartOf(4);
  EXPECT_GE(due, 3'010 + 10);
  EXPECT_LE(due, 3'010 + 10 + 1 + 6) << "in time for its grace";
  Until(due);
  EXPECT_EQ(Part(4).state, PartState::kRunning);
  EXPECT_LE(StartOf(4), due);
  EXPECT_FALSE(Part(3).loan);
  EXPECT_EQ(Count<driver::StopPart>(token), 1u);
  EXPECT_EQ(Part(3).recalls, 1u);
  EXPECT_EQ(StartOf(3), 4'001) << "its promise stays";
}

TEST_F(Suspended, L4EndsAPausedOneOnADrainedNode) {
  PauseFor(1'000);
  const std::string token = Part(3).loan->token;
  ends_ = false;
  Until(3'500);
  Drain("n2");
  Until(3'512);
  ASSERT_TRUE(Part(3).loan);
  EXPECT_EQ(Part(3).loan->state, LoanState::kRecalled);
  EXPECT_TRUE(Part(3).loan->paused_at) << "it has no cores still";
  EXPECT_EQ(Count<driver::StopPart>(token), 1u);
  Stops(token, 2'988);
  EXPECT_FALSE(Part(3).loan);
  EXPECT_EQ(Part(3).recalls, 1u);
  EXPECT_EQ(Part(3).lost, Seconds(2'988));
}

// Job 7 leaves n1 at 3,500, where job 9 is then to begin; n2 is due until 9,000.
TEST_F(Suspended, L3EndsAPausedOneWhoseOwnStartIsElsewhere) {
  PlaceOn("n1", 1, 7, 0, 3'500);
  PlaceOn("n2", 2, 8, 3'000, 6'000);
  PlaceSuspended();
  ASSERT_EQ(StartOf(3), 3'501);
  ASSERT_EQ(Part(3).loan->place.chunks[0].node, "n2");
  Until(2'988);
  ASSERT_EQ(Part(3).loan->state, LoanState::kPaused);
  Until(3'490);
  EXPECT_FALSE(Part(3).loan);
  EXPECT_EQ(Part(3).recalls, 1u);
  Until(3'500);
  Exits(Part(1).token, 3'500);
  Until(3'501);
  EXPECT_EQ(Part(3).state, PartState::kRunning);
  EXPECT_EQ(Part(3).place.chunks[0].node, "n1");
  EXPECT_EQ(Part(3).paused, BootSpan{0}) << "this life was never paused";
}

TEST_F(Suspended, L6OneThatEndsWhileItIsPausedHasEnded) {
  PauseFor(1'000);
  Until(3'010);
  Exits(Part(3).loan->token, 2'988);
  EXPECT_EQ(Hold(3).closed_as, schemas::ClosedAs::kEnded);
  EXPECT_EQ(Part(3).recalls, 0u);
  EXPECT_EQ(Part(3).paused, Seconds(22));
  EXPECT_EQ(Part(3).usage.elapsed, Seconds(2'988));
}

TEST_F(Suspended, L7AReleaseEndsAPausedOne) {
  PauseFor(1'000);
  const std::string token = Part(3).loan->token;
  ends_ = false;
  Order(schemas::ReleaseOrder{.fence = {{1}, 3}});
  EXPECT_EQ(Part(3).loan->state, LoanState::kReleased);
  EXPECT_EQ(Count<driver::StopPart>(token), 1u);
  Stops(token, 2'988);
  EXPECT_EQ(Hold(3).state, HoldState::kClosed);
  EXPECT_EQ(Hold(3).closed_as, schemas::ClosedAs::kReleased);
}

TEST_F(Suspended, L8IsPausedAgainAfterARestartBeforeAnythingStarts) {
  PauseFor(1'000);
  const std::string token = Part(3).loan->token;
  now_ms_ = 3'000'000;  // nobody has seen that job 8 is due
  Restart(driver::Finding::kRunning);
  EXPECT_EQ(Part(3).loan->state, LoanState::kPaused);
  size_t paused = commands_.size();
  size_t started = commands_.size();
  for (size_t i = commands_.size(); i-- > 0;) {
    if (std::holds_alternative<driver::PausePart>(commands_[i])) paused = i;
    if (std::holds_alternative<driver::StartPart>(commands_[i])) started = i;
  }
  EXPECT_LT(paused, started);
  Until(3'002);
  EXPECT_EQ(Part(2).state, PartState::kRunning) << "its cores are free";
  PlaceWith("n2", 4, 10, 3'002, 5, 7);
  EXPECT_GT(StartOf(4), 3'005) << "its memory is not";
  Until(4'000);
  Exits(Part(2).token, 1'000);
  Until(4'001);
  EXPECT_EQ(Part(3).state, PartState::kRunning);
  EXPECT_EQ(Part(3).token, token);
}

TEST_F(Suspended, L8OneThatNeverRanThoughItWasPausedHasAnUnknownOutcome) {
  PauseFor(1'000);
  Restart(driver::Finding::kNeverRan);
  EXPECT_EQ(Hold(3).state, HoldState::kClosed);
  EXPECT_EQ(Part(3).end.by, schemas::EndedBy::kUnknown);
}

// What holds no cores has none to give.
TEST_F(Suspended, WhoHoldsNoCoresIsEnded) {
  PlaceWith("n1", 1, 7, 0, 10'000, 8);
  PlaceWith("n2", 2, 8, 3'000, 1'000, 8);
  schemas::HoldOrder order = OrderFor(3, 9, 0, 5'000, std::nullopt, false);
  order.contract = kSuspend;
  order.parts[0].chunks[0].resources = {{"mem", 8}};
  Order(order);
  Permit(3);
  ASSERT_TRUE(Part(3).loan);
  Until(2'995);
  EXPECT_FALSE(Part(3).loan);
  EXPECT_EQ(Part(3).recalls, 1u);
}

}  // namespace
}  // namespace muster::site
