// Plays every file of tests/scenario/site/ on one site: the rows of protocol.md sections 3.1, 3.3,
// 3.4 and 3.6.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/scenario/script.h"
#include "tests/scenario/site_world.h"

namespace muster::scenario {
namespace {

class SiteScenario : public testing::TestWithParam<std::string> {};

TEST_P(SiteScenario, GivesTheTraceOnRecord) {
  SiteWorld world;
  RunScenario(GetParam(), [&](const Command& command) { return world.Run(command); });
}

INSTANTIATE_TEST_SUITE_P(Files, SiteScenario, testing::ValuesIn(ScenarioFiles("site")),
                         [](const auto& info) {
                           return std::filesystem::path(info.param).stem().string();
                         });

}  // namespace
}  // namespace muster::scenario
