// One site through the rows of protocol.md sections 3.1, 3.3, 3.4 and 3.6: every file of
// tests/scenario/site/.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/scenario/script.h"
#include "tests/scenario/site_world.h"

namespace muster::scenario {
namespace {

std::vector<std::string> Files() {
  const char* root = std::getenv("MUSTER_SOURCE_DIR");
  const std::filesystem::path folder =
      std::filesystem::path(root == nullptr ? "." : root) / "tests" / "scenario" / "site";
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".txt") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class SiteScenario : public testing::TestWithParam<std::string> {};

TEST_P(SiteScenario, GivesTheTraceOnRecord) {
  SiteWorld world;
  RunScenario(GetParam(), [&](const Command& command) { return world.Run(command); });
}

INSTANTIATE_TEST_SUITE_P(Files, SiteScenario, testing::ValuesIn(Files()), [](const auto& info) {
  return std::filesystem::path(info.param).stem().string();
});

}  // namespace
}  // namespace muster::scenario
