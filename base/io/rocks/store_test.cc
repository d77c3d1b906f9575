// Acknowledged batches survive kill -9, batches are all or nothing, and a store that cannot be
// opened says why.
#include "base/io/rocks/store.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <map>

#include "base/random.h"

extern char** environ;

namespace muster::io {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

using Rows = std::map<std::string, std::string>;

class RocksStore : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "store-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    base_ = pattern;
    folder_ = base_ + "/state/store";
  }
  void TearDown() override { std::filesystem::remove_all(base_); }

  StoreOptions Options() const {
    return {.folder = folder_, .create = true, .ballast_bytes = int64_t{1} << 20};
  }
  std::unique_ptr<Store> Open() {
    absl::StatusOr<std::unique_ptr<Store>> store = OpenStore(Options());
    EXPECT_TRUE(store.ok()) << store.status().ToString();
    return store.ok() ? *std::move(store) : nullptr;
  }
  static Rows Read(Store& store, std::string_view prefix) {
    Rows rows;
    std::string last;
    EXPECT_TRUE(store
                    .Scan(prefix,
                          [&](std::string_view key, std::string_view value) {
                            EXPECT_LT(last, key);  // ascending
                            last = key;
                            rows.emplace(key, value);
                          })
                    .ok());
    return rows;
  }

  std::string base_;
  std::string folder_;
};

TEST_F(RocksStore, GivesBackWhatWasCommittedAfterReopening) {
  {
    const auto store = Open();
    ASSERT_TRUE(
        store->Commit({{"a/1", "one"}, {"a/2", "two"}, {"b/1", std::string("\0\xff", 2)}}).ok());
    ASSERT_TRUE(store->Commit({{"a/1", std::nullopt}, {"a/3", ""}, {"none", std::nullopt}}).ok());
    ASSERT_TRUE(store->Commit({}).ok());
  }
  const auto store = Open();
  EXPECT_THAT(Read(*store, "a/"), ElementsAre(Pair("a/2", "two"), Pair("a/3", "")));
  EXPECT_THAT(Read(*store, ""), ElementsAre(Pair("a/2", "two"), Pair("a/3", ""),
                                            Pair("b/1", std::string("\0\xff", 2))));
}

TEST_F(RocksStore, TakesTheLastChangeOfAKeyInABatch) {
  const auto store = Open();
  ASSERT_TRUE(
      store->Commit({{"k", "1"}, {"k", std::nullopt}, {"k", "2"}, {"l", "1"}, {"l", std::nullopt}})
          .ok());
  EXPECT_THAT(Read(*store, ""), ElementsAre(Pair("k", "2")));
}

TEST_F(RocksStore, ShowsItselfPieceByPieceAsItWas) {
  const auto store = Open();
  ASSERT_TRUE(store->Commit({{"a", "one"}, {"b", "two"}, {"c", "three"}}).ok());
  const std::unique_ptr<StoreView> view = store->View();
  EXPECT_THAT(view->Next(4).value(), ElementsAre(Pair("a", "one")));
  ASSERT_TRUE(store->Commit({{"b", std::nullopt}, {"c", "new"}, {"d", "four"}}).ok());
  EXPECT_THAT(view->Next(1).value(), ElementsAre(Pair("b", "two")));
  EXPECT_THAT(view->Next(100).value(), ElementsAre(Pair("c", "three")));
  EXPECT_THAT(view->Next(100).value(), ElementsAre());
  EXPECT_THAT(store->View()->Next(100).value(),
              ElementsAre(Pair("a", "one"), Pair("c", "new"), Pair("d", "four")));
}

TEST_F(RocksStore, ScansAPrefixThatEndsInTheHighestByte) {
  const auto store = Open();
  ASSERT_TRUE(
      store->Commit({{"\xff\xff", "1"}, {"\xff\xff\x01", "2"}, {"\xff\xfe", "3"}, {"a", "4"}})
          .ok());
  EXPECT_THAT(Read(*store, "\xff\xff"),
              ElementsAre(Pair("\xff\xff", "1"), Pair("\xff\xff\x01", "2")));
}

TEST_F(RocksStore, TellsTheFreeSpaceAndKeepsABallastOfTheOwnersAlone) {
  const auto store = Open();
  EXPECT_GT(store->FreeBytes().value(), 0);
  EXPECT_EQ(std::filesystem::file_size(folder_ + "/ballast"), uint64_t{1} << 20);
  EXPECT_EQ(std::filesystem::status(folder_).permissions(), std::filesystem::perms::owner_all);
}

TEST_F(RocksStore, IsNotOpenedTwice) {
  const auto store = Open();
  const absl::Status second = OpenStore(Options()).status();
  EXPECT_EQ(second.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(Text(second)), HasSubstr(folder_ + " is open in another process"));
}

