// Key files are made once and kept private. A file that cannot be used is refused with the reason.
#include "base/io/zmq/keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace muster::io {
namespace {

using ::testing::HasSubstr;

class KeyFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "keys-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    path_ = folder_ + "/kim.key";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void Put(const std::string& text, mode_t mode = 0600) {
    std::ofstream(path_) << text;
    ASSERT_EQ(chmod(path_.c_str(), mode), 0);
  }

  std::string folder_;
  std::string path_;
  std::unique_ptr<Entropy> entropy_ = SystemEntropy();
};

TEST_F(KeyFile, HoldsThePairItWasMadeOfAndIsTheOwnersAlone) {
  const KeyPair pair = entropy_->NewKeyPair();
  ASSERT_TRUE(WriteKeyFile(path_, pair).ok());
  struct stat found{};
  ASSERT_EQ(stat(path_.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 07777, mode_t{0600});
  const absl::StatusOr<KeyPair> read = ReadKeyFile(path_);
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(read->public_key, pair.public_key);
  EXPECT_EQ(read->secret_key, pair.secret_key);
}

TEST_F(KeyFile, IsNeverOverwritten) {
  const KeyPair first = entropy_->NewKeyPair();
  ASSERT_TRUE(WriteKeyFile(path_, first).ok());
  const absl::Status again = WriteKeyFile(path_, entropy_->NewKeyPair());
  EXPECT_EQ(again.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(ReadKeyFile(path_)->public_key, first.public_key);
}

TEST_F(KeyFile, ThatIsMissingSaysHowToMakeOne) {
  const absl::Status missing = ReadKeyFile(path_).status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(Text(missing)), HasSubstr("'muster keys new' makes one"));
}

TEST_F(KeyFile, ThatOthersMayReadIsRefused) {
  ASSERT_TRUE(WriteKeyFile(path_, entropy_->NewKeyPair()).ok());
  ASSERT_EQ(chmod(path_.c_str(), 0644), 0);
  const absl::Status open = ReadKeyFile(path_).status();
  EXPECT_EQ(open.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_THAT(std::string(Text(open)), HasSubstr("mode 0644"));
  EXPECT_THAT(std::string(Text(open)), HasSubstr("chmod 600 " + path_));
}

TEST_F(KeyFile, ThatIsSomethingElseIsRefused) {
  const KeyPair pair = entropy_->NewKeyPair();
  for (const std::string& text : {std::string(), std::string("hello"), std::string(100000, 'x'),
                                  "public = \"" + pair.public_key + "\"\n",
                                  "public = \"short\"\nsecret = \"" + pair.secret_key + "\"\n",
                                  std::string("public = \"\0\"", 12)}) {
    Put(text);
    EXPECT_THAT(std::string(Text(ReadKeyFile(path_).status())), HasSubstr("is not a key file"));
  }
  EXPECT_THAT(std::string(Text(ReadKeyFile(folder_).status())), HasSubstr("is not a file"));
}

TEST_F(KeyFile, WhoseHalvesDoNotBelongTogetherIsRefused) {
  Put("public = \"" + entropy_->NewKeyPair().public_key + "\"\nsecret = \"" +
      entropy_->NewKeyPair().secret_key + "\"\n");
  EXPECT_THAT(std::string(Text(ReadKeyFile(path_).status())), HasSubstr("do not belong together"));
}

TEST(Keys, AreFortyCharactersOfZ85) {
  const KeyPair pair = SystemEntropy()->NewKeyPair();
  EXPECT_TRUE(IsKey(pair.public_key));
  EXPECT_EQ(PublicKeyOf(pair.secret_key).value(), pair.public_key);
  EXPECT_FALSE(IsKey(""));
  EXPECT_FALSE(IsKey(pair.public_key.substr(1)));
  EXPECT_FALSE(IsKey(pair.public_key + "a"));
  EXPECT_FALSE(IsKey(std::string(40, '"')));
  EXPECT_FALSE(IsKey(std::string(40, '#')));  // 32 bytes cannot hold it
  EXPECT_FALSE(IsKey(std::string(40, '\0')));
  EXPECT_FALSE(PublicKeyOf("short").ok());
}

TEST(Keys, AreNewEachTime) {
  const std::unique_ptr<Entropy> entropy = SystemEntropy();
  EXPECT_NE(entropy->NewKeyPair().secret_key, entropy->NewKeyPair().secret_key);
  EXPECT_NE(entropy->NewSecret(), entropy->NewSecret());
}

TEST(Keys, AreShortenedForTalk) {
  EXPECT_EQ(ShortKey("rT5f" + std::string(34, 'x') + "9w"), "rT5f…9w");
  EXPECT_EQ(ShortKey("abc"), "abc");
}

}  // namespace
}  // namespace muster::io
