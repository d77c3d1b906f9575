// Numbers of events, and how many are kept: no core.
#include "meta/service/event_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::meta {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

schemas::EventRow Event(std::string code) { return {.code = std::move(code)}; }

TEST(EventLogTest, NumbersRiseOverARestart) {
  EventLog before;
  before.Begin(Epoch{7});
  const uint64_t last = before.Add(Event("a")).number;
  EXPECT_EQ(before.last(), last);
  EventLog after;
  after.Begin(Epoch{8});
  EXPECT_GT(after.Add(Event("b")).number, last);
}

TEST(EventLogTest, EventsAfterANumberAreToldOldestFirst) {
  EventLog log;
  log.Begin(Epoch{1});
  const uint64_t first = log.Add(Event("a")).number;
  log.Add(Event("b"));
  log.Add(Event("c"));
  EXPECT_THAT(log.After(0, 9), SizeIs(3));
  const auto page = log.After(first, 1);
  ASSERT_THAT(page, SizeIs(1));
  EXPECT_EQ(page[0].code, "b");
  EXPECT_EQ(page[0].number, first + 1);
  EXPECT_THAT(log.After(log.last(), 9), IsEmpty());
}

TEST(EventLogTest, TheOldestBeyondTheLimitGo) {
  EventLog log;
  log.Begin(Epoch{1});
  const uint64_t first = log.Add(Event("a")).number;
  for (size_t i = 0; i < schemas::kEventsKept; ++i) log.Add(Event("b"));
  const auto kept = log.After(0, schemas::kEventsKept + 1);
  ASSERT_THAT(kept, SizeIs(schemas::kEventsKept));
  EXPECT_EQ(kept.front().number, first + 1);
}

}  // namespace
}  // namespace muster::meta
