// Users and groups that do not always count (OpenCCS Sect. 3, Validity): when they submit, when
// what is theirs starts.
#include "meta/requests/members.h"

#include "meta/requests/horizon.h"
#include "meta/requests/requests_fixture.h"

namespace muster::meta {
namespace {

Validity Until(int day) {
  return {.kind = Validity::Kind::kBetween, .end = {.civil = {2023, 11, day, 0, 0, 0}}};
}
constexpr Instant kMidnight{kBegin + 6400};  // of the 15th

class Members : public RequestsRoom {
 protected:
  Members() { LastDay(14); }
  void LastDay(int day) {
    f_.options.validities.users["kim"] = {Until(day), "until 2023-11-" + std::to_string(day)};
  }
  IntervalSet Starts(const schemas::RequestSpec& spec, const std::string& user = "kim") {
    return StartsAt(f_, t_, spec, user, false, {"lakes"});
  }
};

TEST_F(Members, NothingOfAUserStartsAfterTheirLastDay) {
  EXPECT_EQ(Starts(Spec({{"lakes"}})), IntervalSet({{Instant{kBegin}, kMidnight}}));
  schemas::RequestSpec later = Spec({{"lakes"}});
  later.from = kMidnight;
  EXPECT_TRUE(Starts(later).empty());
  EXPECT_FALSE(Starts(later, "ana").empty());
  later.from = kMidnight - Span{1};
  EXPECT_EQ(Starts(later), IntervalSet({{kMidnight - Span{1}, kMidnight}}));
}

TEST_F(Members, WhoMayStartNothingIsToldWhen) {
  const std::optional<schemas::Reason> why = WhyNotCounted(f_, "kim");
  ASSERT_TRUE(why.has_value());
  EXPECT_EQ(why->code, schemas::ReasonCode::kPolicy);
  EXPECT_EQ(why->text, "kim is valid until 2023-11-14");
  EXPECT_FALSE(WhyNotCounted(f_, "ana").has_value());
  schemas::RequestSpec later = Spec({{"lakes"}});
  later.from = kMidnight;
  const schemas::Refused asked = NoStarts(f_, t_, later, "kim");
  EXPECT_EQ(asked.code, "never");
  EXPECT_EQ(asked.message, "nothing of kim may start in its window");
  EXPECT_EQ(asked.detail, "kim is valid until 2023-11-14");
}

TEST_F(Members, AfterTheirTimeTheySubmitNothing) {
  EXPECT_FALSE(CheckCounts(f_, "kim", t_.plan).has_value());
  LastDay(13);
  const verifier::Fault refused = CheckCounts(f_, "kim", t_.plan);
  ASSERT_TRUE(refused.has_value());
  EXPECT_EQ(refused->code, "denied");
  EXPECT_EQ(refused->message, "kim may submit nothing at this time");
  EXPECT_EQ(refused->detail, "kim is valid until 2023-11-13");
  EXPECT_FALSE(CheckCounts(f_, "ana", t_.plan).has_value());
}

TEST_F(Members, AGroupThatDoesNotCountIsNoneOfTheirs) {
  f_.options.validities.users.clear();
  f_.options.validities.groups["course"] = {Until(13), "until 2023-11-13"};
  f_.users["kim"].groups = {"course", "staff"};
  EXPECT_EQ(GroupsNow(f_, "kim", t_.plan), std::vector<std::string>{"staff"});
  EXPECT_FALSE(CheckCounts(f_, "kim", t_.plan).has_value());
  f_.options.validities.groups["staff"] = {Until(13), "until 2023-11-13"};
  EXPECT_TRUE(GroupsNow(f_, "kim", t_.plan).empty());
  const verifier::Fault refused = CheckCounts(f_, "kim", t_.plan);
  ASSERT_TRUE(refused.has_value());
  EXPECT_EQ(refused->detail, "@course is valid until 2023-11-13; @staff is valid until 2023-11-13");
}

}  // namespace
}  // namespace muster::meta
