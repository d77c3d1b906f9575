// Users and groups that do not always count (OpenCCS Sect. 3, Validity): when they submit, when
// what is theirs starts.
#include "meta/core_fixture.h"

namespace muster::meta {
namespace {

// kBegin is 2023-11-14T22:13:20Z.
Validity Until(int day) {
  return {.kind = Validity::Kind::kBetween, .end = {.civil = {2023, 11, day, 0, 0, 0}}};
}
constexpr int64_t kMidnight = kBegin + 6400;  // of the 15th

class Members : public MetaCore {
 protected:
  Members() {
    options_.validities.users["kim"] = {Until(14), "until 2023-11-14"};
    Start();
  }
};

TEST_F(Members, NothingOfAUserStartsAfterTheirLastDay) {
  DialAll();
  const RequestId id = Submit(Spec({{"lakes"}}));
  EXPECT_EQ(Of("lakes").orders.at(FenceOf(id)).allowed,
            IntervalSet({{Instant{kBegin}, Instant{kMidnight}}}))
      << "what its site may move it to as well";
  schemas::RequestSpec later = Spec({{"lakes"}});
  later.from = Instant{kMidnight};
  const RequestId never = Submit(later);
  EXPECT_EQ(Record(never).state, RequestState::kWaiting);
  ASSERT_TRUE(Record(never).reason.has_value());
  EXPECT_EQ(Record(never).reason->text, "kim is valid until 2023-11-14");
  const schemas::Refused asked = RefusedBy(Client("kim", schemas::Ask{.request = later}));
  EXPECT_EQ(asked.message, "nothing of kim may start in its window");
}

TEST_F(Members, AfterTheirTimeTheySubmitNothingAndWhatIsPromisedStays) {
  DialAll();
  const RequestId id = Submit(Spec({{"lakes"}}));
  options_.validities.users["kim"] = {Until(13), "until 2023-11-13"};
  Turn({Reconfigured{.options = options_}});
  Settle();
  const schemas::Refused refused = RefusedBy(
      Client("kim", schemas::Submit{.key = {.text = "late"}, .request = Spec({{"lakes"}})}));
  EXPECT_EQ(refused.code, "denied");
  EXPECT_EQ(refused.message, "kim may submit nothing at this time");
  EXPECT_EQ(refused.detail, "kim is valid until 2023-11-13");
  EXPECT_EQ(Record(id).state, RequestState::kPromised);
}

TEST_F(Members, AFileThatIsReadAgainLetsThemGoOn) {
  DialAll();
  schemas::RequestSpec later = Spec({{"lakes"}});
  later.from = Instant{kMidnight};
  const RequestId id = Submit(later);
  ASSERT_EQ(Record(id).state, RequestState::kWaiting);
  options_.validities.users.clear();
  Turn({Reconfigured{.options = options_}});
  Settle();
  Advance(1'000);
  EXPECT_EQ(Record(id).state, RequestState::kPromised);
}

TEST_F(Members, AGroupThatDoesNotCountIsNoneOfTheirs) {
  options_.validities.users.clear();
  options_.validities.groups["course"] = {Until(13), "until 2023-11-13"};
  for (User& user : options_.users) user.groups = {"course", "staff"};
  Start();
  DialAll();
  const RequestId id = Submit(Spec({{"lakes"}}));
  EXPECT_EQ(Record(id).requester.groups, std::vector<std::string>{"staff"});
  options_.validities.groups["staff"] = {Until(13), "until 2023-11-13"};
  Turn({Reconfigured{.options = options_}});
  const schemas::Refused refused =
      RefusedBy(Client("kim", schemas::Submit{.key = {.text = "x"}, .request = Spec({{"lakes"}})}));
  EXPECT_EQ(refused.detail, "@course is valid until 2023-11-13; @staff is valid until 2023-11-13");
}

}  // namespace
}  // namespace muster::meta
