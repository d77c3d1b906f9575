// Who may have something planned at a site whose driver maps users to accounts, and with what lead
// a site takes part in co-allocations.
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
  EXPECT_FALSE(FaultOf(entry, options, Seconds(30)));
  entry.user = "ana";
  EXPECT_EQ(FaultOf(entry, options, Seconds(30))->code, schemas::ReasonCode::kPolicy);
}

TEST(Admission, ASiteThatNeedsPartsEarlyStartsNothingWithOthersOnAShorterLead) {
  Options options;
  options.name = "lakes";
  schemas::ProposalEntry entry{.parts = {{.index = 1, .chunks = {{}}, .duration = Span{60}}}};
  entry.parts[0].tail = Span{10};  // others start with it
  EXPECT_FALSE(FaultOf(entry, options, Seconds(0))) << "parts are handed over at their start";
  options.facts.start_ahead = Span{5};
  EXPECT_FALSE(FaultOf(entry, options, Seconds(6)));
  const auto fault = FaultOf(entry, options, Seconds(2));
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->code, schemas::ReasonCode::kPolicy);
  EXPECT_EQ(fault->text,
            "'lakes' needs the parts of a co-allocation 5s before they start; the federation has "
            "them ready 2s before ('lead' in [protocol], at least 6s)");
  entry.parts[0].tail = Span{0};
  EXPECT_FALSE(FaultOf(entry, options, Seconds(2))) << "alone it needs nobody's permit";
}

}  // namespace
}  // namespace muster::site
