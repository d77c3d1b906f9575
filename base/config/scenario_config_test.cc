// Scenario files: what a run takes over, and where an error stands.
#include "base/config/scenario_config.h"

#include <gtest/gtest.h>

namespace muster::config {
namespace {

constexpr char kGood[] = R"(title = "Two ways"
[defaults]
trace = "a.swf.gz"
sites = ["lakes=flat:430", "woods=flat:100"]
seed = 7
threshold = "1h"
co_allocated = "10%"
[[run]]
name = "as it is"
[[run]]
name = "another"
threshold = "inf"
sites = ["hills=flat:8"]
co_allocated = "0%"
load = "0.85"
from = "2d"
to = "9d"
[[run]]
name = "drawn"
[run.lublin]
kind = "batch"
jobs = 50
)";

TEST(ScenarioConfig, ARunTakesOverWhatTheDefaultsSayAndSaysTheRestAnew) {
  const Diagnosed<ScenarioConfig> parsed = ParseScenarioConfig("s.toml", kGood);
  ASSERT_TRUE(parsed.ok()) << Render(parsed.diagnostic());
  EXPECT_EQ(parsed->title, "Two ways");
  ASSERT_EQ(parsed->runs.size(), 3u);
  const ScenarioRun& first = parsed->runs[0];
  EXPECT_EQ(first.trace, "a.swf.gz");
  EXPECT_EQ(first.sites.size(), 2u);
  EXPECT_EQ(first.seed, 7);
  EXPECT_EQ(first.threshold, Span{3600});
  EXPECT_DOUBLE_EQ(first.co_allocated, 0.1);
  const ScenarioRun& second = parsed->runs[1];
  EXPECT_EQ(second.threshold, std::nullopt);
  EXPECT_EQ(second.sites, std::vector<std::string>{"hills=flat:8"});
  EXPECT_DOUBLE_EQ(second.co_allocated, 0);
  EXPECT_DOUBLE_EQ(*second.load, 0.85);
  EXPECT_EQ(second.from, Span{2 * 86400});
  EXPECT_EQ(second.until, Span{9 * 86400});
  const ScenarioRun& third = parsed->runs[2];
  EXPECT_EQ(third.trace, "");
  ASSERT_TRUE(third.model.has_value());
  EXPECT_EQ(third.model->kind, "batch");
  EXPECT_EQ(third.model->jobs, 50);
}

std::string ErrorOf(const std::string& text) {
  const Diagnosed<ScenarioConfig> parsed = ParseScenarioConfig("s.toml", text);
  return parsed.ok() ? "" : Render(parsed.diagnostic());
}

TEST(ScenarioConfig, ErrorsSayWhereTheyStandAndWhatWouldBeRight) {
  EXPECT_NE(ErrorOf("[[run]]\nname = \"a\"\nsites = [\"a=flat:1\"]\n").find("neither a trace"),
            std::string::npos);
  const std::string unknown =
      ErrorOf("[[run]]\nname=\"a\"\ntrace=\"x\"\nsites=[\"a=flat:1\"]\njob = 5\n");
  EXPECT_NE(unknown.find("s.toml:5"), std::string::npos) << unknown;
  const std::string load =
      ErrorOf("[[run]]\nname=\"a\"\ntrace=\"x\"\nsites=[\"a=flat:1\"]\nload=\"-1\"\n");
  EXPECT_NE(load.find("'-1' is no offered load"), std::string::npos) << load;
  EXPECT_NE(load.find("s.toml:5"), std::string::npos) << load;
  EXPECT_NE(ErrorOf("title = \"nothing\"\n").find("no [[run]]"), std::string::npos);
}

}  // namespace
}  // namespace muster::config
