// The rows that the audit log keeps, and how they are read and written. Needs no core.
#include "meta/service/audit_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::meta {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

schemas::AuditRow Row(uint64_t number, int64_t at) { return {.number = number, .at = Moment{at}}; }

class AuditLogTest : public testing::Test {
 protected:
  // Keys of the rows that this turn writes; a removed row's key has a minus.
  std::vector<std::string> Written() {
    std::vector<schemas::Write<schemas::MetaRecord>> writes;
    log_.TakeWrites(writes);
    std::vector<std::string> out;
    for (const auto& write : writes) out.push_back((write.value ? "" : "-") + write.key);
    return out;
  }
  AuditLog log_;
};

TEST_F(AuditLogTest, RowsAreReadInPagesAfterANumber) {
  for (uint64_t number = 1; number <= 4; ++number) log_.Add(Row(number, 10));
  EXPECT_THAT(log_.After(1, 2), ElementsAre(Row(2, 10), Row(3, 10)));
  EXPECT_THAT(log_.After(3, 2), ElementsAre(Row(4, 10)));
  EXPECT_THAT(log_.After(4, 2), IsEmpty());
}

TEST_F(AuditLogTest, WhatIsNewAndWhatIsForgottenIsWrittenOnce) {
  log_.Restore(Row(1, 10));
  log_.Restore(Row(2, 20));
  log_.Add(Row(3, 30));
  EXPECT_THAT(Written(), ElementsAre(AuditKey(3)));
  log_.ForgetBefore(Moment{20});
  EXPECT_THAT(Written(), ElementsAre("-" + AuditKey(1)));
  EXPECT_THAT(Written(), IsEmpty());
  EXPECT_THAT(log_.After(0, 9), ElementsAre(Row(2, 20), Row(3, 30)));
}

}  // namespace
}  // namespace muster::meta
