// What ceilings leave of entries, and what verdicts on them say.
#include "site/holds/dating.h"

#include <gtest/gtest.h>

namespace muster::site::dating_test {
namespace {

using schemas::ReasonCode;
using schemas::VerdictEntry;
using schemas::VerdictKind;

schemas::ProposalEntry Entry(int64_t from, int64_t until) {
  schemas::ProposalEntry entry;
  entry.allowed = IntervalSet({{Instant{from}, Instant{until}}});
  return entry;
}
std::optional<schemas::Reason> Until(int64_t at) {
  return schemas::Reason{.code = ReasonCode::kShare, .until = Instant{at}};
}
VerdictEntry Countered(int64_t start) {
  VerdictEntry verdict{.kind = VerdictKind::kCountered, .start = Instant{start}};
  verdict.starts = IntervalSet::From(Instant{start});
  verdict.reason = schemas::Reason{.code = ReasonCode::kPolicy};
  return verdict;
}

TEST(Dating, LeavesTheStartsFromTheDateOn) {
  const Dating dated({Entry(10, 100), Entry(10, 100)}, {Until(40), std::nullopt});
  EXPECT_EQ(dated.entries()[0].allowed, Entry(40, 100).allowed);
  EXPECT_EQ(dated.entries()[1].allowed, Entry(10, 100).allowed);
}

TEST(Dating, TheReasonIsTheShareWhereTheEntryStartsAsSoonAsItMay) {
  const Dating dated({Entry(10, 100), Entry(10, 100), Entry(50, 100)},
                     {Until(40), Until(40), Until(40)});
  const auto verdicts = dated.Tell({Countered(40), Countered(60), Countered(50)});
  EXPECT_EQ(verdicts[0].reason->code, ReasonCode::kShare);
  EXPECT_EQ(verdicts[1].reason->code, ReasonCode::kPolicy);  // something else keeps it longer
  EXPECT_EQ(verdicts[2].reason->code, ReasonCode::kPolicy);  // asked for after the date
}

TEST(Dating, AnEntryThatIsLeftNoStartSaysSoUnlessItNeverFits) {
  const Dating dated({Entry(10, 30), Entry(10, 30)}, {Until(40), Until(40)});
  const auto verdicts =
      dated.Tell({{.kind = VerdictKind::kBlocked}, {.kind = VerdictKind::kNever}});
  EXPECT_EQ(verdicts[0].reason, Until(40));
  EXPECT_FALSE(verdicts[1].reason.has_value());
}

}  // namespace
}  // namespace muster::site::dating_test
