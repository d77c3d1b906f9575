// What counts as use, when, and for whom; that it counts once. Maui Sect. III (Fairshare);
// scheduling.md section 12.
#include "meta/requests/fairshare.h"

#include "meta/requests/horizon.h"
#include "meta/requests/points.h"
#include "meta/requests/requests_fixture.h"
#include "meta/requests/use_sums.h"

namespace muster::meta {
namespace {

using schemas::PartState;

class Fairshare : public RequestsRoom {
 protected:
  Fairshare() {
    f_.options.fairshare = policy::FairshareRules{
        .window = Span{3600},
        .depth = 3,
        .decay = 500,
        .shares = {{.who = "@g", .target = 250}, {.who = "ana", .target = 500}}};
    f_.users["kim"].groups = {"g"};
  }

  // A request of this user for so many processors, with a place from `start` on.
  Request& Has(const std::string& user, int64_t cpus, Instant start) {
    schemas::RequestSpec spec = Spec({{"lakes"}});
    spec.parts[0].chunks = {{.count = 2, .resources = {{"ncpus", cpus / 2}}}};
    Request& request = Submitted(spec);
    f_.requests.Edit(request).requester.user = user;
    f_.attempts.MakeDurable(Promise(request, {"lakes"}, start));
    return request;
  }
  Attempt& AttemptOf(const Request& request) { return f_.attempts.at(*request.record().attempt); }
  // What the site's feed says of it; `elapsed`: its final usage, none while it runs.
  void Says(const Request& request, Instant from, std::optional<int64_t> elapsed,
            std::vector<uint64_t> counts = {}) {
    schemas::MirrorRecord hold{.site = "lakes", .fence = *request.record().attempt};
    schemas::MirrorPart part{.state = PartState::kRunning, .started_at = ToMoment(from)};
    part.booking.counts = std::move(counts);
    if (elapsed) {
      part.state = PartState::kEnded;
      part.ended_at = ToMoment(from + Span{*elapsed});
      part.usage = {.elapsed = Seconds(*elapsed), .cpu = Seconds(*elapsed / 2)};
      part.usage_final = true;
    }
    hold.parts = {part};
    f_.sites.at("lakes").mirror.Restore(std::move(hold));
  }
  void Count(const Request& request) { CountUse(f_, request, AttemptOf(request), t_.plan); }
  // Processor-seconds on record, over all windows.
  int64_t Used(const std::string& who) {
    int64_t sum = 0;
    for (const auto& [key, record] : f_.use.all()) sum += record.who == who ? record.amount : 0;
    return sum / 1000;
  }
  policy::Part Part(const std::string& who) { return SharesAt(f_, t_.plan).at(who).part; }
};

TEST_F(Fairshare, AnEndedPartCountsOnceForItsUserItsGroupsAndAll) {
  const Request& request = Has("kim", 8, Instant{kBegin});
  Pass(Span{700});
  Says(request, Instant{kBegin}, 600);
  Count(request);
  Count(request);
  EXPECT_EQ(Used("kim"), 4800);
  EXPECT_EQ(Used("@g"), 4800);
  EXPECT_EQ(Used("*"), 4800);
  EXPECT_EQ(Used("ana"), 0);
  EXPECT_EQ(AttemptOf(request).record().counted, std::vector<uint64_t>{1});
  std::vector<schemas::Write<schemas::MetaRecord>> writes;
  f_.use.TakeWrites(writes);
  EXPECT_EQ(writes.size(), 3u);
  // After a restart the mark is on record with the attempt: nothing counts again.
  UseBook again;
  for (auto& write : writes) again.Restore(std::get<schemas::UseRecord>(*write.value));
  EXPECT_EQ(again.all().size(), f_.use.all().size());
}

TEST_F(Fairshare, APartThatSpansWindowsIsSplitBetweenThem) {
  // kBegin is 22:13:20: the first window ends 2,800 s on.
  Request& request = Has("kim", 2, Instant{kBegin});
  f_.requests.Edit(request).spec.duration = Span{3600};
  Pass(Span{4000});
  Says(request, Instant{kBegin}, 3600);
  Count(request);
  const std::vector<Instant> begins =
      policy::WindowsAt(*f_.options.fairshare, Zone(), t_.plan.Floor());
  EXPECT_EQ(f_.use.Of("kim", begins), (std::vector<int64_t>{1'600'000, 5'600'000, 0}));
  EXPECT_EQ(Used("kim"), 7200) << "to the last second";
}

TEST_F(Fairshare, WhatIsChargedWeighsAllThatHasARate) {
  f_.options.fairshare->metric = policy::Metric::kCharged;
  f_.options.bank = policy::BankRules{
      .rates = {{"ncpus", policy::kCredit, 1}, {"ngpus", 8 * policy::kCredit, 1}}};
  Request& request = Has("kim", 8, Instant{kBegin});
  f_.requests.Edit(request).spec.parts[0].chunks[0].resources.Set("ngpus", 1);
  Pass(Span{700});
  Says(request, Instant{kBegin}, 600);
  Count(request);
  EXPECT_EQ(Used("kim"), 24 * 10'000 * 600) << "8 processors and two of 8 credits";
}

TEST_F(Fairshare, WhatRunsCountsUpToNowAndWhatIsPromisedByItsBooking) {
  const Request& runs = Has("kim", 4, Instant{kBegin});
  Says(runs, Instant{kBegin}, std::nullopt);
  Pass(Span{100});
  EXPECT_EQ(Part("@g").used, 1'000'000);
  const Request& other = Has("ana", 12, Instant{kBegin});
  Says(other, Instant{kBegin}, std::nullopt);
  EXPECT_EQ(Part("@g").used, 250'000) << "400 of 1,600";
  EXPECT_EQ(Part("ana").used, 750'000);
  EXPECT_EQ(Part("ana").booked, 750'000) << "what both may still use";
  EXPECT_EQ(Part("ana").counts, 750'000) << "so nothing jumps when a job starts";
  Has("kim", 4, Instant{kBegin + 1000});
  EXPECT_EQ(Part("@g").booked, 423'076) << "2,000 and 2,400 of 10,400";
  EXPECT_EQ(Part("@g").counts, 400'000) << "4,800 of 12,000";
  Has("ana", 16, Instant{kBegin + 100 + 3600});
  EXPECT_EQ(Part("@g").booked, 423'076) << "what starts beyond a window's length is not counted";
  EXPECT_EQ(Used("*"), 0) << "nothing of this is on record";
}

TEST_F(Fairshare, ProcessorTimeIsAnotherMetricAndResizedPartsCountWhatTheyHave) {
  f_.options.fairshare->metric = policy::Metric::kUsed;
  const Request& request = Has("kim", 8, Instant{kBegin});
  Pass(Span{700});
  Says(request, Instant{kBegin}, 600);
  Count(request);
  EXPECT_EQ(Used("kim"), 300);
  f_.options.fairshare->metric = policy::Metric::kDedicated;
  const Request& small = Has("ana", 8, Instant{kBegin});
  Says(small, Instant{kBegin}, 600, {1});
  Count(small);
  EXPECT_EQ(Used("ana"), 2400) << "one of two chunks";
}

TEST_F(Fairshare, ASiteCannotReportMoreThanThePartHad) {
  f_.options.fairshare->metric = policy::Metric::kUsed;
  const Request& request = Has("kim", 2, Instant{kBegin});
  Pass(Span{700});
  Says(request, Instant{kBegin}, 600);
  schemas::MirrorRecord hold = f_.sites.at("lakes").mirror.holds().begin()->second;
  hold.parts[0].usage = {.elapsed = Seconds(90'000), .cpu = Seconds(1'000'000)};
  f_.sites.at("lakes").mirror.Restore(hold);
  Count(request);
  EXPECT_EQ(Used("kim"), 2400) << "booked for 600 s, and gone 600 s later at the latest";
}

// A site that is down when a part starts reports the start when it is back, and what it measured.
TEST_F(Fairshare, AStartThatIsToldLateCutsNoUse) {
  const Request& request = Has("kim", 2, Instant{kBegin});
  Pass(Span{700});
  Says(request, Instant{kBegin}, 600);
  schemas::MirrorRecord hold = f_.sites.at("lakes").mirror.holds().begin()->second;
  hold.parts[0].started_at = ToMoment(Instant{kBegin + 590});
  f_.sites.at("lakes").mirror.Restore(hold);
  Count(request);
  EXPECT_EQ(Used("kim"), 1200);
}

TEST_F(Fairshare, WhatASiteSaysCannotMakeMoreWindowsThanCount) {
  const Request& request = Has("kim", 2, Instant{kBegin});
  Pass(Span{700});
  Says(request, Instant{kBegin - 1'000'000'000'000}, std::nullopt);
  EXPECT_EQ(Part("@g").used, 1'000'000);
  schemas::MirrorRecord hold = f_.sites.at("lakes").mirror.holds().begin()->second;
  hold.parts[0].ended_at = Moment{INT64_MAX};
  hold.parts[0].usage = {.elapsed = BootSpan{INT64_MAX}, .cpu = BootSpan{INT64_MAX}};
  hold.parts[0].usage_final = true;
  hold.parts[0].booking.counts = {UINT64_MAX};
  f_.sites.at("lakes").mirror.Restore(hold);
  Count(request);
  EXPECT_LE(f_.use.all().size(), 4u * 3) << "three windows and what lies before, for each of three";
}

TEST_F(Fairshare, AReservationCountsAndWhatRunsInsideDoesNot) {
  Request& request = Has("kim", 2, Instant{kBegin});
  Pass(Span{700});
  f_.requests.Edit(request).spec.inside = RequestId{7};
  Says(request, Instant{kBegin}, 600);
  Count(request);
  EXPECT_EQ(Used("*"), 0);
  EXPECT_EQ(AttemptOf(request).record().counted.size(), 1u) << "it is settled all the same";
}

TEST_F(Fairshare, UsageThatComesBeforeTheEndWaitsForIt) {
  const Request& request = Has("kim", 2, Instant{kBegin});
  Pass(Span{700});
  Says(request, Instant{kBegin}, 600);
  schemas::MirrorRecord hold = f_.sites.at("lakes").mirror.holds().begin()->second;
  hold.parts[0].ended_at.reset();
  f_.sites.at("lakes").mirror.Restore(hold);
  Count(request);
  EXPECT_EQ(Used("kim"), 0);
  Says(request, Instant{kBegin}, 600);
  Count(request);
  EXPECT_EQ(Used("kim"), 1200);
}

TEST_F(Fairshare, AnOwnShareGoesBeforeThoseOfGroupsAndOfTheseTheLeastCounts) {
  SharesNow shares;
  shares["@g"].value = 300;
  shares["@h"].value = -200;
  shares["ana"].value = 900;
  std::string who;
  EXPECT_EQ(ShareOf(shares, {.user = "kim", .groups = {"g", "h"}}, &who)->value, -200);
  EXPECT_EQ(who, "@h");
  EXPECT_EQ(ShareOf(shares, {.user = "ana", .groups = {"g", "h"}}, &who)->value, 900);
  EXPECT_EQ(ShareOf(shares, {.user = "bo"}, &who), nullptr);
}

TEST_F(Fairshare, GivesPointsAndWhoIsUnderAFloorGoesFirst) {
  f_.options.priority = policy::PointsRules{};
  f_.options.priority->weights[static_cast<size_t>(policy::Factor::kFsGlobal)] = 1000;
  const Request& other = Has("ana", 4, Instant{kBegin});
  Says(other, Instant{kBegin}, std::nullopt);
  Request& waits = Submitted(Spec({{"lakes"}}));
  Pass(Span{100});
  RankAnew(f_, t_);
  EXPECT_EQ(waits.points(), 1000) << "its group has had nothing";
  f_.options.fairshare->shares[0] = {.who = "@g", .floor = 100};
  f_.ranking.NoteChanged();
  RankAnew(f_, t_);
  EXPECT_EQ(waits.points(), policy::kFloorFirst + 1000);
}

TEST_F(Fairshare, OldWindowsAreForgottenAtARollOverAndNotBefore) {
  const Request& request = Has("kim", 2, Instant{kBegin});
  Pass(Span{700});
  Says(request, Instant{kBegin}, 600);
  Count(request);
  ForgetOldUse(f_, t_.plan);
  EXPECT_EQ(Used("kim"), 1200);
  Pass(Span{2 * 3600});
  ForgetOldUse(f_, t_.plan);
  EXPECT_EQ(Used("kim"), 1200) << "the oldest of three windows";
  Pass(Span{3600});
  ForgetOldUse(f_, t_.plan);
  EXPECT_TRUE(f_.use.all().empty());
}

TEST_F(Fairshare, WithoutItNothingIsWritten) {
  f_.options.fairshare.reset();
  const Request& request = Has("kim", 2, Instant{kBegin});
  Says(request, Instant{kBegin}, 600);
  Count(request);
  EXPECT_TRUE(f_.use.all().empty());
  EXPECT_TRUE(AttemptOf(request).record().counted.empty());
  EXPECT_TRUE(SharesAt(f_, t_.plan).empty());
}

// A ceiling with enforce = "admission": ana has all there is, and 30 % is hers.
class DatedWork : public Fairshare {
 protected:
  DatedWork() {
    f_.options.fairshare->shares = {{.who = "ana", .ceiling = 300, .admission = true}};
    Says(Has("ana", 8, Instant{kBegin}), Instant{kBegin}, std::nullopt);
    Pass(Span{60});
    JudgeCeilings(f_, t_.plan);
  }
  Instant SecondWindow() const {
    const policy::FairshareRules& rules = *f_.options.fairshare;
    return policy::WindowOf(rules, {}, t_.plan.Floor()) + rules.window;
  }
  IntervalSet Starts(const std::string& user) {
    return StartsFrom(f_, t_, Spec({{"lakes"}}), user, false);
  }
};

TEST_F(DatedWork, StartsAtARollOverAndTheReasonSaysSo) {
  const auto barred = WhyNotAdmitted(f_, {.user = "ana"});
  ASSERT_TRUE(barred.has_value());
  EXPECT_EQ(barred->code, schemas::ReasonCode::kShare);
  EXPECT_EQ(barred->text, "the share of ana is used up");
  const Instant from = *barred->until;
  EXPECT_EQ(from, policy::WindowOf(*f_.options.fairshare, {}, from)) << "a begin of a window";
  EXPECT_GE(from, SecondWindow());
  EXPECT_EQ(Starts("ana").intervals().front().begin, from);
  EXPECT_EQ(Starts("kim").intervals().front().begin, t_.plan.Ceiling()) << "nothing bars kim";
}

TEST_F(DatedWork, APromiseIsKeptAndMovesEarlierWait) {
  const Instant until = *WhyNotAdmitted(f_, {.user = "ana"})->until;
  const Instant soon = t_.plan.Ceiling() + Span{10};
  EXPECT_EQ(StartsFrom(f_, t_, Has("ana", 2, soon), false).intervals().front().begin, soon);
  Request& behind = Has("ana", 2, until + Span{100});
  EXPECT_EQ(StartsFrom(f_, t_, behind, false).intervals().front().begin, until);
  EXPECT_FALSE(WhyNotAdmitted(f_, t_, behind).has_value()) << "it has its promise";
  Request& fresh = Submitted(Spec({{"lakes"}}));
  f_.requests.Edit(fresh).requester.user = "ana";
  EXPECT_EQ(StartsFrom(f_, t_, fresh, false).intervals().front().begin, until);
  EXPECT_TRUE(WhyNotAdmitted(f_, t_, fresh).has_value());
}

TEST_F(DatedWork, WhatLostItsPromiseGetsItBack) {
  Request& request = Submitted(Spec({{"lakes"}}));
  schemas::RequestRecord& record = f_.requests.Edit(request);
  record.requester.user = "ana";
  schemas::Figures told;
  told.starts_by = schemas::StartsBy{.at = t_.plan.Ceiling() + Span{100}, .firm = true};
  record.history = {{.at = t_.plan, .figures = told},
                    {.at = t_.plan, .cause = schemas::Cause{schemas::CauseCode::kNodeLost}}};
  EXPECT_LE(StartsFrom(f_, t_, request, false).intervals().front().begin, t_.plan.Ceiling());
  // One that a site moved to a later start than it was told may come back, too.
  Request& moved = Has("ana", 2, t_.plan.Ceiling() + Span{5000});
  f_.requests.Edit(moved).history = {{.at = t_.plan, .figures = told}};
  EXPECT_LE(StartsFrom(f_, t_, moved, false).intervals().front().begin, t_.plan.Ceiling());
}

TEST_F(DatedWork, IsJudgedAnewOnceOthersHaveUseToo) {
  Says(Has("kim", 80, t_.plan.Floor()), t_.plan.Floor(), std::nullopt);
  JudgeCeilings(f_, t_.plan);
  EXPECT_TRUE(WhyNotAdmitted(f_, {.user = "ana"}).has_value()) << "once a second";
  Pass(Span{1});
  EXPECT_TRUE(JudgeCeilings(f_, t_.plan)) << "somebody may start earlier than before";
  EXPECT_FALSE(WhyNotAdmitted(f_, {.user = "ana"}).has_value());
}

}  // namespace
}  // namespace muster::meta
