// `alter --after`: what a request waits for is changed while it waits or is promised. cli.md
// section 3 (alter), section 2 (--after); protocol.md section 5 (user).
#include "meta/core_fixture.h"

namespace muster::meta {
namespace {

using schemas::Dependency;
using schemas::DependencyKind;

class AlterAfter : public MetaCore {
 protected:
  static schemas::Act After(RequestId id, std::vector<Dependency> after) {
    schemas::Act act{.verb = schemas::ActVerb::kAlter, .requests = {id}};
    act.changes = schemas::Alteration{.after = std::move(after)};
    act.may_move = true;
    return act;
  }
  static schemas::Act AfterNone(RequestId id) {
    schemas::Act act{.verb = schemas::ActVerb::kAlter, .requests = {id}};
    act.changes = schemas::Alteration{.cleared = {"after"}};
    return act;
  }
  void RunToEnd(const std::string& site, RequestId id, int code) {
    const Fence fence = FenceOf(id);
    Run(Of(site), fence);
    End(Of(site), fence, code);
    Settle();
  }
};

TEST_F(AlterAfter, APromisedJobGivesItsPermitBackAndStartsBehindTheOther) {
  DialAll();
  const RequestId first = Submit(Spec({{"hills"}}));
  const RequestId second = Submit(Spec({{"lakes"}}));
  const Fence old = FenceOf(second);
  ASSERT_EQ(Of("lakes").states.at(old), HoldState::kPermitted);
  schemas::Act act = After(second, {{DependencyKind::kOk, first}});
  act.may_move = false;
  EXPECT_EQ(RefusedBy(Client("kim", act)).code, "conflict") << "it would start later";
  EXPECT_EQ(FenceOf(second), old);
  act.may_move = true;
  const auto accepted = Acted("kim", act);
  EXPECT_EQ(accepted.notes, std::vector<std::string>{"after " + ToText(first)});
  EXPECT_EQ(Of("lakes").states.at(old), HoldState::kClosed);
  const Fence now = FenceOf(second);
  EXPECT_EQ(Of("lakes").states.at(now), HoldState::kCommitted) << "without a permit";
  EXPECT_FALSE(Of("lakes").permits.contains(now));
  EXPECT_EQ(Of("lakes").orders.at(now).earliest, (Instant{kBegin + 601}));
  EXPECT_EQ(Job(second).after, std::vector<std::string>{"ok:" + ToText(first)});
  RunToEnd("hills", first, 0);
  EXPECT_EQ(Of("lakes").states.at(FenceOf(second)), HoldState::kPermitted);
}

TEST_F(AlterAfter, ItsUserHearsNothingOfATrialAndNothingIsPermittedByIt) {
  DialAll();
  const RequestId first = Submit(Spec({{"hills"}}));
  schemas::RequestSpec spec = Spec({{"lakes"}});
  spec.after = {{DependencyKind::kOk, first}};
  const RequestId second = Submit(spec);
  const Fence old = FenceOf(second);
  schemas::Act act = AfterNone(second);
  act.only_try = true;
  const auto tried = Acted("kim", act);
  ASSERT_EQ(tried.moves.size(), 1u);
  EXPECT_EQ(FenceOf(second), old);
  EXPECT_EQ(Of("lakes").states.at(old), HoldState::kCommitted);
  EXPECT_TRUE(Of("lakes").permits.empty());
  EXPECT_EQ(Record(second).spec.after.size(), 1u);
  // The trial changed nothing: the job still waits for `first`.
  RunToEnd("hills", first, 3);
  EXPECT_EQ(Record(second).state, RequestState::kEnded);
  EXPECT_EQ(Record(second).outcome, Outcome::kRefused) << "given back first";
}

TEST_F(AlterAfter, WithoutWhatItWaitedForItStartsAtOnce) {
  DialAll();
  const RequestId first = Submit(Spec({{"hills"}}));
  schemas::RequestSpec spec = Spec({{"lakes"}});
  spec.after = {{DependencyKind::kOk, first}};
  const RequestId second = Submit(spec);
  EXPECT_EQ(Acted("kim", AfterNone(second)).notes, std::vector<std::string>{"after no other job"});
  EXPECT_EQ(Of("lakes").states.at(FenceOf(second)), HoldState::kPermitted);
  EXPECT_EQ(Job(second).figures.starts_by->at, (Instant{kBegin + 1}));
  RunToEnd("hills", first, 3);
  EXPECT_EQ(Record(second).state, RequestState::kPromised) << "the other is nothing to it";
}

TEST_F(AlterAfter, NobodyWaitsForWhoWaitsForThem) {
  DialAll();
  const RequestId first = Submit(Spec({{"hills"}}));
  schemas::RequestSpec spec = Spec({{"lakes"}});
  spec.after = {{DependencyKind::kAny, first}};
  const RequestId second = Submit(spec);
  spec.after = {{DependencyKind::kOk, second}};
  const RequestId third = Submit(spec);
  for (const RequestId other : {first, second, third}) {
    const schemas::Refused refused =
        RefusedBy(Client("kim", After(first, {{DependencyKind::kOk, other}})));
    EXPECT_EQ(refused.code, "conflict");
    EXPECT_NE(refused.message.find("waits for " + ToText(first) + " itself"), std::string::npos)
        << refused.message;
  }
  EXPECT_TRUE(Record(first).spec.after.empty());
}

TEST_F(AlterAfter, WhatEndedOtherwiseThanAskedIsNothingToComeAfter) {
  DialAll();
  const RequestId first = Submit(Spec({{"hills"}}));
  RunToEnd("hills", first, 3);
  const RequestId second = Submit(Spec({{"lakes"}}));
  const schemas::Refused refused =
      RefusedBy(Client("kim", After(second, {{DependencyKind::kOk, first}})));
  EXPECT_NE(refused.message.find("job 1 did not end well"), std::string::npos) << refused.message;
  EXPECT_EQ(Record(second).state, RequestState::kPromised);
  Acted("kim", After(second, {{DependencyKind::kFail, first}}));
  EXPECT_EQ(Of("lakes").states.at(FenceOf(second)), HoldState::kPermitted);
}

TEST_F(AlterAfter, OneThatWaitsForASiteTakesItAtOnce) {
  const RequestId first = Submit(Spec({{"hills"}}));
  const RequestId second = Submit(Spec({{"lakes"}}));
  Acted("kim", After(second, {{DependencyKind::kOk, first}}));
  DialAll();
  Advance(2'000);
  EXPECT_EQ(Of("lakes").states.at(FenceOf(second)), HoldState::kCommitted);
  RunToEnd("hills", first, 0);
  EXPECT_EQ(Of("lakes").states.at(FenceOf(second)), HoldState::kPermitted);
}

}  // namespace
}  // namespace muster::meta
