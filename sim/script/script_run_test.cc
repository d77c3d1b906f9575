// Scripts are played by the cores that the configurations name; what cannot be played is said.
#include "sim/script/script_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace muster::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string Key(char c) { return std::string(40, c); }

// Two sites of two nodes, as `muster up` would write them.
class Scripts : public testing::Test {
 protected:
  Scripts() {
    folder_ = testing::TempDir() + "script." +
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_);
    Write("meta.toml",
          "[meta]\nname = \"pair\"\nlisten = \"tcp://127.0.0.1:7710\"\nkey = \"meta.key\"\n"
          "state_dir = \"meta\"\n[protocol]\nlead = \"2s\"\nstart_wait = \"10s\"\n"
          "permit_window = \"6s\"\n[[site]]\nname = \"lakes\"\nkey = \"" +
              Key('l') + "\"\n[[site]]\nname = \"woods\"\nkey = \"" + Key('w') +
              "\"\n[[user]]\nname = \"kim\"\nkey = \"" + Key('k') +
              "\"\nrole = \"operator\"\n[[user]]\nname = \"ana\"\nkey = \"" + Key('a') + "\"\n");
    for (const char* site : {"lakes", "woods"}) Write(std::string(site) + ".toml", SiteText(site));
  }
  ~Scripts() override { std::filesystem::remove_all(folder_); }

  static std::string SiteText(const std::string& name) {
    return "[site]\nname = \"" + name + "\"\nmeta = \"tcp://127.0.0.1:7710\"\nmeta_key = \"" +
           Key('m') + "\"\nkey = \"x.key\"\nstate_dir = \"x\"\n[[nodes]]\nnames = \"n[1-2]\"\n" +
           "resources = { ncpus = 4 }\n";
  }
  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name) << text;
  }

  config::ScriptConfig Script(std::vector<config::ScriptedJob> jobs) const {
    return {.path = "script.toml",
            .meta = folder_ + "/meta.toml",
            .sites = {folder_ + "/lakes.toml", folder_ + "/woods.toml"},
            .user = "kim",
            .length = Span{120},
            .jobs = std::move(jobs),
            .drains = {}};
  }
  static ScriptResult Played(const config::ScriptConfig& script) {
    absl::StatusOr<ScriptResult> result = PlayScript(script, {});
    EXPECT_TRUE(result.ok()) << result.status();
    if (!result.ok()) return {};
    EXPECT_THAT(result->violations, IsEmpty());
    return *std::move(result);
  }
  static std::string Refusal(const config::ScriptConfig& script) {
    return std::string(Text(PlayScript(script, {}).status()));
  }
  // Of a part from the beginning, in seconds.
  static double Started(const ScriptResult& result, size_t job, size_t part = 0) {
    const auto& at = result.jobs.at(job).view.parts.at(part).started_at;
    return at ? static_cast<double>(at->milliseconds - result.begins.milliseconds) / 1000 : -1;
  }

  std::string folder_;
};

TEST_F(Scripts, AreTakenByTheSitesThatTheConfigurationsName) {
  const ScriptResult result = Played(Script({
      {.name = "full",
       .at = Milliseconds(200),
       .submit = "--site lakes -t 60s -l 2:ncpus=4 -- sleep 10"},
      {.name = "behind",
       .at = Milliseconds(2200),
       .submit = "--site lakes -t 30s -l 1:ncpus=4 -- sleep 5"},
      {.name = "both",
       .at = Milliseconds(4200),
       .submit = "--apart -t 20s -l 1:ncpus=4 : -l 1:ncpus=4 -- sleep 4"},
  }));
  ASSERT_THAT(result.jobs, SizeIs(3));
  EXPECT_THAT(result.refused, IsEmpty());
  EXPECT_EQ(result.jobs[0].view.parts[0].site, "lakes");
  EXPECT_EQ(result.jobs[0].view.name, "full");
  EXPECT_LT(Started(result, 0), 3);
  const double free = Started(result, 0) + 10;  // 50 s before its time is over
  EXPECT_GT(Started(result, 1), free);
  EXPECT_LT(Started(result, 1), free + 2);
  ASSERT_THAT(result.jobs[2].view.parts, SizeIs(2));
  EXPECT_GT(Started(result, 2), free);
  EXPECT_LT(Started(result, 2), free + 9) << "lead and the start barrier";
  EXPECT_NEAR(Started(result, 2, 0), Started(result, 2, 1), 1);
  for (const ScriptResult::Job& job : result.jobs) {
    EXPECT_EQ(job.view.outcome, schemas::Outcome::kDone) << job.name;
  }
}

TEST_F(Scripts, HaveCancelsAndDrains) {
  config::ScriptConfig script = Script({
      {.name = "gone",
       .at = Milliseconds(200),
       .submit = "--site lakes -t 60s -- sleep 50",
       .cancel_at = Milliseconds(6200)},
      {.name = "kept-off",
       .at = Milliseconds(8200),
       .submit = "--site lakes -t 20s -l 2:ncpus=4 -- sleep 5"},
  });
  script.drains.push_back({.at = Milliseconds(7000), .until = Seconds(40), .nodes = {"lakes/n1"}});
  const ScriptResult result = Played(script);
  ASSERT_THAT(result.jobs, SizeIs(2));
  EXPECT_EQ(result.jobs[0].view.outcome, schemas::Outcome::kCancelled);
  EXPECT_GT(Started(result, 1), 40) << "both nodes are there from then on";
  EXPECT_LT(Started(result, 1), 45);
}

TEST_F(Scripts, GiveTheSameTwice) {
  const config::ScriptConfig script = Script({
      {.name = "a", .at = Milliseconds(200), .submit = "-t 60s -l 2:ncpus=4 -- sleep 20"},
      {.name = "b", .at = Milliseconds(2200), .submit = "-t 30s -l 2:ncpus=2 -- sleep 15"},
      {.name = "c",
       .at = Milliseconds(4200),
       .submit = "-t 20s -l 1:ncpus=4 : -l 2:ncpus=2 -- sleep 4"},
  });
  const ScriptResult one = Played(script);
  const ScriptResult two = Played(script);
  ASSERT_EQ(one.jobs.size(), two.jobs.size());
  for (size_t i = 0; i < one.jobs.size(); ++i) EXPECT_TRUE(one.jobs[i].view == two.jobs[i].view);
}

TEST_F(Scripts, WhatCannotBePlayedIsSaid) {
  EXPECT_THAT(Refusal(Script({{.name = "a", .submit = "-t 60s -- true"}})),
              HasSubstr("job 'a' does not end with '-- sleep SECONDS'"));
  EXPECT_THAT(Refusal(Script({{.name = "a", .submit = "-t 1parsec -- sleep 1"}})),
              HasSubstr("1parsec"));
  config::ScriptConfig script = Script({});
  script.user = "ana";
  EXPECT_THAT(Refusal(script), HasSubstr("user 'ana' is no operator in "));
  script = Script({});
  script.sites.push_back(folder_ + "/none.toml");
  EXPECT_THAT(Refusal(script), HasSubstr("none.toml"));
  Write("mesh.toml", SiteText("mesh") + "[machine]\nkind = \"mesh\"\nsize = [2, 1]\n");
  script.sites = {folder_ + "/mesh.toml"};
  EXPECT_THAT(Refusal(script), HasSubstr("a mesh cannot be played"));
}

}  // namespace
}  // namespace muster::sim
