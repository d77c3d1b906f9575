// Accounts of a replay: who has which job, and how far from its share each was.
// docs/experiments.md.
#include "sim/replay/account_shares.h"

#include <gtest/gtest.h>

namespace muster::sim {
namespace {

std::string ErrorOf(const std::vector<std::string>& texts) {
  const auto accounts = ParseAccounts(texts);
  return accounts.ok() ? "" : std::string(Text(accounts.status()));
}

TEST(AccountShares, AreReadAndWhatMeansNothingIsAnError) {
  const auto accounts = ParseAccounts({"chem=40%", "bio=12.5%"});
  ASSERT_TRUE(accounts.ok());
  EXPECT_EQ(accounts->at(1).name, "bio");
  EXPECT_EQ(accounts->at(1).target, 125);
  EXPECT_EQ(ErrorOf({"chem"}), "account 'chem': as in chem=40%");
  EXPECT_EQ(ErrorOf({"=40%"}), "account '=40%': as in chem=40%");
  EXPECT_EQ(ErrorOf({"chem=0%"}), "account 'chem=0%': as in chem=40%");
  EXPECT_EQ(ErrorOf({"chem=4%", "chem=5%"}), "account 'chem' is there twice");
  EXPECT_EQ(ErrorOf({"chem=60%", "bio=41%"}), "the shares of the accounts are more than 100 %");
}

TEST(AccountShares, JobsAreDrawnInProportion) {
  std::vector<FederationJob> jobs(10'000);
  GiveAccounts(jobs, {{"a", 400}, {"b", 100}}, 1);
  const auto of_a = std::count_if(jobs.begin(), jobs.end(),
                                  [](const FederationJob& job) { return job.account == "a"; });
  EXPECT_NEAR(static_cast<double>(of_a), 8000, 200) << "four fifths";
}

// Two weeks in which a has all of the first and half of the second one.
TEST(AccountShares, AreMeasuredOverSevenDaysFromEachDayOn) {
  constexpr int64_t kDay = 86'400;
  const Instant t{1'000'000};
  std::vector<FederationJob> jobs;
  FederationResult result;
  const auto ran = [&](const std::string& account, int64_t from, int64_t to) {
    jobs.push_back({.submitted = t + Span{from * kDay}, .parts = {2}, .account = account});
    result.jobs.push_back({.start = t + Span{from * kDay}, .end = t + Span{to * kDay}});
  };
  ran("a", 0, 14);
  ran("b", 7, 14);
  jobs.back().submitted = t + Span{14 * kDay};
  const auto figures = MeasureAccounts({{"a", 500}, {"b", 500}}, jobs, result);
  EXPECT_EQ(figures[0].spans, 8u);
  EXPECT_DOUBLE_EQ(figures[0].off_most, 0.5) << "the first seven days";
  EXPECT_DOUBLE_EQ(figures[1].off_most, 0.5);
  EXPECT_DOUBLE_EQ(figures[0].share + figures[1].share, 1.0);
}

}  // namespace
}  // namespace muster::sim
