// The table of requests by itself: what is due, which states follow, what the indices say.
#include "meta/requests/request_table.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "meta/requests/request_state.h"
#include "schemas/limits.h"

namespace muster::meta {
namespace {

using schemas::RequestState;
using Writes = std::vector<schemas::Write<schemas::MetaRecord>>;

class RequestTableTest : public testing::Test {
 protected:
  Request& Submitted(uint64_t id, const std::string& user = "kim") {
    schemas::RequestRecord record;
    record.id = RequestId{id};
    record.requester.user = user;
    record.key.text = "key" + std::to_string(id);
    record.spec.duration = Span{60};
    return table_.Add(std::move(record));
  }
  Writes Taken() {
    Writes out;
    table_.TakeWrites(out);
    return out;
  }
  static const schemas::RequestRecord& RecordIn(const Writes& writes) {
    return std::get<schemas::RequestRecord>(*writes.at(0).value);
  }

  RequestTable table_;
};

TEST_F(RequestTableTest, WhatIsEditedIsWrittenOnceWithTheTurn) {
  Request& request = Submitted(7);
  table_.Edit(request).parked = true;
  table_.SetReason(request, {.text = "held"});
  const Writes writes = Taken();
  ASSERT_EQ(writes.size(), 1u);
  EXPECT_EQ(writes[0].key, "request/0000000000000007");
  EXPECT_EQ(RecordIn(writes), request.record());
  table_.SetReason(request, {.text = "held"});
  EXPECT_TRUE(table_.due().empty());
}

TEST_F(RequestTableTest, WhatTheStoreHasIsNotWrittenAgain) {
  schemas::RequestRecord record;
  record.id = RequestId{3};
  record.requester.user = "kim";
  table_.Restore(record);
  table_.RestoreScript(record.id, "sleep 1");
  EXPECT_TRUE(table_.due().empty());
  EXPECT_EQ(table_.Find(record.id)->record().spec.payload.script, "sleep 1");
}

TEST_F(RequestTableTest, WhatIsErasedIsRemovedWithItsScriptAndFoundNoMore) {
  Submitted(7);
  Taken();
  table_.Erase(RequestId{7});
  const Writes writes = Taken();
  ASSERT_EQ(writes.size(), 2u);
  EXPECT_FALSE(writes[0].value.has_value());
  EXPECT_EQ(writes[1].key, "script/0000000000000007");
  EXPECT_EQ(table_.FindKey("kim", "key7"), nullptr);
  EXPECT_TRUE(table_.Of("kim").empty());
}

TEST_F(RequestTableTest, ALongScriptIsStoredApartAndOnce) {
  schemas::RequestRecord record;
  record.id = RequestId{1};
  record.spec.payload.script.assign(schemas::kScriptInline + 1, '#');
  Request& request = table_.Add(std::move(record));
  Writes writes = Taken();
  ASSERT_EQ(writes.size(), 2u);
  EXPECT_TRUE(RecordIn(writes).spec.payload.script.empty());
  EXPECT_EQ(std::get<schemas::ScriptRecord>(*writes[1].value).script,
            request.record().spec.payload.script);
  table_.Edit(request).parked = true;
  EXPECT_EQ(Taken().size(), 1u);
}

TEST_F(RequestTableTest, TheStoreKeepsWhatItIsUntilWhatIsTriedIsTaken) {
  Request& request = Submitted(7);
  Taken();
  schemas::RequestSpec longer = request.record().spec;
  longer.duration = Span{600};
  table_.Try(request, longer, {});
  EXPECT_TRUE(table_.due().empty());
  EXPECT_EQ(request.record().spec.duration, Span{600});
  EXPECT_EQ(StoredForm(request).spec.duration, Span{60});
  table_.EndTry(request);
  EXPECT_TRUE(table_.due().empty());
  EXPECT_EQ(request.record().spec.duration, Span{60});
  table_.Try(request, longer, {});
  table_.TakeTried(request);
  EXPECT_EQ(RecordIn(Taken()).spec.duration, Span{600});
}

TEST_F(RequestTableTest, OneThatEndsIsOpenNoMore) {
  Request& request = Submitted(7);
  EXPECT_EQ(table_.OpenOf("kim").size(), 1u);
  table_.SetState(request, RequestState::kEnded);
  EXPECT_TRUE(table_.OpenOf("kim").empty());
  EXPECT_TRUE(table_.open().empty());
  EXPECT_EQ(table_.Of("kim").size(), 1u);
}

TEST_F(RequestTableTest, AStateThatTheTableOfStatesDoesNotAllowEndsTheDaemon) {
  Request& request = Submitted(7);
  ASSERT_FALSE(MayFollow(RequestState::kWaiting, RequestState::kRunning));
  EXPECT_DEATH(table_.SetState(request, RequestState::kRunning), "MayFollow");
  table_.SetState(request, RequestState::kEnded);
  EXPECT_DEATH(table_.SetState(request, RequestState::kWaiting), "MayFollow");
}

TEST_F(RequestTableTest, TimelinesAreCutToWhatIsKeptAndTheFirstStays) {
  Request& request = Submitted(7);
  auto& events = table_.Edit(request).events;
  for (size_t i = 0; i <= schemas::kHistoryKept; ++i) {
    events.push_back({.code = std::to_string(i)});
  }
  const Writes writes = Taken();
  EXPECT_EQ(RecordIn(writes).events.size(), schemas::kHistoryKept);
  EXPECT_EQ(RecordIn(writes).events[0].code, "0");
  EXPECT_EQ(RecordIn(writes).events[1].code, "2");
}

}  // namespace
}  // namespace muster::meta
