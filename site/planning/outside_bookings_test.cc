// What is on the site's machine without muster, in its plan.
#include <gtest/gtest.h>

#include "site/planning/planner.h"

namespace muster::site {
namespace {

using driver::OutsideBooking;
using schemas::VerdictKind;

constexpr Instant kHere{1000};

class OutsideBookings : public ::testing::Test {
 protected:
  OutsideBookings() : plan_(Two()) {}

  static Options Two() {
    Options options;
    options.name = "lakes";
    options.facts.turnover = Span{0};
    for (const char* name : {"n1", "n2"}) options.nodes.push_back({name, {{"ncpus", 4}}, {}});
    return options;
  }
  static OutsideBooking On(uint64_t key, const std::string& node, int64_t cpus, Interval when) {
    OutsideBooking out{.key = key, .label = "slurm " + std::to_string(key) + " ana", .when = when};
    out.chunks = {{node, {{"ncpus", cpus}}}};
    return out;
  }
  // The first start of a job of `cpus` on each of `nodes` nodes.
  schemas::VerdictEntry Ask(uint32_t nodes, int64_t cpus, int64_t seconds = 100) {
    schemas::ProposalEntry entry{.user = "kim", .asked = kHere};
    entry.allowed = IntervalSet({{kHere, kHere + Span{100'000}}});
    entry.parts = {{.chunks = {{.count = nodes, .resources = {{"ncpus", cpus}}}},
                    .duration = Span{seconds},
                    .place = schemas::Place::kScatter}};
    return plan_.Verify({entry}, kHere).front();
  }
  // Books a whole node at `start`, if possible.
  verifier::BookAnswer Book(uint64_t number, Instant start, int64_t cpus, int64_t seconds) {
    verifier::Demand demand{.allowed = IntervalSet::Only(start)};
    demand.parts = {
        {.chunks = {{.count = 1, .resources = {{"ncpus", cpus}}}}, .duration = Span{seconds}}};
    return plan_.Book({{1}, number}, demand, kHere, std::nullopt);
  }

  SitePlanner plan_;
};

// Licences of a site with four.
class OutsideLicences : public OutsideBookings {
 protected:
  OutsideLicences() : licensed_(Four()) {}
  static Options Four() {
    Options options = Two();
    options.rules.jobwide = {{"licence_x", 4}};
    return options;
  }
  Instant StartWith(int64_t licences) {
    schemas::ProposalEntry entry{.user = "kim", .asked = kHere};
    entry.allowed = IntervalSet({{kHere, kHere + Span{100'000}}});
    entry.parts = {{.chunks = {{.count = 1, .resources = {{"ncpus", 1}}}},
                    .duration = Span{100},
                    .jobwide = {{"licence_x", licences}}}};
    return licensed_.Verify({entry}, kHere).front().start;
  }

  SitePlanner licensed_;
};

TEST_F(OutsideLicences, OfLocalJobsAreTakenForAsLongAsTheyRun) {
  OutsideBooking job = On(7, "n1", 1, {kHere, kHere + Span{500}});
  job.jobwide = {{"licence_x", 3}, {"licence_unknown", 9}};
  licensed_.SetOutside(job);
  EXPECT_EQ(StartWith(1), kHere);
  EXPECT_EQ(StartWith(2), kHere + Span{500});
  // On nodes of others, and more than there are: it is so.
  OutsideBooking elsewhere = On(8, "n9", 1, {kHere, kHere + Span{800}});
  elsewhere.jobwide = {{"licence_x", 3}};
  licensed_.SetOutside(elsewhere);
  EXPECT_EQ(StartWith(1), kHere + Span{500});
  EXPECT_EQ(StartWith(2), kHere + Span{800});
  licensed_.DropOutside(7);
  licensed_.DropOutside(8);
  EXPECT_EQ(StartWith(4), kHere);
}

TEST_F(OutsideBookings, TakeTheirRoomAndAreTheReason) {
  plan_.SetOutside(On(7, "n1", 2, {kHere, kHere + Span{500}}));
  EXPECT_EQ(Ask(2, 2).start, kHere) << "two processors of the node are free";
  const auto later = Ask(2, 3);
  EXPECT_EQ(later.start, kHere + Span{500});
  ASSERT_TRUE(later.reason.has_value());
  EXPECT_EQ(later.reason->subject.job, "slurm 7 ana");
  plan_.DropOutside(7);
  EXPECT_EQ(Ask(2, 4).start, kHere);
}

TEST_F(OutsideBookings, OfWholeNodesLeaveNothing) {
  OutsideBooking whole = On(1, "n1", 1, {kHere, kHere + Span{500}});
  whole.whole_nodes = true;
  plan_.SetOutside(whole);
  EXPECT_EQ(Ask(2, 1).start, kHere + Span{500});
}

TEST_F(OutsideBookings, SetAgainReplaceThemselves) {
  plan_.SetOutside(On(7, "n1", 4, {kHere, kHere + Span{500}}));
  plan_.SetOutside(On(7, "n1", 4, {kHere, kHere + Span{50}}));
  EXPECT_EQ(Ask(2, 4).start, kHere + Span{50});
}

TEST_F(OutsideBookings, CountForTheFederationAsThoseOfItsOwnUsersDo) {
  plan_.SetOutside(On(7, "n1", 4, {kHere, kHere + Span{500}}));
  const schemas::Capacity capacity = plan_.Capacity(kHere);
  ASSERT_FALSE(capacity.profile.empty());
  EXPECT_EQ(capacity.profile.front().free.front().Get("ncpus"), 4);
}

TEST_F(OutsideBookings, SoftOnesNeitherHideABookingNorAreFreeRoom) {
  ASSERT_TRUE(std::holds_alternative<verifier::Booked>(Book(1, kHere + Span{100}, 4, 100)));
  const std::string node = "n1";
  OutsideBooking soft = On(9, node, 4, {kHere + Span{150}, kHere + Span{400}});
  soft.soft = true;
  soft.chunks.push_back({"n2", {{"ncpus", 4}}});
  plan_.SetOutside(soft);
  EXPECT_FALSE(plan_.ShortOn({{1}, 1}).has_value()) << "it is only planned there";
  EXPECT_EQ(Ask(1, 4, 300).start, kHere + Span{200}) << "where n1 is free again, n2 at 400";
}

TEST_F(OutsideBookings, HardOnesOverABookingLeaveItShort) {
  ASSERT_TRUE(std::holds_alternative<verifier::Booked>(Book(1, kHere + Span{100}, 3, 100)));
  EXPECT_FALSE(plan_.ShortOn({{1}, 1}).has_value());
  plan_.SetOutside(On(3, "n1", 1, {kHere, kHere + Span{1000}}));
  EXPECT_FALSE(plan_.ShortOn({{1}, 1}).has_value()) << "the fourth processor was free";
  plan_.SetOutside(On(4, "n1", 1, {kHere, kHere + Span{101}}));
  EXPECT_EQ(plan_.ShortOn({{1}, 1}), "n1");
  plan_.SetOutside(On(4, "n1", 1, {kHere, kHere + Span{100}}));
  EXPECT_FALSE(plan_.ShortOn({{1}, 1}).has_value()) << "it ends as the booking begins";
}

TEST_F(OutsideBookings, OnUnknownNodesBlockNothing) {
  plan_.SetOutside(On(5, "n9", 4, {kHere, kHere + Span{500}}));
  EXPECT_EQ(Ask(2, 4).start, kHere);
}

}  // namespace
}  // namespace muster::site
