// Who may have something planned at a site whose driver maps users to accounts.
#include "site/planning/admission.h"

#include <gtest/gtest.h>

namespace muster::site {
namespace {

TEST(Admission, WhoHasNoAccountIsToldWhyBeforeAnythingIsPlanned) {
  Options options;
  EXPECT_FALSE(WhyNoAccount("kim", options));  // nobody is mapped: all run as the daemon
  options.facts.accounts = {{"kim", ""}, {"ana", "it is denied"}, {"*", "it is not named"}};
  EXPECT_FALSE(WhyNoAccount("kim", options));
  const auto ana = WhyNoAccount("ana", options);
  ASSERT_TRUE(ana);
  EXPECT_EQ(ana->code, schemas::ReasonCode::kPolicy);
  EXPECT_EQ(ana->text, "user 'ana' has no account here: it is denied");
  EXPECT_EQ(WhyNoAccount("zoe", options)->text, "user 'zoe' has no account here: it is not named");
  options.facts.accounts["*"] = "";
  EXPECT_FALSE(WhyNoAccount("zoe", options));

  schemas::ProposalEntry entry{.parts = {{.index = 1, .chunks = {{}}, .duration = Span{60}}}};
  entry.user = "kim";
  EXPECT_FALSE(FaultOf(entry, options));
  entry.user = "ana";
  EXPECT_EQ(FaultOf(entry, options)->code, schemas::ReasonCode::kPolicy);
}

}  // namespace
}  // namespace muster::site
