// Replays take the times of deployed daemons, and delays that are drawn alike for everybody.
#include "sim/replay/replay_times.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "base/units.h"
#include "meta/options.h"
#include "sim/replay/link.h"
#include "sim/replay/site_text.h"

namespace muster::sim {
namespace {

// The duration that a sample file of `deploy/config` has under a key.
Span Deployed(const std::string& file, const std::string& key) {
  const char* const root = std::getenv("MUSTER_SOURCE_DIR");
  std::ifstream in((root == nullptr ? std::string(".") : root) + "/deploy/config/" + file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string name, equals, value;
    words >> name >> equals >> value;
    if (name != key || equals != "=" || value.size() < 2) continue;
    const absl::StatusOr<Span> span = ParseDuration(value.substr(1, value.rfind('"') - 1));
    EXPECT_TRUE(span.ok()) << line;
    return span.ok() ? *span : Span{-1};
  }
  ADD_FAILURE() << file << " has no " << key;
  return {-1};
}

TEST(ReplayTimes, AreThoseOfDeployedDaemonsUnlessIdeal) {
  auto site = SiteFromText("lakes=flat:8");
  ASSERT_TRUE(site.ok());
  EXPECT_EQ(site->site.facts.turnover, Deployed("site.toml", "turnover"));
  EXPECT_EQ(site->site.facts.start_slack, Span{1}) << "of the process driver";
  const schemas::ProtocolValues values = meta::Options().values;
  EXPECT_EQ(values.lead, ToBootSpan(Deployed("meta.toml", "lead")));
  EXPECT_EQ(values.start_wait, ToBootSpan(Deployed("meta.toml", "start_wait")));
  EXPECT_EQ(values.permit_window, ToBootSpan(Deployed("meta.toml", "permit_window")));
  MakeIdeal(site->site);
  EXPECT_EQ(site->site.facts.turnover, Span{0});
  EXPECT_EQ(site->site.facts.start_slack, Span{0});
  EXPECT_EQ(IdealValues().lead, BootSpan{0});
}

TEST(ReplayTimes, AStartIsLateByTheSameForEverybodyAndDrawnApartForEachPart) {
  std::set<BootSpan> delays;
  for (size_t job = 0; job < 100; ++job) {
    for (size_t part = 0; part < 3; ++part) {
      const BootSpan delay = StartDelay(1, job, part, kDaemonStartDelay);
      EXPECT_EQ(delay, StartDelay(1, job, part, kDaemonStartDelay));
      EXPECT_GE(delay, BootSpan{0});
      EXPECT_LE(delay, kDaemonStartDelay);
      delays.insert(delay);
    }
  }
  EXPECT_GT(delays.size(), 150u);
  EXPECT_LT(*delays.begin(), Milliseconds(10));
  EXPECT_GT(*delays.rbegin(), Milliseconds(290));
  EXPECT_EQ(StartDelay(1, 7, 0, BootSpan{0}), BootSpan{0});
}

TEST(Link, MessagesAreUnderWayForAWhileAndArriveInOrder) {
  Link<int> link;
  Random random(1);
  const LinkDelays delays{Milliseconds(5), Milliseconds(50)};
  for (int i = 0; i < 100; ++i) link.Send(BootInstant{1000}, delays, random, i);
  EXPECT_GE(*link.Next(), BootInstant{1005});
  EXPECT_TRUE(link.Arrived(BootInstant{1004}).empty());
  std::vector<int> heard;
  for (int64_t at = 1005; link.Next(); ++at) {
    for (const int message : link.Arrived(BootInstant{at})) heard.push_back(message);
    ASSERT_LE(at, 1050);
  }
  ASSERT_EQ(heard.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(heard[static_cast<size_t>(i)], i);
}

}  // namespace
}  // namespace muster::sim
