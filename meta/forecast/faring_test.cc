// How users at home fared beside being alone, each window, as `muster sites --home` is told.
// scheduling.md section 16.
#include "meta/forecast/faring.h"

#include "meta/core_fixture.h"

namespace muster::meta {
namespace {

class FaringCore : public MetaCore {
 protected:
  static constexpr int64_t kWindow = 600;
  // The first window ends so long after the begin of the test.
  static constexpr int64_t kLeft = kWindow - kBegin % kWindow;

  FaringCore() {
    options_.users = {{.name = "kim", .home = "hills"},
                      {.name = "ana", .home = "woods"},
                      {.name = "root", .is_operator = true}};
    options_.balance.window = Span{kWindow};
    Start();
    DialAll();
  }

  static schemas::RequestSpec Whole(const std::string& site = "hills") {
    schemas::RequestSpec spec = Spec({{site}}, 4);
    spec.parts[0].chunks[0].count = 4;
    return spec;
  }
  RequestId SubmitAs(const std::string& user, const schemas::RequestSpec& spec) {
    const schemas::ToClient answer =
        Client(user, schemas::Submit{{.text = "key-" + std::to_string(++keys_)}, spec});
    return std::get<schemas::Accepted>(answer.body).requests.at(0);
  }
  // Seconds after the begin of the test.
  void At(int64_t second) { Advance((kBegin + second) * 1000 - now_.wall.milliseconds); }
  // The job starts and ends then.
  void Runs(const std::string& site, RequestId id, int64_t from, int64_t until) {
    At(from);
    Run(Of(site), FenceOf(id));
    Settle();
    At(until);
    End(Of(site), FenceOf(id), 0);
    Settle();
  }
  // Beyond the end of the first window, and the slices that follow it.
  void NextWindow() {
    At(kLeft + Faring::kSettles.seconds);
    for (int turn = 0; turn < 8; ++turn) Advance(50);
  }
  std::optional<schemas::HomeFare> FareOf(const std::string& site) {
    const schemas::ToClient answer =
        Client("kim", schemas::Get{.kind = schemas::GetKind::kSites, .sites = {site}});
    return std::get<schemas::Rows>(answer.body).sites.at(0).home;
  }
};

TEST_F(FaringCore, WhoFoundABookingOfOthersIsToldWhatItHadBeenAlone) {
  // A guest has the whole site, and a job of the home comes behind it.
  const RequestId guest = SubmitAs("ana", Whole());
  Of("hills").not_before = Instant{kBegin + 150};
  const RequestId job = Submit(Whole());
  Runs("hills", guest, 5, 100);
  Runs("hills", job, 151, 200);
  EXPECT_FALSE(FareOf("hills")) << "the window has not ended";
  NextWindow();
  const auto fare = FareOf("hills");
  ASSERT_TRUE(fare);
  EXPECT_EQ(fare->until, Instant{kBegin + kLeft});
  EXPECT_EQ(fare->from, Instant{kBegin + kLeft - kWindow});
  EXPECT_EQ(fare->jobs, 1u);
  EXPECT_EQ(fare->left_out, 0u);
  EXPECT_NEAR(*fare->wait_mean_s, 151, 2);
  EXPECT_EQ(fare->wait_most_s, fare->wait_mean_s);
  EXPECT_LE(*fare->alone_wait_mean_s, 2);
  const auto of_guest = FareOf("woods");
  ASSERT_TRUE(of_guest);
  EXPECT_EQ(of_guest->jobs, 0u);
  EXPECT_EQ(of_guest->left_out, 1u) << "it asked for hills alone";
}

TEST_F(FaringCore, AJobThatRanElsewhereWaitsAloneForThoseBeforeItAtHome) {
  const RequestId first = Submit(Whole());
  schemas::RequestSpec anywhere = Whole();
  anywhere.parts[0].sites = {"hills", "lakes"};
  Of("hills").not_before = Instant{kBegin + 600};
  const RequestId second = Submit(anywhere);
  ASSERT_EQ(Job(second).parts.at(0).site, "lakes");
  Runs("lakes", second, 1, 3);
  Runs("hills", first, 4, 104);
  NextWindow();
  const auto fare = FareOf("hills");
  ASSERT_TRUE(fare);
  EXPECT_EQ(fare->jobs, 2u);
  // The first one ran for 100 s of its 600 and would have done so alone, from its submission on.
  EXPECT_NEAR(*fare->alone_wait_most_s, 100, 2);
  EXPECT_NEAR(*fare->wait_most_s, 4, 2);
}

TEST_F(FaringCore, WhatTheSiteAloneCouldNotHaveRunIsCountedApart) {
  const RequestId away = Submit(Whole("lakes"));
  const RequestId joint = Submit(Spec({{"hills"}, {"lakes"}}));
  Runs("lakes", away, 1, 50);
  for (const char* site : {"hills", "lakes"}) Ready(Of(site), FenceOf(joint));
  Settle();
  for (const char* site : {"hills", "lakes"}) Run(Of(site), FenceOf(joint));
  for (const char* site : {"hills", "lakes"}) End(Of(site), FenceOf(joint), 0);
  Settle();
  NextWindow();
  const auto fare = FareOf("hills");
  ASSERT_TRUE(fare);
  EXPECT_EQ(fare->jobs, 0u);
  EXPECT_EQ(fare->left_out, 2u);
  EXPECT_FALSE(fare->wait_mean_s);
  EXPECT_FALSE(fare->alone_wait_mean_s);
}

TEST_F(FaringCore, ARestartKeepsWhatWasSaidAndSaysItOnce) {
  const RequestId job = Submit(Whole());
  Runs("hills", job, 1, 50);
  NextWindow();
  const auto fare = FareOf("hills");
  ASSERT_TRUE(fare);
  Start();
  DialAll();
  Advance(100);
  EXPECT_EQ(FareOf("hills"), fare);
  // Nothing ended in the next window, and that is said.
  At(kLeft + kWindow + Faring::kSettles.seconds);
  for (int turn = 0; turn < 8; ++turn) Advance(50);
  EXPECT_EQ(FareOf("hills")->jobs, 0u);
  EXPECT_EQ(FareOf("hills")->from, Instant{kBegin + kLeft});
}

TEST_F(FaringCore, WithoutHomeFirstNothingIsSaid) {
  options_.home_first = false;
  Start();
  DialAll();
  const RequestId job = Submit(Whole());
  Runs("hills", job, 1, 50);
  NextWindow();
  EXPECT_FALSE(FareOf("hills"));
}

}  // namespace
}  // namespace muster::meta
