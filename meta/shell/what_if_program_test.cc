// The program beside the meta: what it is given, and what becomes of its answer. Programs here are
// scripts.
#include "meta/shell/what_if_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/io/rocks/store.h"
#include "schemas/canonical_reader.h"
#include "schemas/codec/codec.h"

namespace muster::meta {
namespace {

using ::testing::HasSubstr;

class WhatIfRunOfTheMeta : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "what-if-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    base_ = pattern;
    auto store = io::OpenStore({.folder = base_ + "/store", .create = true, .ballast_bytes = 0});
    ASSERT_TRUE(store.ok());
    store_ = *std::move(store);
    for (uint64_t i = 1; i <= 200; ++i) {
      schemas::RequestRecord request;
      request.id = {i};
      request.spec.payload.script = std::string(2000, 'x');
      const std::string bytes = schemas::EncodeRecord(schemas::MetaRecord(request));
      ASSERT_TRUE(store_->Commit({{"request/" + std::to_string(i), bytes}}).ok());
    }
  }
  void TearDown() override {
    store_.reset();
    std::filesystem::remove_all(base_);
  }
  // A program that gets "what-if FILE --out ANSWER".
  WhatIfProgram Script(const std::string& text) {
    const std::string path = base_ + "/program";
    std::ofstream(path) << "#!/bin/sh\n" << text << "\n";
    chmod(path.c_str(), 0700);
    return {.folder = base_ + "/asked", .program = path};
  }
  // Takes the whole what-if `number` with one page of a site; what it comes to.
  WhatIfDone Asked(WhatIfRun& run, uint64_t number) {
    run.Take({.begins = number, .pages = {}, .order = {}}, {.daemon = "meta", .file = "text"},
             At());
    WhatIfWork work;
    work.pages = {{number, "lakes", "page"}};
    work.order = schemas::WhatIfOrder{.number = number, .user = "kim"};
    run.Take(work, {}, At());
    for (int i = 0; i < 2000; ++i) {
      if (auto done = run.GoOn(At())) return *done;
      EXPECT_TRUE(run.Next(At().boot));
      usleep(5000);
      now_ = now_ + Milliseconds(5);
    }
    ADD_FAILURE() << "it never ends";
    return {};
  }
  Now At() const { return {now_, {1'000'000 + now_.milliseconds}}; }
  size_t FilesLeft() const {
    size_t count = 0;
    if (!std::filesystem::exists(base_ + "/asked")) return count;
    for (const auto& file : std::filesystem::directory_iterator(base_ + "/asked")) {
      count += file.is_regular_file() ? 1 : 0;
    }
    return count;
  }

  std::string base_;
  std::unique_ptr<io::Store> store_;
  BootInstant now_{1000};
};

TEST_F(WhatIfRunOfTheMeta, RemovesWhatAKilledDaemonLeft) {
  std::filesystem::create_directories(base_ + "/asked");
  std::ofstream(base_ + "/asked/000001.turns") << "half of what was asked";
  WhatIfRun run(Script("exit 3"), *store_);
  EXPECT_FALSE(std::filesystem::exists(base_ + "/asked/000001.turns"));
  EXPECT_NE(Asked(run, 7).why, "");
  EXPECT_EQ(FilesLeft(), 0u);
}

TEST_F(WhatIfRunOfTheMeta, GivesTheProgramAllRecordsAndTakesItsAnswer) {
  const std::string answer = base_ + "/made";
  std::ofstream(answer, std::ios::binary)
      << schemas::FrameOf(schemas::FrameKind::kWhatIfAnswer, schemas::WhatIfView{.breaks = 3});
  WhatIfRun run(Script("cp \"$2\" " + base_ + "/given; cp " + answer + " \"$4\""), *store_);
  const WhatIfDone done = Asked(run, 7);
  EXPECT_EQ(done.number, 7u);
  EXPECT_EQ(done.why, "");
  ASSERT_TRUE(done.view);
  EXPECT_EQ(done.view->breaks, 3u);
  EXPECT_EQ(FilesLeft(), 0u);
  EXPECT_FALSE(run.Next(At().boot));

  const auto given = io::ReadRecording(base_ + "/given");
  ASSERT_TRUE(given.ok());
  size_t records = 0;
  for (const std::string& frame : given->frames) {
    schemas::CanonicalReader reader(frame);
    schemas::FrameKind kind{};
    reader.Get(kind);
    if (kind != schemas::FrameKind::kBegan) continue;
    schemas::CoreBegan<schemas::MetaRecord> page;
    reader.Get(page);
    EXPECT_TRUE(reader.AtEnd());
    records += page.records.size();
  }
  EXPECT_EQ(records, 200u);
}

TEST_F(WhatIfRunOfTheMeta, TellsWhyThereIsNoAnswer) {
  WhatIfRun fails(Script("echo 'the record is torn' >&2; exit 2"), *store_);
  EXPECT_EQ(Asked(fails, 1).why, "the record is torn");
  WhatIfRun killed(Script("kill -9 $$"), *store_);
  EXPECT_THAT(Asked(killed, 2).why, HasSubstr("signal 9"));
  WhatIfRun strange(Script("echo x > \"$4\""), *store_);
  EXPECT_THAT(Asked(strange, 3).why, HasSubstr("another version"));
  WhatIfRun none({.folder = base_ + "/asked", .program = base_ + "/nowhere"}, *store_);
  EXPECT_THAT(Asked(none, 4).why, HasSubstr("nowhere is not here"));
  EXPECT_EQ(FilesLeft(), 0u);
}

TEST_F(WhatIfRunOfTheMeta, GivesUpAfterItsTime) {
  WhatIfProgram slow = Script("exec sleep 60");
  slow.gives_up = Milliseconds(100);
  WhatIfRun run(slow, *store_);
  EXPECT_THAT(Asked(run, 1).why, HasSubstr("takes too long"));
  EXPECT_EQ(FilesLeft(), 0u);
}

TEST_F(WhatIfRunOfTheMeta, DropsWhatNobodyWaitsForAnyMore) {
  WhatIfRun run(Script("exec sleep 60"), *store_);
  run.Take({.begins = 1, .pages = {}, .order = {}}, {.daemon = "meta"}, At());
  EXPECT_TRUE(run.Next(At().boot));
  WhatIfWork ends;
  ends.ends = true;
  run.Take(ends, {}, At());
  EXPECT_FALSE(run.Next(At().boot));
  EXPECT_EQ(FilesLeft(), 0u);
}

}  // namespace
}  // namespace muster::meta
