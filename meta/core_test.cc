// What users see of the meta's core: promises, answers and refusals. protocol.md sections 2b, 3.5,
// 5; cli.md section 3.
#include "meta/core_fixture.h"

namespace muster::meta {
namespace {

TEST_F(MetaCore, ASingleSiteJobIsPromisedPermittedRunAndDone) {
  DialAll();
  const RequestId id = Submit(Spec({{}}));
  schemas::JobView job = Job(id);
  EXPECT_EQ(job.state, RequestState::kPromised);
  ASSERT_TRUE(job.figures.starts_by.has_value());
  EXPECT_TRUE(job.figures.starts_by->firm);
  EXPECT_EQ(job.figures.starts_by->at, (Instant{kBegin + 1}));
  FakeSite& site = Of(*job.parts[0].site);
  const Fence fence = FenceOf(id);
  EXPECT_EQ(site.states[fence], HoldState::kPermitted);
  EXPECT_TRUE(site.permits[fence].rendezvous.empty());  // all parts are there
  Run(site, fence);
  EXPECT_EQ(Job(id).state, RequestState::kRunning);
  End(site, fence, 0);
  job = Job(id);
  EXPECT_EQ(job.state, RequestState::kEnded);
  EXPECT_EQ(job.outcome, Outcome::kDone);
  EXPECT_EQ(job.parts[0].exit_code, 0);
}

TEST_F(MetaCore, TheSiteWithTheEarliestStartIsChosen) {
  DialAll();
  Of("hills").not_before = Instant{kBegin + 500};
  Of("lakes").not_before = Instant{kBegin + 300};
  Of("woods").not_before = Instant{kBegin + 400};
  EXPECT_EQ(Job(Submit(Spec({{}}))).parts[0].site, "lakes");
}

TEST_F(MetaCore, CancelBeforeTheStartReleasesAndOnlyOwnersAndOperatorsMay) {
  DialAll();
  const RequestId id = Submit(Spec({{"hills"}, {"lakes"}}));
  const Fence fence = FenceOf(id);
  EXPECT_EQ(RefusedBy(Client("ana", schemas::Cancel{{id}})).message,
            "job " + std::to_string(id.value) + " belongs to kim; you are ana, role user");
  EXPECT_EQ(RefusedBy(Client("kim", schemas::Cancel{{RequestId{999}}})).code, "not-found");
  const schemas::ToClient answer = Client("root", schemas::Cancel{{id}});
  EXPECT_EQ(std::get<schemas::Accepted>(answer.body).notes[0], "cancelled before its start");
  EXPECT_EQ(Of("hills").states[fence], HoldState::kClosed);
  EXPECT_EQ(Job(id).outcome, Outcome::kCancelled);
}

TEST_F(MetaCore, CancelOfARunningJobWaitsUntilItIsGone) {
  DialAll();
  const RequestId id = Submit(Spec({{"hills"}}));
  const Fence fence = FenceOf(id);
  Run(Of("hills"), fence);
  Of("hills").cut = true;
  Client("kim", schemas::Cancel{{id}});
  EXPECT_EQ(Job(id).state, RequestState::kCancelling);
  Of("hills").cut = false;
  Advance(10'000);
  EXPECT_EQ(Job(id).outcome, Outcome::kCancelled);
}

TEST_F(MetaCore, TheSameKeyIsTheSameJobAndAnotherRequestUnderItConflicts) {
  const schemas::Submit first{{.text = "once"}, Spec({{}})};
  const auto a = std::get<schemas::Accepted>(Client("kim", first).body);
  const auto b = std::get<schemas::Accepted>(Client("kim", first).body);
  EXPECT_EQ(a.requests, b.requests);
  EXPECT_TRUE(b.repeated);
  EXPECT_EQ(RefusedBy(Client("kim", schemas::Submit{{.text = "once"}, Spec({{}}, 2)})).code,
            "conflict");
  const Moment old{now_.wall.milliseconds - int64_t{8} * 86400 * 1000};
  EXPECT_EQ(
      RefusedBy(Client("kim", schemas::Submit{{.text = "k", .generated = old}, Spec({{}})})).code,
      "expired");
}

TEST_F(MetaCore, AnImpossibleRequestIsRefusedWithTheLargestThatFits) {
  DialAll();
  schemas::RequestSpec spec = Spec({{}}, 64);
  spec.parts[0].chunks[0].count = 2;
  const schemas::Refused r = RefusedBy(Client("kim", schemas::Submit{{.text = "x"}, spec}));
  EXPECT_EQ(r.code, "never");
  EXPECT_EQ(r.message, "no site can ever run 2 × (64 cpus)");
  EXPECT_EQ(r.detail, "hills, lakes, woods: no node has more than 4 cpus");
  EXPECT_EQ(r.help, "the largest here is -l 2:ncpus=4");
  EXPECT_TRUE(core_->Requests().empty());
}

TEST_F(MetaCore, NeverOfAllEligibleSitesEndsTheRequestRefused) {
  DialAll();
  Of("hills").verdict = Of("lakes").verdict = Of("woods").verdict =
      schemas::VerdictEntry{.kind = schemas::VerdictKind::kNever};
  const schemas::JobView job = Job(Submit(Spec({{}})));
  EXPECT_EQ(job.outcome, Outcome::kRefused);
}

TEST_F(MetaCore, BadRequestsAreRefusedWithAReasonAndNothingIsKept) {
  std::vector<schemas::RequestSpec> bad(8, Spec({{}}));
  bad[0].parts.clear();
  bad[1].duration = Span{0};
  bad[2].at = Instant{kBegin - 5};
  bad[3].parts[0].sites = {"nowhere"};
  bad[4].queue = "gold";
  bad[5].parts[0].offset = Span{-1};
  bad[6].payload.script.assign((size_t{1} << 20) + 1, 'x');
  bad[7].deadline = Instant{kBegin + 10};
  for (const schemas::RequestSpec& spec : bad) {
    EXPECT_EQ(RefusedBy(Client("kim", schemas::Submit{{.text = "x"}, spec})).code, "usage");
  }
  EXPECT_TRUE(core_->Requests().empty());
  EXPECT_EQ(RefusedBy(Client("nobody", schemas::Submit{{.text = "x"}, Spec({{}})})).code, "denied");
}

TEST_F(MetaCore, AFullDiskRefusesNewWorkOnly) {
  DialAll();
  const RequestId running = Submit(Spec({{"hills"}}));
  schemas::RequestSpec later = Spec({{"lakes"}});
  later.from = Instant{kBegin + 600};
  const RequestId waiting = Submit(later);
  const Fence fence = FenceOf(running);
  Run(Of("hills"), fence);
  Turn({DiskState{true}});
  // The running job ends and the waiting one is cancelled as usual.
  End(Of("hills"), fence, 0);
  EXPECT_EQ(Job(running).outcome, Outcome::kDone);
  Client("kim", schemas::Cancel{.requests = {waiting}});
  EXPECT_EQ(Job(waiting).outcome, Outcome::kCancelled);
  EXPECT_EQ(RefusedBy(Client("kim", schemas::Submit{{.text = "x"}, Spec({{}})})).code, "disk-full");
  Turn({DiskState{false}});
  EXPECT_EQ(Job(Submit(Spec({{"woods"}}))).state, RequestState::kPromised);
}

TEST_F(MetaCore, AskAnswersOneOfferPerSiteByStartAndKeepsNothing) {
  DialAll();
  Of("hills").not_before = Instant{kBegin + 50};
  const auto rows = std::get<schemas::Rows>(Client("kim", schemas::Ask{Spec({{}})}).body);
  ASSERT_EQ(rows.offers.size(), 3u);
  EXPECT_EQ(rows.offers[2].sites, std::vector<std::string>{"hills"});
  EXPECT_FALSE(rows.offers[0].figures.starts_by->firm);
  EXPECT_EQ(rows.basis.size(), 3u);
  const auto both =
      std::get<schemas::Rows>(Client("kim", schemas::Ask{Spec({{"hills"}, {"lakes"}})}).body);
  ASSERT_EQ(both.offers.size(), 1u);
  EXPECT_EQ(both.offers[0].sites, (std::vector<std::string>{"hills", "lakes"}));
  EXPECT_TRUE(core_->Requests().empty());
}

TEST_F(MetaCore, OutputIsForOwnersAndOperators) {
  DialAll();
  const RequestId id = Submit(Spec({{"hills"}}));
  const schemas::Get get{.kind = schemas::GetKind::kOutput, .requests = {id}};
  EXPECT_EQ(RefusedBy(Client("ana", get)).code, "denied");
  EXPECT_EQ(std::get<schemas::Rows>(Client("kim", get).body).output[0].data, "hello");
  const auto gantt =
      std::get<schemas::Rows>(Client("ana", schemas::Get{.kind = schemas::GetKind::kGantt}).body);
  EXPECT_EQ(gantt.gantt.size(), 3u);
  EXPECT_FALSE(gantt.gantt[0].stale);
}

TEST_F(MetaCore, FollowersSeeEachChangeUntilTheEnd) {
  DialAll();
  const RequestId id = Submit(Spec({{"hills"}}));
  Client("kim", schemas::Follow{{id}});
  answers_.clear();
  const Fence fence = FenceOf(id);
  Run(Of("hills"), fence);
  ASSERT_FALSE(answers_.empty());
  EXPECT_EQ(std::get<schemas::Rows>(answers_.back().message.body).jobs[0].state,
            RequestState::kRunning);
  End(Of("hills"), fence, 0);
  EXPECT_TRUE(std::get<schemas::Rows>(answers_.back().message.body).end);
}

TEST_F(MetaCore, LargeScriptsAreWrittenOnce) {
  DialAll();
  schemas::RequestSpec spec = Spec({{"hills"}});
  spec.payload.script.assign(100'000, 'x');
  const RequestId id = Submit(spec);
  for (const auto& [key, record] : store_) {
    if (const auto* r = std::get_if<schemas::RequestRecord>(&record)) {
      EXPECT_TRUE(r->spec.payload.script.empty());
    }
  }
  EXPECT_EQ(Of("hills").orders[FenceOf(id)].payload.script.size(), 100'000u);
}

}  // namespace
}  // namespace muster::meta
