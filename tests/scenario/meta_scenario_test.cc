// The meta with a federation of scripted sites, through the rows of protocol.md sections 3.2, 3.4
// to 3.6, 5 and 7: every file of tests/scenario/meta/. And scripts that are wrong.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/scenario/meta_world.h"
#include "tests/scenario/script.h"

namespace muster::scenario {
namespace {

class MetaScenario : public testing::TestWithParam<std::string> {};

void RunFile(const std::string& path) {
  MetaWorld world;
  RunScenario(path, [&](const Command& command) { return world.Run(command); });
}

TEST_P(MetaScenario, GivesTheTraceOnRecord) { RunFile(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Files, MetaScenario, testing::ValuesIn(ScenarioFiles("meta")),
                         [](const auto& info) {
                           return std::filesystem::path(info.param).stem().string();
                         });

void RunText(const std::string& text) {
  const std::string path = testing::TempDir() + "/planted.txt";
  std::ofstream(path) << text;
  RunFile(path);
}

TEST(Script, ALineThatMeansNothingIsNamedWithFileAndLine) {
  EXPECT_NONFATAL_FAILURE(RunText("# Words.\nsites hills\nsubmits hills\n----\n"),
                          "planted.txt:3: no such command, and no such site: submits hills");
  EXPECT_NONFATAL_FAILURE(RunText("sites hills\n----\nwrite epoch 1\n\nsubmit hills four=5\n"),
                          "planted.txt:5: 'submit' knows no four=");
  EXPECT_NONFATAL_FAILURE(RunText("sites hills\nafter soon\n"),
                          "planted.txt:2: 'soon' is no whole number");
  EXPECT_NONFATAL_FAILURE(RunText("sites hills\nsubmit lakes\n"), "no site is called 'lakes'");
  EXPECT_NONFATAL_FAILURE(RunText("sites hills\nhills ready 1.1\n"), "hills has no hold 1.1");
}

TEST(Script, ATraceThatIsAnotherFails) {
  if (std::getenv("MUSTER_GOLDEN_WRITE")) GTEST_SKIP() << "it is rewritten";
  RunText("sites hills\n----\nwrite epoch 1\n");
  EXPECT_NONFATAL_FAILURE(RunText("sites hills\n----\nwrite epoch 2\n"), "write epoch 1");
}

}  // namespace
}  // namespace muster::scenario
