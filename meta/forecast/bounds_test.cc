// Why a bound moved: each cause of scheduling.md section 5, as `muster show` gets it.
#include "meta/forecast/bounds.h"

#include "meta/core_fixture.h"

namespace muster::meta {
namespace {

using schemas::CauseCode;

// Two that run one behind the other at hills; who comes now waits for its block.
class BoundsCore : public MetaCore {
 protected:
  BoundsCore() {
    options_.threshold = Span{3600};
    options_.queues = {{"urgent", 4}, {"normal", 1}};
    Start();
    DialAll();
    Submit(Whole(8000));
    Of("hills").not_before = Instant{kBegin + 8001};
    Submit(Whole(8000));
    Advance(1000);
  }
  // The whole of hills.
  static schemas::RequestSpec Whole(int64_t seconds, const std::string& queue = "normal") {
    schemas::RequestSpec spec = Spec({{"hills"}}, 4);
    spec.parts[0].chunks[0].count = 4;
    spec.duration = Span{seconds};
    spec.queue = queue;
    return spec;
  }
  // Waits, and was told of its bound once.
  RequestId Waiting(int64_t seconds) {
    const RequestId id = Submit(Whole(seconds));
    Look(id);
    EXPECT_EQ(History(id).size(), 1u);
    EXPECT_FALSE(History(id)[0].cause.has_value());
    return id;
  }
  static schemas::SchedulerChange Pin(const std::string& packing) {
    schemas::SchedulerChange out;
    out.packing = packing;
    return out;
  }
  void Look(RequestId id) {
    for (int i = 0; i < 4; ++i) {
      Job(id);
      Advance(1000);
    }
  }
  std::vector<schemas::FigureChange> History(RequestId id) { return Job(id).history; }
  CauseCode WhyMoved(RequestId id) {
    Look(id);
    const auto history = History(id);
    EXPECT_EQ(history.size(), 2u);
    return history.size() == 2 && history[1].cause ? history[1].cause->code : CauseCode::kNone;
  }
};

TEST_F(BoundsCore, SomebodyMoreUrgentOvertakes) {
  const RequestId id = Waiting(500);
  Submit(Whole(700, "urgent"));
  EXPECT_EQ(WhyMoved(id), CauseCode::kOvertaken);
  const auto history = History(id);
  EXPECT_GE(history[1].figures.starts_by->at - history[0].figures.starts_by->at, Span{700});
  EXPECT_FALSE(history[1].figures.starts_by->firm);
}

TEST_F(BoundsCore, WhoComesBehindMovesNobody) {
  const RequestId id = Waiting(500);
  Submit(Whole(300));
  Look(id);
  EXPECT_EQ(History(id).size(), 1u);
}

TEST_F(BoundsCore, WhoeverIsPackedBeforeItInItsBlockIsTheCause) {
  const RequestId id = Waiting(500);
  Submit(Whole(700));
  ASSERT_EQ(WhyMoved(id), CauseCode::kPacked) << "two that wait vote for ffdh*: longest first";
  EXPECT_EQ(History(id)[1].cause->subject.packing, "");
}

TEST_F(BoundsCore, ASwitchOfThePackingIsTheCauseAndItsSubject) {
  Acted("root", {.verb = schemas::ActVerb::kSchedule, .scheduler = Pin("fcfs*")});
  const RequestId id = Waiting(500);
  Submit(Whole(700));
  Look(id);
  EXPECT_EQ(History(id).size(), 1u) << "by rank";
  Acted("root", {.verb = schemas::ActVerb::kSchedule, .scheduler = Pin("ffdh*")});
  ASSERT_EQ(WhyMoved(id), CauseCode::kPacked);
  EXPECT_EQ(History(id)[1].cause->subject.packing, "ffdh*");
  EXPECT_EQ(History(id)[1].cause->who, "meta");
}

TEST_F(BoundsCore, OthersThatArePackedBeforeItAreTheCause) {
  const RequestId id = Waiting(500);
  schemas::RequestSpec firm = Whole(700);
  firm.firm = true;
  Of("hills").not_before = Instant{kBegin + 16'002};
  Submit(firm);
  EXPECT_EQ(WhyMoved(id), CauseCode::kPacked);
}

TEST_F(BoundsCore, ASitesOwnUsersAndHardwareAreNamedByTheSite) {
  const RequestId id = Waiting(500);
  schemas::Heartbeat beat{.feed = Of("hills").feed, .plan = PlanRevision{2}};
  beat.capacity = Of("hills").Machine();
  beat.capacity->plan = beat.plan;
  // A job of its own from 16,000 to 20,000 s.
  beat.capacity->profile = {{Instant{0}, {{{"ncpus", 16}}}},
                            {Instant{kBegin + 16'000}, {{{"ncpus", 0}}}},
                            {Instant{kBegin + 20'000}, {{{"ncpus", 16}}}}};
  Of("hills").plan = beat.plan;
  Say(Of("hills"), beat);
  Advance(31'000);  // looked at by the clock: no request has changed
  EXPECT_EQ(WhyMoved(id), CauseCode::kSite);
  const auto history = History(id);
  EXPECT_EQ(history[1].cause->subject.site, "hills");
  EXPECT_EQ(history[1].cause->who, "site:hills");
}

TEST_F(BoundsCore, WhatIsNotedIsBoundedAndBeginsWithTheFirst) {
  const RequestId id = Waiting(500);
  const Moment first = History(id)[0].at;
  for (int i = 0; i < static_cast<int>(kBoundsKept) + 5; ++i) {
    Submit(Whole(700, "urgent"));
    Look(id);
  }
  const auto history = History(id);
  ASSERT_EQ(history.size(), kBoundsKept);
  EXPECT_EQ(history[0].at, first);
  EXPECT_LT(history[kBoundsKept - 2].figures.starts_by->at,
            history[kBoundsKept - 1].figures.starts_by->at);
}

}  // namespace
}  // namespace muster::meta