TEST_F(RocksStore, IsNotMadeUnlessAskedFor) {
  StoreOptions options = Options();
  options.create = false;
  EXPECT_EQ(OpenStore(options).status().code(), absl::StatusCode::kNotFound);
  std::filesystem::create_directories(folder_);
  EXPECT_EQ(OpenStore(options).status().code(), absl::StatusCode::kNotFound);
  Open();
  EXPECT_TRUE(OpenStore(options).ok());
}

TEST_F(RocksStore, SaysThatAFileIsNoFolder) {
  std::filesystem::create_directories(base_ + "/state");
  std::ofstream(folder_) << "x";
  EXPECT_THAT(std::string(Text(OpenStore(Options()).status())), HasSubstr("is not a folder"));
}

TEST_F(RocksStore, IsNotOpenedWhereTooLittleSpaceIsLeft) {
  StoreOptions options = Options();
  options.least_free_bytes = int64_t{1} << 60;
  const absl::Status status = OpenStore(options).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(Text(status)), HasSubstr("or remove " + folder_ + "/ballast"));
}

// The newest file of the store whose name ends with `ending`.
std::filesystem::path FileOf(const std::string& folder, const std::string& ending) {
  std::filesystem::path found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    const bool fits = name.size() >= ending.size() && name.ends_with(ending);
    if (fits && entry.path() > found) found = entry.path();
  }
  return found;
}

TEST_F(RocksStore, FindsDamageInItsLogInsteadOfForgettingWhatFollows) {
  {
    const auto store = Open();
    for (int i = 0; i < 10; ++i) {
      ASSERT_TRUE(store->Commit({{std::to_string(i), std::string(1000, 'x')}}).ok());
    }
  }
  const std::filesystem::path log = FileOf(folder_, ".log");
  ASSERT_FALSE(log.empty());
  std::fstream file(log, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(3500);
  file.write("damage", 6);
  file.close();
  const absl::Status status = OpenStore(Options()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(Text(status)), HasSubstr("restore it from a backup"));
}

// A writer that was started and can be killed.
class Writer {
 public:
  Writer(const std::string& folder, uint64_t first) {
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    acknowledged_ = ends[0];
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    std::string program = MUSTER_STORE_TEST_WRITER;
    std::string folder_text = folder;
    std::string first_text = std::to_string(first);
    std::array<char*, 4> arguments = {program.data(), folder_text.data(), first_text.data(),
                                      nullptr};
    EXPECT_EQ(posix_spawn(&pid_, program.c_str(), &actions, nullptr, arguments.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
  }
  ~Writer() { close(acknowledged_); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // The next number; 0 after the end.
  uint64_t Next() {
    uint64_t number = 0;
    return read(acknowledged_, &number, sizeof number) == sizeof number ? number : 0;
  }
  void Kill() {
    kill(pid_, SIGKILL);
    int status = 0;
    EXPECT_EQ(waitpid(pid_, &status, 0), pid_);
    EXPECT_TRUE(WIFSIGNALED(status));
  }

 private:
  int acknowledged_ = -1;
  pid_t pid_ = 0;
};

TEST_F(RocksStore, KeepsEveryAcknowledgedBatchWholeThroughKillNine) {
  constexpr int kKills = 8;
  Random random(11);
  uint64_t first = 1;
  for (int round = 0; round < kKills; ++round) {
    Writer writer(folder_, first);
    const uint64_t kill_after = first + 20 + random.Below(300);
    uint64_t acknowledged = 0;
    for (uint64_t n = 0; acknowledged < kill_after && (n = writer.Next()) != 0;) acknowledged = n;
    ASSERT_EQ(acknowledged, kill_after);
    writer.Kill();
    for (uint64_t n = 0; (n = writer.Next()) != 0;) acknowledged = n;

    const auto store = Open();
    const Rows left = Read(*store, "left/");
    const Rows right = Read(*store, "right/");
    const uint64_t last = std::stoull(Read(*store, "last").at("last"));
    ASSERT_GE(last, acknowledged);
    ASSERT_LE(last, acknowledged + 1);  // one batch at most was committed and not yet told
    ASSERT_EQ(left.size(), last);
    ASSERT_EQ(right.size(), last);
    for (uint64_t n = 1; n <= last; ++n) {
      const std::string text = std::to_string(n);
      ASSERT_EQ(left.at("left/" + text), text + std::string(n % 5000, 'x'));
      ASSERT_EQ(right.at("right/" + text), left.at("left/" + text));
    }
    first = last + 1;
  }
}

}  // namespace
}  // namespace muster::io
