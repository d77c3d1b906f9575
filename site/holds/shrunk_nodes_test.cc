// Nodes that have become smaller at a reload: a defect of what they had. Bookings that no longer
// fit move, running parts go on, and jobs that need the lost resources wait until an operator gives
// these up. OpenCCS Sect. 4 (maxAvl, defect), protocol.md sections 3.1 (H14 to H16) and 3.3.
#include <gtest/gtest.h>

#include "site/alone_site_fixture.h"

namespace muster::site {
namespace {

using schemas::CauseCode;
using schemas::RequestState;

constexpr int64_t kGb = int64_t{1} << 30;

class ShrunkNodes : public AloneSite {
 protected:
  ShrunkNodes() { Sizes(8, 8); }

  void Sizes(int64_t first, int64_t second) {
    options_.nodes = {{"n1", {{"ncpus", 4}, {"mem", first * kGb}}, {}},
                      {"n2", {{"ncpus", 4}, {"mem", second * kGb}}, {}}};
    Boot();
  }
  static schemas::RequestSpec Needs(int64_t cpus, int64_t gb, int64_t seconds) {
    schemas::RequestSpec spec = Spec(cpus, seconds);
    spec.parts[0].chunks[0].resources = {{"ncpus", cpus}, {"mem", gb * kGb}};
    return spec;
  }
  std::optional<driver::StartPart> StartOf(uint64_t number) const {
    return Started("lakes-" + std::to_string(number) + ".1");
  }
  // Keeps both nodes busy with these amounts for `seconds`.
  void Busy(int64_t gb, int64_t seconds) {
    for (int i = 0; i < 2; ++i) {
      const uint64_t number = Submit("lee", Needs(4, gb, seconds));
      Advance(2);
      Runs(StartOf(number)->token);
    }
  }
  const schemas::HoldRecord* HoldOf(uint64_t number) {
    holds_ = core_->Holds();
    for (const schemas::HoldRecord& hold : holds_) {
      if (hold.order.request.value == number && hold.state != schemas::HoldState::kClosed) {
        return &hold;
      }
    }
    return nullptr;
  }
  std::string NodeOf(uint64_t number) {
    const schemas::HoldRecord* hold = HoldOf(number);
    return hold == nullptr ? "" : hold->parts[0].place.chunks[0].node;
  }
  void Drain(const std::string& node, bool for_good) {
    schemas::Act act{.verb = schemas::ActVerb::kDrain, .nodes = {node}, .reason = "dimm"};
    act.for_good = for_good;
    Get<schemas::Accepted>("root", act);
  }

