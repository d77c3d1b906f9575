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
balanced = "50%"
set = "speed:oneof:best"
against = "as it is"
recallable = "50%"
recall = "checkpoint"
lent_alone = true
beyond_balance = "lend"
apps = "apps.toml"
fillers = "12h"
kept = 20
kept_lent = true
load = "0.85"
from = "2d"
to = "9d"
link = "real"
[[run]]
name = "drawn"
ideal = true
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
  EXPECT_TRUE(second.real_link);
  EXPECT_DOUBLE_EQ(second.balanced, 0.5);
  EXPECT_EQ(second.set, "speed:oneof:best");
  EXPECT_EQ(second.against, "as it is");
  EXPECT_DOUBLE_EQ(second.recallable, 0.5);
  EXPECT_EQ(second.recall, "checkpoint");
  EXPECT_TRUE(second.lent_alone);
  EXPECT_TRUE(second.beyond_balance);
  EXPECT_EQ(second.apps, "apps.toml");
  EXPECT_EQ(second.fillers, Span{12 * 3600});
  EXPECT_EQ(second.kept, 20);
  EXPECT_TRUE(second.kept_lent);
  EXPECT_FALSE(second.ideal);
  const ScenarioRun& third = parsed->runs[2];
  EXPECT_EQ(third.trace, "");
  ASSERT_TRUE(third.model.has_value());
  EXPECT_EQ(third.model->kind, "batch");
  EXPECT_EQ(third.model->jobs, 50);
  EXPECT_TRUE(third.ideal);
  EXPECT_DOUBLE_EQ(third.balanced, 1);
  EXPECT_EQ(third.placing, "fastest");
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
  const std::string run = "[[run]]\nname=\"a\"\ntrace=\"x\"\nsites=[\"a=flat:1\"]\n";
  const std::string set = ErrorOf(run + "set = \"speed:eachof\"\n");
  EXPECT_NE(set.find("s.toml:5"), std::string::npos) << set;
  EXPECT_NE(ErrorOf(run + "placing = \"slowest\"\n").find("s.toml:5"), std::string::npos);
  EXPECT_NE(ErrorOf(run + "against = \"b\"\n").find("'b', which is no run"), std::string::npos);
  EXPECT_NE(ErrorOf("title = \"nothing\"\n").find("no [[run]]"), std::string::npos);
}

TEST(ScenarioConfig, AComparisonNamesMachinesPackingsAndTimes) {
  const Diagnosed<ScenarioConfig> parsed = ParseScenarioConfig("s.toml", R"(
[compare]
sites = ["m=mesh:8x8"]
packings = ["fcfs*:inf", "ffih*:1h"]
times = ["exact", "requested"]
[[run]]
name = "KTH"
trace = "k.swf"
scheduler = "autonomous"
estimates = true
forecasts = 10
)");
  ASSERT_TRUE(parsed.ok()) << Render(parsed.diagnostic());
  ASSERT_TRUE(parsed->compare.has_value());
  ASSERT_EQ(parsed->compare->packings.size(), 2u);
  EXPECT_EQ(parsed->compare->packings[0].threshold, std::nullopt);
  EXPECT_EQ(parsed->compare->packings[1].packing, "ffih*");
  EXPECT_EQ(parsed->compare->packings[1].threshold, Span{3600});
  EXPECT_EQ(parsed->compare->exact, (std::vector<bool>{true, false}));
  EXPECT_TRUE(parsed->runs[0].autonomous && parsed->runs[0].estimates);
  EXPECT_EQ(parsed->runs[0].forecasts, 10);
}

TEST(ScenarioConfig, APackingOfAComparisonNeedsItsThreshold) {
  for (const char* packing : {"ffih*", "ffih*:", "ffih*:soon"}) {
    const std::string text = std::string("[compare]\nsites = [\"m=mesh:8x8\"]\npackings = [\"") +
                             packing + "\"]\ntimes = [\"exact\"]\n[[run]]\nname = \"a\"\n" +
                             "trace = \"k.swf\"\n";
    const Diagnosed<ScenarioConfig> parsed = ParseScenarioConfig("s.toml", text);
    ASSERT_FALSE(parsed.ok()) << packing;
    EXPECT_NE(Render(parsed.diagnostic()).find("s.toml:3:"), std::string::npos)
        << Render(parsed.diagnostic());
  }
}

}  // namespace
}  // namespace muster::config
