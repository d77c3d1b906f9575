// Points in a federation: who is first, how they grow, what survives a restart, and what
// `muster priority` is told. scheduling.md section 11, cli.md section 2 (priority).
#include "meta/core_fixture.h"

namespace muster::meta {
namespace {

using schemas::PriorityView;

class PriorityCore : public MetaCore {
 protected:
  PriorityCore() {
    options_.threshold = Span{3600};
    options_.queues = {{"express", 4}, {"normal", 1}};
    options_.users = {{.name = "kim", .groups = {"weather"}},
                      {.name = "ana"},
                      {.name = "root", .is_operator = true}};
    options_.priority = policy::PointsRules{.queue_full = Span{3600}};
    Weigh(policy::Factor::kQueue, 1000);
    Weigh(policy::Factor::kCred, 100);
  }

  void Weigh(policy::Factor factor, int64_t weight) {
    options_.priority->weights[static_cast<size_t>(factor)] = weight;
  }
  // A federation whose one site that matters is full, so that all others wait.
  void Begin() {
    Start();
    DialAll();
    Submit(Whole(8000));
    Of("hills").not_before = Instant{kBegin + 8001};
    Submit(Whole(8000));
    Advance(1000);
  }
  static schemas::RequestSpec Whole(int64_t seconds) {
    schemas::RequestSpec spec = Spec({{"hills"}}, 4);
    spec.parts[0].chunks[0].count = 4;
    spec.duration = Span{seconds};
    spec.queue = "normal";
    return spec;
  }
  RequestId SubmitAs(const std::string& user, const schemas::RequestSpec& spec) {
    const schemas::ToClient answer =
        Client(user, schemas::Submit{{.text = "key-" + std::to_string(++keys_)}, spec});
    return std::get<schemas::Accepted>(answer.body).requests.at(0);
  }
  PriorityView Priority(RequestId id) {
    const schemas::ToClient answer =
        Client("ana", schemas::Get{.kind = schemas::GetKind::kPriority, .requests = {id}});
    return std::get<schemas::Rows>(answer.body).priority.value();
  }
  int64_t PointsOf(RequestId id) { return Priority(id).points; }
  void Minutes(int64_t minutes) { Advance(minutes * 60'000); }
};

TEST_F(PriorityCore, WhoHasMorePointsGoesFirstInItsQueue) {
  options_.priority->credentials = {{"@weather", 300}, {"queue express", 100}};
  Begin();
  const RequestId first = SubmitAs("ana", Whole(100));
  const RequestId second = SubmitAs("ana", Whole(100));
  const RequestId third = SubmitAs("kim", Whole(100));
  EXPECT_EQ(Priority(third).place, 1u);
  EXPECT_EQ(Priority(first).place, 2u);
  EXPECT_EQ(Priority(second).place, 3u);
  const PriorityView view = Priority(first);
  EXPECT_TRUE(view.ordered);
  EXPECT_EQ(view.waiting, 3u);
  EXPECT_EQ(view.ahead, 30) << "a tenth of what the group was given, by the weight";
  EXPECT_EQ(view.queue, "normal");
  ASSERT_EQ(Priority(third).rows.size(), 2u) << "factors without a weight are left out";
  EXPECT_EQ(Priority(third).rows[0].because, "@weather 300");
  EXPECT_EQ(Priority(third).rows[0].points, 30);
  EXPECT_EQ(view.rows[0].because, "nothing given");
}

TEST_F(PriorityCore, WaitingGivesPointsOnAGridAndTheSameAfterARestart) {
  Begin();
  const RequestId id = SubmitAs("ana", Whole(100));
  EXPECT_EQ(PointsOf(id), 0);
  Minutes(6);
  const int64_t points = PointsOf(id);
  EXPECT_GE(points, 83) << "five minutes of an hour";
  EXPECT_LE(points, 100) << "six minutes of an hour";
  EXPECT_EQ(Priority(id).at->milliseconds % 60'000, 0);
  EXPECT_EQ(Priority(id).next->milliseconds, Priority(id).at->milliseconds + 60'000);
  Advance(250);
  EXPECT_EQ(PointsOf(id), points);
  Start();
  EXPECT_EQ(PointsOf(id), points);
  DialAll();
  Minutes(1);
  EXPECT_GT(PointsOf(id), points);
}

TEST_F(PriorityCore, TimeParkedIsNoWait) {
  Begin();
  const RequestId parked = SubmitAs("ana", Whole(100));
  const RequestId waits = SubmitAs("ana", Whole(100));
  Minutes(3);
  Acted("ana", {.verb = schemas::ActVerb::kPark, .requests = {parked}});
  Minutes(10);
  Start();
  DialAll();
  Acted("ana", {.verb = schemas::ActVerb::kUnpark, .requests = {parked}});
  Minutes(3);
  EXPECT_NEAR(static_cast<double>(PointsOf(waits)), 16 * 1000 / 60.0, 17);
  EXPECT_NEAR(static_cast<double>(PointsOf(parked)), 6 * 1000 / 60.0, 17);
  EXPECT_EQ(Priority(waits).place, 1u);
}

TEST_F(PriorityCore, WhoWaitsForAnotherJobCountsFromItsEnd) {
  Begin();
  schemas::RequestSpec short_one = Spec({{"lakes"}});
  const RequestId other = SubmitAs("ana", short_one);
  schemas::RequestSpec spec = Whole(100);
  spec.after = {{schemas::DependencyKind::kAny, other}};
  const RequestId id = SubmitAs("ana", spec);
  Minutes(10);
  EXPECT_EQ(PointsOf(id), 0);
  Acted("ana", {.verb = schemas::ActVerb::kPark, .requests = {other}});
  Client("ana", schemas::Cancel{{other}});
  Minutes(6);
  EXPECT_NEAR(static_cast<double>(PointsOf(id)), 100, 17);
}

TEST_F(PriorityCore, AReloadOrdersAnewThoseWhoWaitAndNamesIt) {
  Begin();
  const RequestId first = SubmitAs("ana", Whole(100));
  const RequestId second = SubmitAs("kim", Whole(100));
  EXPECT_EQ(Priority(first).place, 1u);
  Options changed = options_;
  changed.priority->credentials = {{"kim", 1000}};
  Turn({Reconfigured{.options = changed}});
  Settle();
  EXPECT_EQ(Priority(second).place, 1u);
  EXPECT_EQ(PointsOf(second), 100);
  changed.priority.reset();
  Turn({Reconfigured{.options = changed}});
  Settle();
  EXPECT_EQ(Priority(first).place, 1u);
  EXPECT_FALSE(Priority(first).ordered);
  EXPECT_EQ(PointsOf(second), 0);
  EXPECT_TRUE(Priority(second).rows.empty());
}

TEST_F(PriorityCore, AShorterDurationIsNamedIfItGivesAnEarlierPlace) {
  Weigh(policy::Factor::kQueue, 0);
  Weigh(policy::Factor::kArea, -1'000'000);
  Begin();
  const RequestId small = SubmitAs("ana", Whole(400));
  const RequestId large = SubmitAs("ana", Whole(600));
  EXPECT_EQ(Priority(large).place, 2u);
  EXPECT_TRUE(Priority(small).ways.empty());
  const PriorityView view = Priority(large);
  ASSERT_EQ(view.ways.size(), 1u);
  EXPECT_EQ(view.ways[0].argv, (std::vector<std::string>{"alter", ToText(large), "-t", "5m"}));
  EXPECT_EQ(view.ways[0].place, 1u);
  schemas::Alteration changes{.duration = Span{300}};
  schemas::Act act{.verb = schemas::ActVerb::kAlter, .requests = {large}};
  act.changes = changes;
  Client("ana", act);
  Advance(1000);
  EXPECT_EQ(Priority(large).place, 1u) << "as it was told";
}

TEST_F(PriorityCore, WithoutAPolicyQueueAndArrivalDecide) {
  options_.priority.reset();
  Begin();
  const RequestId first = SubmitAs("ana", Whole(100));
  SubmitAs("kim", Whole(100));
  Minutes(2);
  const PriorityView view = Priority(first);
  EXPECT_FALSE(view.ordered);
  EXPECT_EQ(view.place, 1u);
  EXPECT_EQ(view.waiting, 2u);
  EXPECT_EQ(view.ahead, std::nullopt);
}

TEST_F(PriorityCore, WhatHasEndedOrIsUnknownHasNoPriority) {
  Begin();
  const RequestId id = SubmitAs("ana", Whole(100));
  Client("ana", schemas::Cancel{{id}});
  const auto refusal = [&](std::vector<RequestId> ids) {
    return RefusedBy(Client(
        "ana", schemas::Get{.kind = schemas::GetKind::kPriority, .requests = std::move(ids)}));
  };
  EXPECT_EQ(refusal({id}).code, "conflict");
  EXPECT_EQ(refusal({{99}}).code, "not-found");
  EXPECT_EQ(refusal({}).code, "usage");
}

TEST_F(PriorityCore, APromisedJobShowsItsPlaceAtASiteWithPointsOfItsOwn) {
  Start();
  Of("hills").capabilities = {"order"};
  Of("hills").ranks = {{.job = "1", .place = 2, .holds = 5, .ordered = true, .points = 70}};
  DialAll();
  const RequestId id = Submit(Whole(100));
  Advance(1000);
  const PriorityView view = Priority(id);
  ASSERT_EQ(view.at_sites.size(), 1u);
  EXPECT_EQ(view.at_sites[0].site, "hills");
  EXPECT_EQ(view.at_sites[0].place, 2u);
  EXPECT_EQ(view.at_sites[0].points, 70);
  EXPECT_TRUE(view.ordered) << "beside the points of the meta";
}

TEST_F(PriorityCore, ASiteThatOrdersByPointsIsToldSinceWhenARequestWaits) {
  Start();
  Of("hills").capabilities = {"order"};
  DialAll();
  const RequestId first = Submit(Whole(100));
  const RequestId other = Submit(Spec({{"lakes"}}));
  Advance(1000);
  const schemas::HoldOrder& told = Of("hills").orders.at(FenceOf(first));
  EXPECT_EQ(told.waits_since->Floor(), Record(first).submitted_at.Floor());
  EXPECT_FALSE(Of("lakes").orders.at(FenceOf(other)).waits_since.has_value());
}

TEST_F(PriorityCore, TheOrderAndTheSharesOfASiteAreAskedForThere) {
  Start();
  Of("hills").ranks = {{.job = "7", .user = "kim", .place = 1, .holds = 1, .points = 70}};
  Of("hills").shares = {{.who = "account chem", .value = 0.5}};
  DialAll();
  const auto rows = [&](schemas::GetKind kind) {
    return std::get<schemas::Rows>(
        Client("ana", schemas::Get{.kind = kind, .sites = {"hills"}}).body);
  };
  const schemas::Rows order = rows(schemas::GetKind::kPriority);
  ASSERT_EQ(order.ranks.size(), 1u);
  EXPECT_EQ(order.ranks[0].site, "hills");
  EXPECT_EQ(order.ranks[0].job, "7");
  EXPECT_EQ(rows(schemas::GetKind::kShares).shares, Of("hills").shares);
  EXPECT_EQ(RefusedBy(Client("ana", schemas::Get{.kind = schemas::GetKind::kShares,
                                                 .sites = {"hills", "lakes"}}))
                .code,
            "usage");
  EXPECT_EQ(
      RefusedBy(Client("ana", schemas::Get{.kind = schemas::GetKind::kPriority, .sites = {"moon"}}))
          .code,
      "not-found");
}

}  // namespace
}  // namespace muster::meta
