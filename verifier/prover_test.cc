// Verdicts are matched to their question and checked: inside what was allowed, sorted, from the
// site that was asked.
#include "verifier/prover.h"

#include <gtest/gtest.h>

namespace muster::verifier {
namespace {

using schemas::VerdictEntry;
using schemas::VerdictKind;

schemas::ProposalEntry Entry() {
  schemas::ProposalEntry e;
  e.asked = Instant{100};
  e.allowed = IntervalSet({{Instant{100}, Instant{200}}});
  return e;
}

schemas::Verdict Answer(const schemas::Propose& p, std::vector<VerdictEntry> entries) {
  return {.proposal = p.proposal, .plan = PlanRevision{5}, .entries = std::move(entries)};
}

TEST(Prover, TakesAnAnswerOnceAndOnlyFromTheSiteAsked) {
  Prover prover;
  const schemas::Propose p = prover.Ask("lakes", 1, {}, {Entry()}, BootInstant{5000});
  const schemas::Verdict v = Answer(p, {{.kind = VerdictKind::kAccepted, .start = Instant{100}}});
  EXPECT_FALSE(prover.Take("woods", v)->has_value());
  EXPECT_TRUE(prover.Take("lakes", v)->has_value());
  EXPECT_FALSE(prover.Take("lakes", v)->has_value());
}

TEST(Prover, NonsenseIsAnErrorAndEndsTheQuestion) {
  const std::vector<VerdictEntry> nonsense = {
      {.kind = VerdictKind::kAccepted, .start = Instant{101}},
      {.kind = VerdictKind::kCountered, .start = Instant{300}},
      {.kind = VerdictKind::kCountered, .start = Instant{50}},
      {.kind = VerdictKind::kCountered,
       .start = Instant{150},
       .starts = IntervalSet({{Instant{160}, Instant{170}}})},
      {.kind = VerdictKind::kCountered,
       .start = Instant{150},
       .starts = IntervalSet({{Instant{150}, Instant{1000}}})},
  };
  for (const VerdictEntry& entry : nonsense) {
    Prover prover;
    const schemas::Propose p = prover.Ask("lakes", 1, {}, {Entry()}, BootInstant{5000});
    EXPECT_FALSE(prover.Take("lakes", Answer(p, {entry})).ok());
    EXPECT_EQ(prover.size(), 0u);
  }
  Prover prover;
  const schemas::Propose p = prover.Ask("lakes", 1, {}, {Entry()}, BootInstant{5000});
  EXPECT_FALSE(prover.Take("lakes", Answer(p, {})).ok());
}

TEST(Prover, OnlyAnOverlayThatWasToBeContinuedCanBeGone) {
  Prover prover;
  const schemas::Propose first =
      prover.AskTentatively("lakes", 1, {}, {Entry()}, BootInstant{5000}, std::nullopt);
  EXPECT_TRUE(first.tentative);
  schemas::Verdict gone{.proposal = first.proposal, .gone = true};
  EXPECT_FALSE(prover.Take("lakes", gone).ok());
  const schemas::Propose next =
      prover.AskTentatively("lakes", 1, {}, {Entry()}, BootInstant{5000}, first.proposal);
  EXPECT_EQ(next.continues, first.proposal);
  gone.proposal = next.proposal;
  const auto taken = prover.Take("lakes", gone);
  ASSERT_TRUE(taken.ok() && taken->has_value());
  EXPECT_EQ((*taken)->entries.size(), 1u);
}

TEST(Prover, OverdueAndSilentQuestionsComeBackUnanswered) {
  Prover prover;
  prover.Ask("lakes", 1, {}, {Entry()}, BootInstant{5000});
  prover.Ask("woods", 1, {}, {Entry()}, BootInstant{6000});
  EXPECT_TRUE(prover.TakeOverdue(BootInstant{4999}).empty());
  EXPECT_EQ(prover.TakeOverdue(BootInstant{5000})[0].site, "lakes");
  EXPECT_EQ(prover.TakeSite("woods").size(), 1u);
  EXPECT_EQ(prover.size(), 0u);
}

}  // namespace
}  // namespace muster::verifier
