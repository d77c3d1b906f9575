// How promises and forecasts came out is counted once, by cause, and survives a restart.
// protocol.md section 5, cli.md section 3 (calibration).
#include "meta/forecast/promise_record.h"

#include "meta/core_fixture.h"

namespace muster::meta {
namespace {

class OutcomeCore : public MetaCore {
 protected:
  OutcomeCore() {
    Start();
    DialAll();
  }
  schemas::CalibrationRow Row(const std::string& site) {
    const schemas::ToClient answer =
        Client("kim", schemas::Get{.kind = schemas::GetKind::kCalibration});
    const auto* rows = std::get_if<schemas::Rows>(&answer.body);
    if (!rows || !rows->calibration) return {};
    for (const schemas::CalibrationRow& row : rows->calibration->rows) {
      if (row.site == site) return row;
    }
    return {};
  }
};

TEST_F(OutcomeCore, APromiseCountsAsKeptOnceItsRequestHasEnded) {
  const RequestId id = Submit(Spec({{"hills"}}, 1));
  Run(Of("hills"), FenceOf(id));
  EXPECT_EQ(Row("").promises, 0u) << "it runs";
  End(Of("hills"), FenceOf(id), 0);
  for (const char* site : {"", "hills"}) {
    EXPECT_EQ(Row(site).promises, 1u);
    EXPECT_EQ(Row(site).kept, 1u);
    EXPECT_EQ(Row(site).kept_ratio, 1.0);
    EXPECT_TRUE(Row(site).late.empty());
  }
  EXPECT_EQ(Row("lakes").promises, 0u);
}

TEST_F(OutcomeCore, WhatItsUserTookBackBeforeTheStartDoesNotCount) {
  Of("hills").not_before = Instant{kBegin + 8001};
  const RequestId id = Submit(Spec({{"hills"}}, 1));
  Client("kim", schemas::Cancel{{id}});
  Settle();
  EXPECT_EQ(Record(id).outcome, schemas::Outcome::kCancelled);
  EXPECT_EQ(Row("").promises, 0u);
}

TEST_F(OutcomeCore, WhatCannotStartAsWhatItComesAfterEndedOtherwiseDoesNotCount) {
  const RequestId first = Submit(Spec({{"hills"}}, 1));
  auto spec = Spec({{"hills"}}, 1);
  spec.after = {{.request = first}};
  const RequestId second = Submit(spec);
  ASSERT_EQ(Record(second).state, schemas::RequestState::kPromised);
  Run(Of("hills"), FenceOf(first));
  End(Of("hills"), FenceOf(first), 3);
  Settle();
  EXPECT_EQ(Record(second).outcome, schemas::Outcome::kRefused);
  EXPECT_EQ(Row("").promises, 1u) << "the first one's";
}

TEST_F(OutcomeCore, OneThatCameLaterCountsUnderTheCauseThatMovedIt) {
  const RequestId id = Submit(Spec({{"hills"}}, 1));
  Of("hills").not_before = Instant{kBegin + 500};
  Become(Of("hills"), FenceOf(id), HoldState::kClosed, schemas::ClosedAs::kDropped,
         {schemas::CauseCode::kNodeLost, {.site = "hills"}, "site:hills"});
  Advance(20'000);
  Run(Of("hills"), FenceOf(id));
  Advance(600'000);
  End(Of("hills"), FenceOf(id), 0);
  const schemas::CalibrationRow row = Row("hills");
  EXPECT_EQ(row.promises, 1u);
  EXPECT_EQ(row.kept, 0u);
  ASSERT_EQ(row.late.size(), 1u);
  EXPECT_EQ(row.late[0].code, schemas::CauseCode::kNodeLost);
}

TEST_F(OutcomeCore, WhatIsOnRecordSurvivesARestart) {
  const RequestId id = Submit(Spec({{"hills"}}, 1));
  Run(Of("hills"), FenceOf(id));
  End(Of("hills"), FenceOf(id), 1);
  Start();
  DialAll();
  EXPECT_EQ(Row("").promises, 1u);
  EXPECT_EQ(Row("hills").kept, 1u);
}

TEST(Outcomes, SharesAreOverAllDaysAndTheWidthIsTheMedian) {
  Outcomes outcomes;
  schemas::OutcomeRecord record{.day = 1,
                                .sites = {{.site = "",
                                           .promises = 3,
                                           .kept = 2,
                                           .late = {{schemas::CauseCode::kNodeLost, 1}},
                                           .intervals = 2,
                                           .held = 1,
                                           .widths = {{0, 1}, {8, 1}},
                                           .starts = 4,
                                           .near = 1,
                                           .within = 3}}};
  outcomes.Restore(record);
  record.day = 2;
  record.sites[0].widths = {{4, 2}};
  outcomes.Restore(record);
  const schemas::CalibrationView view = CalibrationOf(outcomes, Instant{40 * 86400}, 0.9);
  ASSERT_EQ(view.rows.size(), 1u);
  const schemas::CalibrationRow& all = view.rows[0];
  EXPECT_EQ(all.promises, 6u);
  ASSERT_EQ(all.late.size(), 1u);
  EXPECT_EQ(all.late[0].count, 2u);
  EXPECT_EQ(all.coverage_ratio, 0.5);
  EXPECT_EQ(all.width_over_wait_ratio, 2.0) << "of widths 1, 2, 2 and 4";
  EXPECT_EQ(all.within_60_s_ratio, 0.25);
  EXPECT_EQ(all.within_600_s_ratio, 0.75);
  EXPECT_EQ(view.from, (Instant{10 * 86400}));
}

TEST(Outcomes, ASiteOnRecordIsCountedOnWhenTheDayTakesNoFurtherSites) {
  const Instant now{40 * 86400};
  Outcomes outcomes;
  for (size_t i = 0; i <= schemas::kRecordSites; ++i) {
    outcomes.CountPromise({.now = now, .sites = {"s" + std::to_string(i)}}, std::nullopt);
  }
  outcomes.CountPromise({.now = now, .sites = {"s0"}}, std::nullopt);
  uint64_t total = 0;
  uint64_t first = 0;
  const schemas::CalibrationView view = CalibrationOf(outcomes, now, 0.9);
  for (const schemas::CalibrationRow& row : view.rows) {
    if (row.site.empty()) total = row.promises;
    if (row.site == "s0") first = row.promises;
  }
  EXPECT_EQ(view.rows.size(), schemas::kRecordSites + 1);
  EXPECT_EQ(total, schemas::kRecordSites + 2);
  EXPECT_EQ(first, 2u);
}

const schemas::CalibrationRow& TotalOf(const schemas::CalibrationView& view) {
  return view.rows.back();
}

TEST(Outcomes, ErrorsAreByWhatWasSaidAndByHowLongBeforeTheStart) {
  const Instant now{40 * 86400};
  Outcomes outcomes;
  const Outcomes::Of of{.now = now, .sites = {"hills"}};
  outcomes.CountStart(of, {.expected = Span{1200},
                           .waited = Span{1500},
                           .ahead = {{3600, true, Span{-120}}, {600, true, Span{10}}}});
  outcomes.CountStart(
      of, {.expected = Span{1800}, .waited = Span{1700}, .ahead = {{600, false, Span{30}}}});
  outcomes.CountStart(of, {.expected = Span{7200}, .waited = Span{3600}, .ahead = {}});
  outcomes.CountStart(of, {.expected = Span{30}, .waited = Span{0}, .ahead = {}});
  outcomes.CountStart(of, {.expected = Span{2 * 86'400}, .waited = Span{0}, .ahead = {}});
  const schemas::CalibrationView view = CalibrationOf(outcomes, now, 0.9);
  ASSERT_EQ(view.rows.size(), 2u);
  for (const schemas::CalibrationRow& row : view.rows) {
    ASSERT_EQ(row.said.size(), 2u) << "under ten minutes and over a day have no class";
    EXPECT_EQ(row.said[0], (schemas::SaidRow{600, 3600, 2, 200}));
    EXPECT_EQ(row.said[1], (schemas::SaidRow{3600, 21'600, 1, 3600}));
    ASSERT_EQ(row.ahead.size(), 2u);
    EXPECT_EQ(row.ahead[0], (schemas::AheadRow{3600, 1, 1, 120}));
    EXPECT_EQ(row.ahead[1], (schemas::AheadRow{600, 2, 0.5, 20}));
  }
}

TEST(Outcomes, RunTimesAreJudgedInBitsAndInWork) {
  const Instant now{40 * 86400};
  Outcomes outcomes;
  const Outcomes::Of of{.now = now, .sites = {}};
  outcomes.CountRun(of, {.bits = 3.5, .expected_work = 900, .done_work = 1000});
  outcomes.CountRun(of, {.bits = 4.5, .expected_work = 100, .done_work = 1000});
  const schemas::CalibrationView view = CalibrationOf(outcomes, now, 0.9);
  EXPECT_DOUBLE_EQ(*TotalOf(view).bits_at_submission, 4);
  EXPECT_DOUBLE_EQ(*TotalOf(view).work_ratio, 0.5);
}

TEST(Outcomes, TheTotalKnowsHowSureItsCoverageIs) {
  const Instant now{40 * 86400};
  Outcomes outcomes;
  for (const int64_t day : {38, 39}) {
    for (uint64_t voice = 0; voice < 50; ++voice) {
      outcomes.CountInterval({.now = Instant{day * 86400}, .sites = {"hills"}}, voice % 10 != 0,
                             Span{100}, Span{100}, voice);
    }
  }
  const schemas::CalibrationView view = CalibrationOf(outcomes, now, 0.9);
  EXPECT_EQ(TotalOf(view).user_days, 50u) << "one that is judged on two days is one";
  EXPECT_LT(*TotalOf(view).coverage_low_ratio, 0.9);
  EXPECT_GT(*TotalOf(view).coverage_high_ratio, 0.9);
  EXPECT_FALSE(view.rows[0].coverage_low_ratio);
}

TEST(Outcomes, MoreUsersThanARecordHoldsStillCountInItsSums) {
  const Instant now{40 * 86400};
  Outcomes outcomes;
  for (uint64_t voice = 0; voice < schemas::kRecordVoices + 5; ++voice) {
    outcomes.CountInterval({.now = now, .sites = {}}, true, Span{100}, Span{100}, voice);
  }
  outcomes.CountInterval({.now = now, .sites = {}}, false, Span{100}, Span{100}, 0);
  EXPECT_EQ(TotalOf(CalibrationOf(outcomes, now, 0.9)).user_days, schemas::kRecordVoices);
  EXPECT_EQ(outcomes.all().begin()->second.sites[0].voices[0].intervals, 2u) << "one it knows";
  EXPECT_EQ(outcomes.all().begin()->second.sites[0].intervals, schemas::kRecordVoices + 6);
}

TEST(Outcomes, AShareOfNothingIsAbsent) {
  const schemas::CalibrationView view = CalibrationOf({}, Instant{40 * 86400}, 0.9);
  ASSERT_EQ(view.rows.size(), 1u);
  EXPECT_FALSE(view.rows[0].kept_ratio || view.rows[0].coverage_ratio ||
               view.rows[0].width_over_wait_ratio || view.rows[0].within_60_s_ratio);
}

}  // namespace
}  // namespace muster::meta
