// `explain`: what is told of a job is what searches over all its sites proved. cli.md section 3.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meta/core_fixture.h"
#include "meta/service/ways_tried.h"
#include "schemas/limits.h"

namespace muster::meta {
namespace {

using schemas::CheaperWay;
using schemas::ExplainRows;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Instant kBusyUntil{kBegin + 7200};

class Explain : public MetaCore {
 protected:
  // From its first second on the site has room for what lasts no longer than this, for the rest
  // from kBusyUntil on; and it proposes that duration.
  void Busy(const std::string& name, Span room) {
    FakeSite& site = Of(name);
    if (room < kFree) busy_.insert(name);
    site.judges = [room](const schemas::ProposalEntry& entry) {
      schemas::VerdictEntry v{.kind = schemas::VerdictKind::kAccepted, .start = entry.asked};
      const bool fits = entry.parts[0].duration + entry.parts[0].tail <= room;
      if (!fits) v.start = std::max(entry.asked, kBusyUntil);
      if (v.start != entry.asked) v.kind = schemas::VerdictKind::kCountered;
      return WithStarts(v, entry);
    };
    site.explains = [&site, room](const schemas::Inspect& inspect) {
      const schemas::ProposalEntry& entry = *inspect.entry;
      schemas::ExplainView view{.verdict = site.judges(entry)};
      if (view.verdict.kind == schemas::VerdictKind::kAccepted) return view;
      view.blockers = {{.code = schemas::ReasonCode::kJob,
                        .subject = {.site = site.name_, .job = "7"},
                        .until = kBusyUntil}};
      CheaperWay way{.text = "shorter", .part = entry.parts[0].index, .demand = entry.parts[0]};
      way.demand.duration = room - entry.parts[0].tail;
      if (way.demand.duration > Span{0}) view.changes = {way};
      return view;
    };
  }
  // Holds are had where verdicts say.
  RequestId SubmitTo(const schemas::RequestSpec& spec) {
    for (const std::string& name : busy_) {
      // Of several parts the first hold is where the shadows would have them.
      if (spec.parts.size() > 1) Of(name).counter = IntervalSet::From(kBusyUntil);
      if (spec.parts.size() == 1) Of(name).not_before = kBusyUntil;
    }
    return Submit(spec);
  }
  static schemas::VerdictEntry WithStarts(schemas::VerdictEntry v,
                                          const schemas::ProposalEntry& entry) {
    const bool told = entry.want_starts || v.kind == schemas::VerdictKind::kCountered;
    if (told) v.starts = IntervalSet::From(v.start).Intersect(entry.allowed);
    return v;
  }
  ExplainRows Explained(RequestId id) {
    const schemas::Get get{.kind = schemas::GetKind::kExplain, .requests = {id}};
    const schemas::ToClient answer = Client("kim", get);
    const auto* rows = std::get_if<schemas::Rows>(&answer.body);
    EXPECT_TRUE(rows && rows->explain);
    return rows && rows->explain ? *rows->explain : ExplainRows{};
  }
  static std::vector<std::string> TextsOf(const ExplainRows& rows) {
    std::vector<std::string> out;
    for (const auto& change : rows.changes) out.push_back(change.text);
    return out;
  }
  static constexpr Span kFree{int64_t{1} << 30};
  std::set<std::string> busy_;
};

TEST_F(Explain, AShorterTimeMustFitAtAllMembersAndItsStartIsTheirCommonOne) {
  DialAll();
  Busy("hills", Span{1800});
  Busy("lakes", Span{900});
  Busy("woods", Span{0});
  schemas::RequestSpec spec = Spec({{"hills"}, {"lakes"}});
  spec.duration = Span{36000};
  const RequestId id = SubmitTo(spec);
  EXPECT_GE(Job(id).figures.starts_by->at, kBusyUntil);
  const ExplainRows rows = Explained(id);
  // At one site they start no earlier, but need no start barrier.
  ASSERT_THAT(TextsOf(rows), ElementsAre("at any site", "in 13m"));
  EXPECT_EQ(rows.changes[0].earlier_s, Span{89});
  // Of the room at lakes; behind each part is a tail of 90 s.
  EXPECT_THAT(rows.changes[1].argv, ElementsAre("alter", ToText(id), "-t", "13m"));
  EXPECT_LT(*rows.changes[1].starts_by, Instant{kBegin + 300});
  EXPECT_EQ(*rows.changes[1].starts_by + rows.changes[1].earlier_s, rows.starts_by->at);
  EXPECT_THAT(rows.no_help, IsEmpty());
  EXPECT_THAT(rows.more, IsEmpty());
}

TEST_F(Explain, WhatAlterIsToldIsWhatWasSaid) {
  DialAll();
  Busy("lakes", Span{0});
  Busy("woods", Span{0});
  Busy("hills", Span{1800});
  schemas::RequestSpec spec = Spec({{"hills"}});
  spec.duration = Span{36000};
  const RequestId id = SubmitTo(spec);
  const ExplainRows rows = Explained(id);
  ASSERT_THAT(TextsOf(rows), ElementsAre("in 30m"));
  EXPECT_THAT(rows.parts, ElementsAre(testing::Field(&schemas::ExplainPart::binds, true)));
  schemas::Act act{.verb = schemas::ActVerb::kAlter, .requests = {id}};
  act.changes = schemas::Alteration{.duration = Span{1800}};
  Of("hills").not_before = Instant{0};
  Acted("kim", act);
  EXPECT_EQ(Job(id).figures.starts_by->at, *rows.changes[0].starts_by);
}

TEST_F(Explain, ThatAShorterTimeDoesNotHelpIsSaidOnlyOfOneSecond) {
  DialAll();
  Busy("lakes", Span{0});
  Busy("woods", Span{0});
  Busy("hills", Span{0});
  schemas::RequestSpec spec = Spec({{"hills"}});
  spec.duration = Span{36000};
  const RequestId id = SubmitTo(spec);
  EXPECT_THAT(Explained(id).no_help, ElementsAre("A shorter duration does not help."));
  Busy("hills", Span{1});
  const ExplainRows rows = Explained(id);
  EXPECT_THAT(rows.no_help, IsEmpty());
  EXPECT_THAT(TextsOf(rows), ElementsAre("in 1s"));
}

TEST_F(Explain, OfOnePartEverySiteMayProposeAndOnlyTheLargestOfEachAnswerIsTried) {
  DialAll();
  Busy("hills", Span{600});
  Busy("lakes", Span{3600});
  Busy("woods", Span{1800});
  schemas::RequestSpec spec = Spec({{}});
  spec.duration = Span{36000};
  const RequestId id = SubmitTo(spec);
  EXPECT_THAT(TextsOf(Explained(id)), ElementsAre("in 1h"));
}

TEST_F(Explain, PartsThatMayShareASiteAndOtherSitesAreTried) {
  DialAll();
  Busy("lakes", Span{0});
  Busy("hills", kFree);
  Busy("woods", kFree);
  schemas::RequestSpec spec = Spec({{"hills", "lakes"}, {"hills", "lakes"}});
  spec.duration = Span{36000};
  spec.apart = true;
  const RequestId id = SubmitTo(spec);
  const ExplainRows rows = Explained(id);
  EXPECT_THAT(TextsOf(rows), ElementsAre("parts on fewer sites", "at any site"));
  EXPECT_THAT(rows.changes[0].argv, ElementsAre("alter", ToText(id), "--no-apart"));
  EXPECT_THAT(rows.changes[1].argv, ElementsAre("alter", ToText(id), "--site", "any"));
  EXPECT_LT(*rows.changes[0].starts_by, Instant{kBegin + 60});
}

TEST_F(Explain, WhatIsNotProvedIsNotToldOfButCounted) {
  DialAll();
  Busy("lakes", Span{0});
  Busy("woods", Span{0});
  Busy("hills", Span{1800});
  schemas::RequestSpec spec = Spec({{"hills"}});
  spec.duration = Span{36000};
  const RequestId id = SubmitTo(spec);
  Of("hills").judges = [](const schemas::ProposalEntry&) { return schemas::VerdictEntry{}; };
  Of("hills").explains = [](const schemas::Inspect& inspect) {
    schemas::ExplainView view;
    view.changes = {{.text = "shorter", .part = 1, .demand = inspect.entry->parts[0]}};
    view.changes[0].demand.duration = Span{600};
    return view;
  };
  const ExplainRows rows = Explained(id);
  EXPECT_THAT(rows.changes, IsEmpty());
  EXPECT_THAT(rows.no_help, IsEmpty());
  EXPECT_THAT(rows.more, ElementsAre(HasSubstr("of 2 changes no earliest start was proved")));
}

TEST_F(Explain, ASiteThatIsMuteCostsNobodyTheAnswer) {
  DialAll();
  Busy("hills", Span{1800});
  schemas::RequestSpec spec = Spec({{"hills"}});
  spec.duration = Span{36000};
  const RequestId id = SubmitTo(spec);
  Of("hills").cut = true;
  answers_.clear();
  schemas::ClientMessage m{.number = MessageNumber{++number_}};
  m.body = schemas::Get{.kind = schemas::GetKind::kExplain, .requests = {id}};
  Turn({ClientSays{"kim", "terminal", std::move(m)}});
  Advance(4500);
  ASSERT_THAT(answers_, SizeIs(1));
  const ExplainRows& rows = *std::get<schemas::Rows>(answers_[0].message.body).explain;
  EXPECT_TRUE(rows.starts_by.has_value());
  EXPECT_THAT(rows.changes, IsEmpty());
}

// Three of 8000 s run or wait one behind the other at hills; then the queue.
TEST_F(Explain, OneThatWaitsIsToldItsPlaceAndItsChangesAreAskedBehindTheOthers) {
  options_.threshold = Span{3600};
  Start();
  DialAll();
  Busy("lakes", kFree);
  Busy("woods", kFree);
  schemas::RequestSpec whole = Spec({{"hills"}}, 4);
  whole.parts[0].chunks[0].count = 4;
  whole.duration = Span{8000};
  Submit(whole);
  Of("hills").not_before = Instant{kBegin + 8001};
  Submit(whole);
  Advance(1000);
  const RequestId a = Submit(whole);
  const RequestId b = Submit(whole);
  const RequestId c = Submit(whole);
  // Starts in the order of the entries; what lasts a second fits before.
  int64_t asked = 0;
  Of("hills").judges = [&asked](const schemas::ProposalEntry& entry) {
    schemas::VerdictEntry v{.kind = schemas::VerdictKind::kCountered};
    v.start = Instant{kBegin + 16'100 + 9000 * asked};
    if (!entry.alternative) ++asked;
    if (entry.parts[0].duration == Span{1}) v.start = entry.asked;
    if (v.start <= entry.asked) v.start = entry.asked, v.kind = schemas::VerdictKind::kAccepted;
    return WithStarts(v, entry);
  };
  Of("hills").explains = [&](const schemas::Inspect& inspect) {
    return schemas::ExplainView{.verdict = Of("hills").judges(*inspect.entry)};
  };
  Job(c);
  for (int i = 0; i < 40; ++i) Advance(250);
  asked = 0;
  Of("hills").tentative.clear();
  const ExplainRows rows = Explained(c);
  ASSERT_TRUE(rows.queued.has_value());
  EXPECT_EQ(rows.queued->queue, "normal");
  EXPECT_EQ(rows.queued->place, 3u);
  EXPECT_EQ(rows.queued->waiting, 3u);
  EXPECT_THAT(rows.queued->packing, testing::EndsWith("*"));
  EXPECT_THAT(rows.queued->sites, ElementsAre("hills"));
  EXPECT_EQ(rows.queued->ahead, 2u);
  EXPECT_THAT(rows.queued->nearest, ElementsAre(ToText(b), ToText(a)));
  ASSERT_FALSE(Of("hills").tentative.empty());
  EXPECT_THAT(Of("hills").tentative[0].entries, SizeIs(3)) << "those before it, and the question";
  EXPECT_FALSE(Of("hills").tentative[0].continues.has_value());
  EXPECT_THAT(Of("hills").tentative[1].entries, SizeIs(1));
  EXPECT_EQ(Of("hills").tentative[1].continues, Of("hills").tentative[0].proposal);
  EXPECT_TRUE(rows.starts_by.has_value());
  EXPECT_FALSE(rows.starts_by->firm);
  EXPECT_THAT(rows.no_help, IsEmpty()) << "one second fits before";
  EXPECT_THAT(TextsOf(rows), ElementsAre("at any site"));
  EXPECT_THAT(rows.more, IsEmpty());
}

// A credit an hour for a processor; there are 7, and three hours of four cost 12.
TEST_F(Explain, WhoeverWaitsForCreditIsToldWhatCouldBePaid) {
  options_.bank = policy::BankRules{.rates = {{"ncpus", policy::kCredit, 1}}};
  options_.credentials.accounts = {{.name = "chem", .owners = {"*"}}};
  Start();
  DialAll();
  Acted("root", {.verb = schemas::ActVerb::kPost,
                 .posting = schemas::PostingOrder{.kind = schemas::EntryKind::kDeposit,
                                                  .account = "chem",
                                                  .amount = 7 * policy::kCredit,
                                                  .key = "grant"}});
  Busy("lakes", kFree);
  schemas::RequestSpec spec = Spec({{"lakes"}}, 4);
  spec.duration = Span{3 * 3600};
  spec.account = "chem";
  const RequestId id = SubmitTo(spec);
  const ExplainRows rows = Explained(id);
  ASSERT_TRUE(rows.reason.has_value());
  EXPECT_EQ(rows.reason->text, "account chem has 7 of 12 credits");
  EXPECT_THAT(rows.no_help, IsEmpty()) << "a shorter one does";
  EXPECT_THAT(TextsOf(rows), ElementsAre("in 1h30m")) << "2h15m would cost 9";
  EXPECT_THAT(rows.more, IsEmpty());
}

}  // namespace
}  // namespace muster::meta
