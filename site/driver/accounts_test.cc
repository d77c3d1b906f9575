// The mapping of users to accounts, as it is told before anything runs.
#include "site/driver/accounts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace muster::driver::accounts_test {
namespace {

using testing::HasSubstr;
using Mapping = std::map<std::string, std::string>;

TEST(Accounts, WithoutAMappingEverybodyHasTheDaemonsOwn) {
  EXPECT_TRUE(Accounts(Mapping{}).WhoHasNone().empty());
}

TEST(Accounts, WhoIsDeniedNotNamedOrMappedToNobodyHasNone) {
  const Mapping mapping{{"kim", ""}, {"ana", "deny"}, {"zoe", "no-such-account-here"}};
  const auto none = Accounts(mapping).WhoHasNone();
  EXPECT_EQ(none.at("kim"), "");
  EXPECT_THAT(none.at("ana"), HasSubstr("denies"));
  EXPECT_THAT(none.at("zoe"), HasSubstr("there is no such account"));
  EXPECT_THAT(none.at("*"), HasSubstr("does not name"));
  EXPECT_EQ(Accounts(Mapping{{"*", ""}}).WhoHasNone().at("*"), "");
}

}  // namespace
}  // namespace muster::driver::accounts_test
