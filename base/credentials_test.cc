// Names of credentials: what each kind names, and what it does not.
#include "base/credentials.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(Credentials, EachKindOfNameNamesItsOwn) {
  const Credentials kim{.user = "kim",
                        .groups = {"staff", "chem"},
                        .account = "chem",
                        .qos = "urgent",
                        .queue = "debug"};
  for (const char* name :
       {"kim", "@staff", "@chem", "account chem", "qos urgent", "queue debug", "*", "account *"}) {
    EXPECT_TRUE(Covers(name, kim)) << name;
  }
  for (const char* name : {"staff", "@kim", "account kim", "account", "account ", "qos chem",
                           "queue urgent", "chem", "@", "", "account  chem", "@*"}) {
    EXPECT_FALSE(Covers(name, kim)) << name;
  }
  EXPECT_TRUE(CoversOneOf({"ann", "qos urgent"}, kim));
  EXPECT_FALSE(CoversOneOf({}, kim));
}

TEST(Credentials, WhoHasNoAccountIsNotOneOfThoseWithOne) {
  EXPECT_FALSE(Covers("account *", {.user = "kim"}));
  EXPECT_FALSE(Covers("account ", {.user = "kim"}));
  EXPECT_TRUE(Covers("*", {.user = "kim"}));
}

}  // namespace
}  // namespace muster
