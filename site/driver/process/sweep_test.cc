// The sweep removes files older than their keeping time, and never files in use or behind a link.
#include "site/driver/process/sweep.h"

#include <sys/file.h>
#include <sys/time.h>

#include "site/driver/process/process_driver_fixture.h"

namespace muster::driver {
namespace {

namespace fs = std::filesystem;
using namespace testing;

constexpr int64_t kNow = 1'000'000;
constexpr Span kKeep{1000};

class SweepTest : public ::testing::Test {
 protected:
  SweepTest() {
    for (const char* name : {"tries", "outputs", "parts"})
      fs::create_directory(folder_.path() + "/" + name);
  }
  // A try with output and the link to it, and the part's own directory.
  void Make(const std::string& token, int64_t age_s) {
    const std::string base = folder_.path() + "/";
    fs::create_directory(base + "tries/" + token);
    std::ofstream(base + "tries/" + token + "/stdout") << "out\n";
    fs::create_directories(base + "parts/" + token + "/deep/er");
    std::ofstream(base + "parts/" + token + "/deep/er/result") << "1\n";
    fs::create_symlink("../tries/" + token, base + "outputs/" + token);
    for (const std::string kind : {"tries/", "parts/"}) SetAge(base + kind + token, age_s);
  }
  void SetAge(const std::string& path, int64_t age_s) {
    const timeval times[2] = {{kNow - age_s, 0}, {kNow - age_s, 0}};
    ASSERT_EQ(utimes(path.c_str(), times), 0);
  }
  bool Has(const std::string& name) {
    return fs::exists(fs::symlink_status(folder_.path() + "/" + name));
  }
  void RunRound(int steps = 1000, const std::string& in_use = "") {
    Sweep sweep(folder_.path(), kKeep);
    int calls = 0;
    while (sweep.Continue(kNow, steps, [&](const std::string& token) { return token == in_use; }))
      ASSERT_LT(++calls, 1000);
  }

  StateFolder folder_;
};

TEST_F(SweepTest, RemovesWhatIsOlderThanItsKeepingTimeAndNothingElse) {
  Make("old", 1001);
  Make("new", 999);
  RunRound();
  for (const std::string kind : {"tries/", "outputs/", "parts/"}) {
    EXPECT_FALSE(Has(kind + "old")) << kind;
    EXPECT_TRUE(Has(kind + "new")) << kind;
  }
}

TEST_F(SweepTest, GoesOnWhereItStopped) {
  for (int i = 0; i < 20; ++i) Make("t" + std::to_string(i), 2000);
  RunRound(3);
  EXPECT_TRUE(fs::is_empty(folder_.path() + "/tries"));
  EXPECT_TRUE(fs::is_empty(folder_.path() + "/outputs"));
}

TEST_F(SweepTest, LeavesWhatIsInUseOrHasALivingShepherd) {
  Make("used", 5000);
  Make("locked", 5000);
  const std::string token = folder_.path() + "/tries/locked/token";
  const Descriptor shepherd(open(token.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600));
  ASSERT_EQ(flock(shepherd.get(), LOCK_EX), 0);
  SetAge(folder_.path() + "/tries/locked", 5000);
  RunRound(1000, "used");
  EXPECT_TRUE(Has("tries/used/stdout"));
  EXPECT_TRUE(Has("tries/locked/stdout"));
  EXPECT_TRUE(Has("parts/used/deep/er/result"));
}

TEST_F(SweepTest, FollowsNoLinkOutOfAPartsDirectory) {
  fs::create_directory(folder_.path() + "/precious");
  std::ofstream(folder_.path() + "/precious/file") << "keep\n";
  Make("old", 5000);
  fs::create_directory_symlink(folder_.path() + "/precious", folder_.path() + "/parts/old/link");
  SetAge(folder_.path() + "/parts/old", 5000);
  RunRound();
  EXPECT_FALSE(Has("parts/old"));
  EXPECT_TRUE(Has("precious/file"));
}

}  // namespace
}  // namespace muster::driver
