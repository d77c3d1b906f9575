// A recording is read back in order. A tear, the size limit or a full folder loses no more frames
// and files than it must.
#include "base/io/recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace muster::io {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class RecordingFiles : public testing::Test {
 protected:
  RecordingFiles() {
    folder_ = testing::TempDir() + "recording." +
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
  }
  ~RecordingFiles() override { std::filesystem::remove_all(folder_); }

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      names.push_back(entry.path().filename());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  std::string folder_;
};

TEST_F(RecordingFiles, HaveTheirFramesInOrderForTheirOwnerAlone) {
  auto recording = Recording::Begin(folder_ + "/deeper");
  ASSERT_TRUE(recording.ok()) << recording.status();
  EXPECT_EQ(recording->path(), folder_ + "/deeper/000001.turns");
  for (const char* frame : {"one", "", "three"}) ASSERT_TRUE(recording->Add(frame).ok());
  const auto read = ReadRecording(recording->path());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_THAT(read->frames, ElementsAre("one", "", "three"));
  EXPECT_EQ(read->torn, 0u);
  struct stat state{};
  ASSERT_EQ(stat(recording->path().c_str(), &state), 0);
  EXPECT_EQ(state.st_mode & 0777, 0600u);
}

TEST_F(RecordingFiles, AreGoodUpToATearWhereverItIs) {
  auto recording = Recording::Begin(folder_);
  ASSERT_TRUE(recording.ok());
  ASSERT_TRUE(recording->Add("first").ok());
  const auto whole = std::filesystem::file_size(recording->path());
  ASSERT_TRUE(recording->Add("second").ok());
  for (auto size = std::filesystem::file_size(recording->path()) - 1; size >= whole; --size) {
    std::filesystem::resize_file(recording->path(), size);
    const auto read = ReadRecording(recording->path());
    ASSERT_TRUE(read.ok());
    EXPECT_THAT(read->frames, ElementsAre("first"));
    EXPECT_EQ(read->torn, size - whole);
  }
}

TEST_F(RecordingFiles, EndWhereAFrameIsNotWhatWasWritten) {
  auto recording = Recording::Begin(folder_);
  ASSERT_TRUE(recording.ok());
  for (const char* frame : {"first", "second", "third"}) ASSERT_TRUE(recording->Add(frame).ok());
  const auto size = static_cast<std::streamoff>(std::filesystem::file_size(recording->path()));
  std::fstream file(recording->path(), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(size - 20);  // inside of "second"
  file.put('X');
  file.close();
  const auto read = ReadRecording(recording->path());
  ASSERT_TRUE(read.ok());
  EXPECT_THAT(read->frames, ElementsAre("first"));
  EXPECT_GT(read->torn, 0u);
}

TEST_F(RecordingFiles, EndAtTheirLimitAndSaySo) {
  auto recording = Recording::Begin(folder_, 60);
  ASSERT_TRUE(recording.ok());
  ASSERT_TRUE(recording->Add("ten bytes.").ok());
  const absl::Status full = recording->Add(std::string(30, 'x'));
  EXPECT_THAT(std::string(Text(full)), HasSubstr("limit of 60 bytes"));
  EXPECT_FALSE(recording->Add("x").ok()) << "what follows a gap cannot be understood";
  const auto read = ReadRecording(recording->path());
  ASSERT_TRUE(read.ok());
  EXPECT_THAT(read->frames, ElementsAre("ten bytes."));
}

TEST_F(RecordingFiles, AreKeptTheNewestOnly) {
  for (size_t i = 0; i < kRecordingsKept + 3; ++i) ASSERT_TRUE(Recording::Begin(folder_).ok());
  std::ofstream(folder_ + "/notes.txt") << "not ours";
  const std::vector<std::string> names = Names();
  ASSERT_THAT(names, SizeIs(kRecordingsKept + 1));
  EXPECT_EQ(names.front(), "000004.turns");
  EXPECT_EQ(names[kRecordingsKept - 1], "000011.turns");
  EXPECT_EQ(names.back(), "notes.txt");
}

TEST_F(RecordingFiles, WhatIsNoneIsRefused) {
  std::filesystem::create_directories(folder_);
  std::ofstream(folder_ + "/other") << "something else";
  EXPECT_THAT(std::string(Text(ReadRecording(folder_ + "/other").status())),
              HasSubstr("is no recording of turns"));
  EXPECT_THAT(std::string(Text(ReadRecording(folder_ + "/none").status())),
              HasSubstr("cannot read"));
  std::ofstream(folder_ + "/empty");
  EXPECT_FALSE(ReadRecording(folder_ + "/empty").ok());
}

}  // namespace
}  // namespace muster::io