  std::vector<schemas::HoldRecord> holds_;
};

TEST_F(ShrunkNodes, WhatNoLongerFitsIsOffTheNodeInTheTurnThatReadsTheFile) {
  Busy(2, 100);
  const uint64_t one = Submit("kim", Needs(4, 6, 30));
  const uint64_t two = Submit("kim", Needs(4, 6, 30));
  ASSERT_NE(NodeOf(one), NodeOf(two));
  const uint64_t moved = NodeOf(one) == "n1" ? one : two;
  const uint64_t stays = moved == one ? two : one;
  const Instant promised = HoldOf(stays)->start;
  Sizes(4, 8);
  EXPECT_EQ(NodeOf(stays), "n2");
  EXPECT_EQ(HoldOf(stays)->start, promised);
  EXPECT_EQ(NodeOf(moved), "n2");
  EXPECT_GE(HoldOf(moved)->start, promised + Span{30});
  const schemas::Cause cause = HoldOf(moved)->cause;
  EXPECT_EQ(cause.code, CauseCode::kNodeLost);
  EXPECT_EQ(cause.subject.node, "n1");
  EXPECT_EQ(cause.resource, "mem");
  EXPECT_EQ(Job(moved).history.back().cause, cause);
}

TEST_F(ShrunkNodes, WhatStillFitsStaysAndWhatRunsGoesOn) {
  Busy(6, 100);
  const uint64_t small = Submit("kim", Needs(4, 3, 30));
  const std::string node = NodeOf(small);
  const size_t commands = commands_.size();
  Sizes(4, 4);
  EXPECT_EQ(NodeOf(small), node);
  EXPECT_EQ(HoldOf(small)->cause.code, CauseCode::kNone);
  for (size_t i = commands; i < commands_.size(); ++i) {
    EXPECT_FALSE(std::holds_alternative<driver::StopPart>(commands_[i])) << "what runs goes on";
  }
}

TEST_F(ShrunkNodes, WhatIsInUseBeyondWhatIsThereKeepsNobodyFromStartingWhoTakesNothingOfIt) {
  const uint64_t big = Submit("lee", Needs(1, 8, 1000));
  Advance(2);
  Runs(StartOf(big)->token);
  const std::string node = NodeOf(big);
  Sizes(node == "n1" ? 4 : 8, node == "n2" ? 4 : 8);
  schemas::RequestSpec spec = Spec(3, 30);
  const uint64_t first = Submit("kim", spec);
  const uint64_t second = Submit("kim", spec);
  Advance(3);
  EXPECT_TRUE(StartOf(first));
  EXPECT_TRUE(StartOf(second));
}

TEST_F(ShrunkNodes, WhatNeedsTheLostPartIsBlockedAndNeverOnlyOnceItIsGivenUp) {
  Sizes(4, 4);
  EXPECT_EQ(Refusal(Needs(1, 6, 30)).code, "busy");
  EXPECT_EQ(Refusal(Needs(1, 9, 30)).code, "never");
  EXPECT_GT(Submit("kim", Needs(1, 4, 30)), 0u);
  Drain("n1", true);
  EXPECT_EQ(Refusal(Needs(1, 6, 30)).code, "busy") << "the other one may be repaired";
  Drain("n2", true);
  EXPECT_EQ(Refusal(Needs(1, 6, 30)).code, "never");
  Boot();
  EXPECT_EQ(Refusal(Needs(1, 6, 30)).code, "never") << "and after a restart";
  Get<schemas::Accepted>("root",
                         schemas::Act{.verb = schemas::ActVerb::kResume, .nodes = {"n1", "n2"}});
  EXPECT_EQ(Refusal(Needs(1, 6, 30)).code, "never") << "what was given up does not come back";
  EXPECT_GT(Submit("kim", Needs(1, 4, 30)), 0u);
}

TEST_F(ShrunkNodes, WhatANodeGetsBackIsThereAgain) {
  Sizes(4, 4);
  Sizes(8, 4);
  EXPECT_GT(Submit("kim", Needs(1, 8, 30)), 0u);
}

TEST_F(ShrunkNodes, WhereEveryNodeShrinksPromisesAreLostWithTheirCauseAndComeBackWithTheNodes) {
  Busy(2, 100);
  const uint64_t job = Submit("kim", Needs(4, 6, 30));
  Sizes(1, 1);
  EXPECT_EQ(Job(job).state, RequestState::kWaiting);
  ASSERT_TRUE(Job(job).history.back().cause.has_value());
  EXPECT_EQ(Job(job).history.back().cause->code, CauseCode::kNodeLost);
  EXPECT_EQ(Job(job).history.back().cause->resource, "mem");
  Sizes(8, 8);
  EXPECT_EQ(Job(job).state, RequestState::kPromised);
}

TEST_F(ShrunkNodes, AnExclusivePartHasTheWholeOfWhatIsLeft) {
  Sizes(4, 4);
  schemas::RequestSpec spec = Needs(1, 3, 30);
  spec.parts[0].exclusive = true;
  const uint64_t job = Submit("kim", spec);
  Advance(2);
  EXPECT_TRUE(StartOf(job));
}

TEST_F(ShrunkNodes, TheListOfNodesSaysWhatIsLost) {
  Sizes(4, 8);
  const auto rows = Get<schemas::Rows>("kim", schemas::Get{.kind = schemas::GetKind::kNodes});
  ASSERT_EQ(rows.nodes.size(), 1u);
  const std::vector<schemas::NodeRow>& nodes = rows.nodes[0].nodes;
  EXPECT_EQ(nodes[0].total.Get("mem"), 4 * kGb);
  EXPECT_EQ(nodes[0].lost, (ResourceSet{{"mem", 4 * kGb}}));
  EXPECT_TRUE(nodes[1].lost.empty());
}

}  // namespace
}  // namespace muster::site
