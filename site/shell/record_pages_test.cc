// A site shows its records page by page, as they were, and without what programs are.
#include "site/shell/record_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <set>

#include "base/io/rocks/store.h"
#include "schemas/canonical_reader.h"
#include "schemas/codec/codec.h"
#include "schemas/limits.h"
#include "schemas/site_records.h"

namespace muster::site {
namespace {

using ::testing::HasSubstr;

schemas::HoldRecord Hold(uint64_t number) {
  schemas::HoldRecord hold;
  hold.order.fence = {{1}, number};
  hold.order.payload.argv = {"secret-program"};
  hold.order.payload.script = std::string(4000, 'x');
  hold.permit.emplace().secret.bytes[0] = 7;
  return hold;
}

class RecordPagesOfASite : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "pages-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    base_ = pattern;
    auto store = io::OpenStore({.folder = base_ + "/store", .create = true, .ballast_bytes = 0});
    ASSERT_TRUE(store.ok());
    store_ = *std::move(store);
    origin_ = {.daemon = "site", .file = "[site]", .driver = "process"};
    origin_.secret_root.bytes[0] = 9;
  }
  void TearDown() override {
    pages_ = RecordPages();  // the store outlives what it shows
    store_.reset();
    std::filesystem::remove_all(base_);
  }
  void Write(uint64_t number) {
    const schemas::HoldRecord hold = Hold(number);
    const std::string key = "hold/" + ToText(hold.order.fence);
    ASSERT_TRUE(store_->Commit({{key, schemas::EncodeRecord(schemas::SiteRecord(hold))}}).ok());
  }
  schemas::SnapshotView Page(uint64_t page) {
    schemas::SnapshotView view{.page = page};
    pages_.Fill(*store_, origin_, {{5}, {6000}}, view);
    return view;
  }
  static schemas::CoreBegan<schemas::SiteRecord> Read(const schemas::SnapshotView& view) {
    schemas::CanonicalReader reader(view.frame);
    schemas::FrameKind kind{};
    reader.Get(kind);
    schemas::CoreBegan<schemas::SiteRecord> began;
    reader.Get(began);
    EXPECT_TRUE(reader.AtEnd());
    return began;
  }

  std::string base_;
  std::unique_ptr<io::Store> store_;
  schemas::CoreOrigin origin_;
  RecordPages pages_;
};

TEST_F(RecordPagesOfASite, ShowAllRecordsAsTheyWereWithoutProgramsAndSecrets) {
  for (uint64_t i = 1; i <= 100; ++i) Write(i);
  std::set<std::string> keys;
  for (uint64_t page = 0;; ++page) {
    const schemas::SnapshotView view = Page(page);
    ASSERT_EQ(view.refused, "");
    EXPECT_LE(view.frame.size(), schemas::kSnapshotPageBytes);
    EXPECT_THAT(view.frame, ::testing::Not(HasSubstr("secret-program")));
    const auto began = Read(view);
    EXPECT_EQ(began.origin.wall, Moment{6000});
    EXPECT_EQ(began.origin.file, page == 0 ? "[site]" : "");
    EXPECT_EQ(began.origin.secret_root, Secret{});
    for (const auto& write : began.records) {
      keys.insert(write.key);
      EXPECT_EQ(std::get<schemas::HoldRecord>(*write.value).permit->secret, Secret{});
    }
    if (page == 0) Write(101);
    if (!view.more) break;
    ASSERT_LT(page, 100u);
  }
  EXPECT_EQ(keys.size(), 100u);
}

TEST_F(RecordPagesOfASite, AreShownInOrderAlone) {
  for (uint64_t i = 1; i <= 100; ++i) Write(i);
  EXPECT_THAT(Page(1).refused, HasSubstr("anew"));
  EXPECT_TRUE(Page(0).more);
  EXPECT_THAT(Page(2).refused, HasSubstr("anew"));
  EXPECT_EQ(Page(1).refused, "");
}

}  // namespace
}  // namespace muster::site
