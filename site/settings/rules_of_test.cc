// From site.toml to the rules of a plan: nothing is lost, and the texts are readable.
#include "site/settings/rules_of.h"

#include <gtest/gtest.h>

#include "base/text/validity.h"

namespace muster::site {
namespace {

std::string When(std::string_view written) {
  const Diagnosed<Validity> validity = text::ParseValidity(written);
  EXPECT_TRUE(validity.ok()) << written;
  return WhenText(*validity);
}

TEST(WhenText, TimesOfEveryDayOrWeekAreShort) {
  EXPECT_EQ(When("always"), "");
  EXPECT_EQ(When("cron 0 8 * * Mon-Fri for 10h"), "Mon-Fri 08-18");
  EXPECT_EQ(When("cron 30 8 * * * for 45m"), "daily 08:30-09:15");
  EXPECT_EQ(When("cron 0 0 * * Sat for 1d"), "Sat 00-24");
}

TEST(WhenText, OthersAreAsWritten) {
  EXPECT_EQ(When("until 2027-03-01"), "until 2027-03-01");
  EXPECT_EQ(When("cron 0 20 * * Mon for 10h"), "cron 0 20 * * Mon for 10h");
  EXPECT_EQ(When("cron 0 8 1-7 */2 Mon for 10h"),
            text::ValidityText(*text::ParseValidity("cron 0 8 1-7 */2 Mon for 10h")));
}

constexpr char kFile[] = R"(
[site]
name      = "lakes"
time_zone = "Europe/Berlin"
meta      = "tcp://127.0.0.1:7710"
meta_key  = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"
key       = "lakes.key"
state_dir = "state"
[[nodes]]
names     = "n[1-2]"
resources = { ncpus = 16 }
[[nodes]]
names     = "g1"
resources = { ncpus = 16, ngpus = 4 }
only      = "ngpus >= 1 or duration <= 12h"
[jobwide]
licence_matlab = 20
[[limit]]
who      = "@students"
resource = "ncpus"
items    = "30/45%"
valid    = "cron 0 8 * * Mon-Fri for 10h"
[[freepool]]
name     = "quick"
resource = "ncpus"
keep     = "10/20%"
open_to  = "ncpus < 4 and duration < 1h"
[federation]
max_share = "80%"
)";

TEST(RulesOf, NothingOfTheFileIsLost) {
  const Diagnosed<config::SiteConfig> config = config::ParseSiteConfig("/tmp/site.toml", kFile);
  ASSERT_TRUE(config.ok()) << config.diagnostic().message;
  const rules::RuleSet rules = RulesOf(*config);
  ASSERT_EQ(rules.limits.size(), 1u);
  EXPECT_EQ(rules.limits[0].who, "@students");
  EXPECT_EQ(rules.limits[0].items, (Quota{30, 45}));
  EXPECT_EQ(rules.limits[0].when, "Mon-Fri 08-18");
  ASSERT_EQ(rules.pools.size(), 1u);
  EXPECT_EQ(rules.pools[0].keep, (Quota{10, 20}));
  EXPECT_EQ(rules.jobwide, (ResourceSet{{"licence_matlab", 20}}));
  EXPECT_EQ(rules.rule_of_node, (std::vector<uint32_t>{0, 0, 1}));
  EXPECT_TRUE(rules.node_rules[0].only.empty());
  EXPECT_EQ(rules.node_rules[1].only_text, "ngpus >= 1 or duration <= 12h");
  EXPECT_EQ(rules.federation_percent, 80);
  EXPECT_EQ(rules.zone, config->zone);
}

}  // namespace
}  // namespace muster::site
