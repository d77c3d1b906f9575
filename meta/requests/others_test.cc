// Requests that wait for others: what they come after, when that lets them start, and whether it
// ever will. cli.md section 2 (--after); protocol.md sections 0.1, 3.2, 4.
#include "meta/requests/figures.h"
#include "meta/requests/horizon.h"
#include "meta/requests/requests_fixture.h"
#include "meta/requests/start_conditions.h"
#include "meta/requests/validate.h"

namespace muster::meta {
namespace {

using schemas::CauseCode;
using schemas::DependencyKind;
using schemas::Outcome;

class Others : public RequestsRoom {
 protected:
  static schemas::RequestSpec AfterOne(RequestId id, DependencyKind kind = DependencyKind::kOk) {
    schemas::RequestSpec spec = Spec({{"lakes"}});
    spec.after = {{kind, id}};
    return spec;
  }
  AfterStands Stands(const Request& request) { return AfterOf(f_, request, t_.plan); }
  bool IsOpen(const Request& request) { return GateIsOpen(f_, request, t_.plan); }
  std::optional<Instant> Opens(const Request& request) { return GateOpensAt(f_, request, t_.plan); }

  Request& first_ = Submitted(Spec({{"hills"}}));
};

TEST_F(Others, OneThatComesAfterMayStartFromTheEndOnThatIsPromised) {
  Promise(first_, {"hills"}, Instant{kBegin});
  Request& second = Submitted(AfterOne(first_.id()));
  const Instant end{kBegin + 601};
  EXPECT_EQ(Stands(second), AfterStands::kPending);
  EXPECT_FALSE(IsOpen(second));
  EXPECT_EQ(Opens(second), end);
  EXPECT_EQ(StartsFrom(f_, t_, second, false).intervals().front().begin, end);
  const Attempt& place = Promise(second, {"lakes"}, end, /*gated=*/true);
  EXPECT_FALSE(GateIsOpenFor(f_, second, place, t_.plan));
  // The permit may come until 10 s after the booked start.
  EXPECT_EQ(FiguresNow(f_, second, t_.plan).starts_by->at, end + Span{10});
}

TEST_F(Others, WhatIsPastItsPromisedEndMayStillRun) {
  Promise(first_, {"hills"}, Instant{kBegin});
  const Request& second = Submitted(AfterOne(first_.id()));
  Pass(Span{700});
  EXPECT_EQ(Opens(second), Instant{kBegin + 702});
}

TEST_F(Others, AGoodEndOpensItsGateAndIsTheCauseOfAnEarlierStart) {
  Promise(first_, {"hills"}, Instant{kBegin});
  Request& second = Submitted(AfterOne(first_.id()));
  Attempt& place = Promise(second, {"lakes"}, Instant{kBegin + 601}, /*gated=*/true);
  End(first_, Outcome::kDone);
  EXPECT_TRUE(t_.moved.contains(first_.id())) << "those after it are to be looked at";
  EXPECT_EQ(Stands(second), AfterStands::kHolds);
  EXPECT_EQ(Opens(second), Instant{0});
  EXPECT_TRUE(IsOpen(second));
  EXPECT_TRUE(GateIsOpenFor(f_, second, place, t_.plan));
  place.moved_by = first_.id();
  const schemas::Cause earlier = CauseOfMove(f_, place, Instant{kBegin + 1});
  EXPECT_EQ(earlier.code, CauseCode::kBackfilled);
  EXPECT_EQ(earlier.subject.job, ToText(first_.id()));
}

TEST_F(Others, ALaterStartHasTheCauseOfWhatItComesAfter) {
  const Request& second = Submitted(AfterOne(first_.id()));
  Attempt& place = Promise(Find(second.id()), {"lakes"}, Instant{kBegin + 601}, /*gated=*/true);
  place.moved_by = first_.id();
  const Instant later{kBegin + 700};
  EXPECT_EQ(CauseOfMove(f_, place, later).code, CauseCode::kPartner);
  f_.requests.Edit(first_).history.push_back(
      {t_.plan, {}, schemas::Cause{CauseCode::kNodeLost, {.site = "hills"}, "hills"}});
  EXPECT_EQ(CauseOfMove(f_, place, later).code, CauseCode::kNodeLost);
  EXPECT_EQ(CauseOfMove(f_, place, later).subject.job, ToText(first_.id()));
}

TEST_F(Others, ABadEndShutsTheGateOfWhatNeedsAGoodOneForEver) {
  Promise(first_, {"hills"}, Instant{kBegin});
  Request& second = Submitted(AfterOne(first_.id()));
  Request& third = Submitted(AfterOne(second.id()));
  End(first_, Outcome::kFailed);
  EXPECT_EQ(Stands(second), AfterStands::kNever);
  EXPECT_FALSE(IsOpen(second));
  EXPECT_EQ(WhyNotAfter(f_, third, second.record().spec.after, t_.plan)->text,
            "job 1 did not end well");
  EXPECT_EQ(Stands(third), AfterStands::kPending);
  End(second, Outcome::kRefused);
  EXPECT_EQ(Stands(third), AfterStands::kNever) << "it comes after one that never ends well";
}

TEST_F(Others, AnyEndAndABadEndAreWaitedForAsAsked) {
  Promise(first_, {"hills"}, Instant{kBegin});
  const Request& any = Submitted(AfterOne(first_.id(), DependencyKind::kAny));
  const Request& fail = Submitted(AfterOne(first_.id(), DependencyKind::kFail));
  EXPECT_FALSE(IsOpen(any));
  EXPECT_FALSE(IsOpen(fail));
  End(first_, Outcome::kFailed);
  EXPECT_TRUE(IsOpen(any));
  EXPECT_TRUE(IsOpen(fail));
  const Awaited well{.ended = true, .well = true};
  EXPECT_EQ(StandsOf({DependencyKind::kAny, first_.id()}, well), AfterStands::kHolds);
  EXPECT_EQ(StandsOf({DependencyKind::kFail, first_.id()}, well), AfterStands::kNever);
}

TEST_F(Others, BehindOneWithoutAPromiseNobodyKnowsWhenItStarts) {
  const Request& second = Submitted(AfterOne(first_.id()));
  EXPECT_EQ(Opens(second), std::nullopt);
  EXPECT_TRUE(StartsFrom(f_, t_, second, false).empty());
  End(first_, Outcome::kCancelled);
  EXPECT_EQ(Stands(second), AfterStands::kNever);
}

TEST_F(Others, NoneComesAfterWhatWaitsForIt) {
  const Request& second = Submitted(AfterOne(first_.id()));
  const Request& third = Submitted(AfterOne(second.id()));
  const auto why = WhyNotAfter(f_, first_, {{DependencyKind::kAny, third.id()}}, t_.plan);
  ASSERT_TRUE(why.has_value());
  EXPECT_EQ(why->text, "job 3 waits for 1 itself");
  EXPECT_FALSE(WhyNotAfter(f_, third, {{DependencyKind::kAny, first_.id()}}, t_.plan).has_value());
}

TEST_F(Others, AnUnknownJobToComeAfterIsRefused) {
  const auto refused = CheckRequest(f_, AfterOne({999}), t_.plan, true);
  ASSERT_TRUE(refused.has_value());
  EXPECT_EQ(refused->code, "not-found");
  EXPECT_FALSE(CheckRequest(f_, AfterOne(first_.id()), t_.plan, true).has_value());
}

}  // namespace
}  // namespace muster::meta
