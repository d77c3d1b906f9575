// The rules of site.toml: each table as the pages show it, and each kind of bad input refused with
// its place and what would be right.
#include "base/config/site_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/config/site_config.h"
#include "base/text/condition.h"
#include "base/text/validity.h"

namespace muster::config::site_rules_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

constexpr int64_t kGb = int64_t{1} << 30;

// Rules begin in line 19 of the file: 18 nodes, 288 ncpus, 8 ngpus, 20 licences.
constexpr const char* kSite = R"([site]
name      = "lakes"
time_zone = "Europe/Berlin"
meta      = "tcp://meta.campus.example:7710"
meta_key  = "Yp3kxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxQ1"
key       = "lakes.key"
state_dir = "/var/lib/muster/lakes"
[[nodes]]
names      = "n[1-16]"
resources  = { ncpus = 16, mem = "64gb" }
properties = { arch = "x86_64", net = "ib" }
[[nodes]]
names      = "g[1-2]"
resources  = { ncpus = 16, mem = "256gb", ngpus = 4 }
only       = "ngpus >= 1 or mem >= 80gb or duration <= 12h"
[jobwide]
licence_matlab = 20
scratch = "10tb"
)";
// 1 June 2026, noon in Berlin.
constexpr Instant kNow{1780308000};

Diagnosed<SiteConfig> Read(const std::string& rules, std::optional<AsOf> as_of = AsOf{kNow}) {
  return ParseSiteConfig("site.toml", kSite + rules, as_of);
}

SiteConfig Good(const std::string& rules) {
  const Diagnosed<SiteConfig> config = Read(rules);
  EXPECT_TRUE(config.ok()) << Render(config.diagnostic());
  return config.ok() ? *config : SiteConfig();
}

std::string Error(const std::string& rules) {
  const Diagnosed<SiteConfig> config = Read(rules);
  return config.ok() ? "read without an error" : Render(config.diagnostic());
}

// The site with another second [[nodes]], whose third line is line 15 of the file.
std::string NodesError(const std::string& lines) {
  std::string text = kSite;
  const size_t begin = text.find("only ");
  text.replace(begin, text.find("[jobwide]") - begin, lines + "\n");
  const Diagnosed<SiteConfig> config = ParseSiteConfig("site.toml", text);
  return config.ok() ? "read without an error" : Render(config.diagnostic());
}

TEST(SiteNodes, RangesHaveConditionsWeightsAndWhatTheyKeep) {
  std::string text = kSite;
  text.insert(text.find("[jobwide]"),
              "weight = 3\nkeep = { ncpus = 2, mem = \"8gb\", for = \"ngpus\" }\n");
  const Diagnosed<SiteConfig> config = ParseSiteConfig("site.toml", text);
  ASSERT_TRUE(config.ok()) << Render(config.diagnostic());
  ASSERT_THAT(config->ranges, SizeIs(2));
  EXPECT_EQ(config->ranges[0].names, "n[1-16]");
  EXPECT_TRUE(config->ranges[0].only.empty());
  EXPECT_EQ(config->ranges[0].weight, 0);
  EXPECT_FALSE(config->ranges[0].keep.has_value());
  EXPECT_EQ(text::ConditionText(config->ranges[1].only),
            "ngpus >= 1 or mem >= 80gb or duration <= 12h");
  EXPECT_EQ(config->ranges[1].weight, 3);
  EXPECT_EQ(config->ranges[1].keep, (KeepConfig{{{"ncpus", 2}, {"mem", 8 * kGb}}, {"ngpus"}}));
  EXPECT_EQ(config->nodes[15].range, 0u);
  EXPECT_EQ(config->nodes[16].range, 1u);
  EXPECT_EQ(config->jobwide, (ResourceSet{{"licence_matlab", 20}, {"scratch", 10240 * kGb}}));
}

TEST(SiteNodes, AConditionMayNameWhatIsDeclaredFurtherDown) {
  std::string text = kSite;
  text.insert(text.find("[[nodes]]\nnames      = \"g"), "only = \"ngpus = 0 and net = ib\"\n");
  EXPECT_TRUE(ParseSiteConfig("site.toml", text).ok());
}

TEST(SiteNodes, RefusesAConditionWhereItIsWrong) {
  EXPECT_EQ(NodesError("only = \"ngpus >= 1 or memory >= 80gb\""),
            "muster: error[config]: unknown name 'memory'\n"
            "  --> site.toml:15:23\n"
            "15 | only = \"ngpus >= 1 or memory >= 80gb\"\n"
            "   |                       ^^^^^^\n"
            "  help: declared: user, group, account, qos, queue, class, duration, ncpus, mem, "
            "ngpus, arch, net\n");
  EXPECT_THAT(NodesError("only = \"ngpus >\""),
              HasSubstr("expected an amount, not the end\n  --> site.toml:15:16\n"));
  EXPECT_THAT(NodesError("only = \"licence_matlab > 1\""),
              HasSubstr("unknown name 'licence_matlab'"));
}

TEST(SiteNodes, RefusesToKeepWhatTheNodesDoNotHave) {
  EXPECT_EQ(NodesError("keep = { ncpus = 17, for = \"ngpus\" }"),
            "muster: error[config]: these nodes have 16 ncpus, and cannot keep 17\n"
            "  --> site.toml:15:18\n"
            "15 | keep = { ncpus = 17, for = \"ngpus\" }\n"
            "   |                  ^^\n"
            "  help: accepted: 1 to 16\n");
  EXPECT_THAT(NodesError("keep = { ncpus = 2, for = \"ngpu\" }"),
              HasSubstr("these nodes have no 'ngpu'\n  --> site.toml:15:27\n"));
  EXPECT_THAT(NodesError("keep = { ncpus = 2 }"), HasSubstr("needs 'for'\n  --> site.toml:15:"));
  EXPECT_THAT(NodesError("keep = { for = \"ngpus\" }"), HasSubstr("names nothing to keep"));
  EXPECT_THAT(NodesError("keep = { cores = 2, for = \"ngpus\" }"),
              HasSubstr("unknown resource 'cores'\n  --> site.toml:15:10\n"));
  EXPECT_THAT(NodesError("weight = 5000"), HasSubstr("accepted: -1000 to 1000"));
}

TEST(SiteNodes, RefusesAmountsThatOverflow) {
  EXPECT_THAT(NodesError("[[nodes]]\nnames = \"x[1-9999]\"\nresources = { mem = \"1000000tb\" }"),
              HasSubstr("all nodes together have more mem than can be counted\n"
                        "  --> site.toml:16:9\n"));
  EXPECT_THAT(NodesError("[[nodes]]\nnames = \"x\"\nresources = { ncpus = 9999999999999999 }"),
              HasSubstr("'ncpus' is out of bounds\n  --> site.toml:17:23\n"));
  EXPECT_THAT(Error("unit = -1\n"), HasSubstr("'unit' is out of bounds\n  --> site.toml:19:8\n"));
  EXPECT_THAT(Error("unit = 0\n"), HasSubstr("'unit' is nothing here\n  --> site.toml:19:8\n"));
}

TEST(SiteNodes, RefusesNamesThatMeanSomethingElse) {
  EXPECT_THAT(Error("ncpus = 4\n"), HasSubstr("'ncpus' is of nodes already"));
  EXPECT_THAT(Error("jobs = 4\n"), HasSubstr("no resource can be named 'jobs'"));
  EXPECT_THAT(Error("duration = 4\n"), HasSubstr("no resource can be named 'duration'"));
}

TEST(SiteNodes, WarnsOfPropertiesThatRequestsReadAsAmounts) {
  std::string text = kSite;
  text.replace(text.find("\"ib\""), 4, "\"10g\"");
  const Diagnosed<SiteConfig> config = ParseSiteConfig("site.toml", text);
  ASSERT_TRUE(config.ok());
  EXPECT_THAT(config->warnings,
              ElementsAre(HasSubstr("net=10g in a request is a size: it cannot be asked for")));
}

TEST(SiteSwitches, FormATreeOverNodes) {
  const SiteConfig config = Good(
      "[[switch]]\nname = \"s1\"\nnodes = \"n[1-8]\"\n"
      "[[switch]]\nname = \"s2\"\nnodes = \"n[9-16],g[1-2]\"\n"
      "[[switch]]\nname = \"core\"\nswitches = \"s[1-2]\"\n");
  ASSERT_THAT(config.switches, SizeIs(3));
  EXPECT_THAT(config.switches[0].nodes, SizeIs(8));
  EXPECT_EQ(config.switches[1].nodes.back(), "g2");
  EXPECT_THAT(config.switches[2].switches, ElementsAre("s1", "s2"));
}

TEST(SiteSwitches, RefusesWhatIsNoTree) {
  const std::string first = "[[switch]]\nname = \"s1\"\nnodes = \"n[1-8]\"\n";
  EXPECT_EQ(Error(first + "[[switch]]\nname = \"s2\"\nnodes = \"n[8-16]\"\n"),
            "muster: error[config]: node 'n8' is at switch 's1' already\n"
            "  --> site.toml:24:9\n"
            "24 | nodes = \"n[8-16]\"\n"
            "   |         ^^^^^^^^^\n"
            "  help: each node is at one switch at most\n");
  EXPECT_THAT(Error(first + "[[switch]]\nname = \"s2\"\nnodes = \"n17\"\n"),
              HasSubstr("no node is named 'n17'"));
  EXPECT_THAT(Error(first + "[[switch]]\nname = \"s1\"\nnodes = \"n9\"\n"),
              HasSubstr("two switches are named 's1'\n  --> site.toml:23:8\n"));
  EXPECT_THAT(Error(first + "[[switch]]\nname = \"s2\"\n"),
              HasSubstr("a switch has 'nodes' or 'switches' below it\n  --> site.toml:22:1\n"));
  EXPECT_THAT(Error(first + "[[switch]]\nname = \"s2\"\nswitches = \"s3\"\n"),
              HasSubstr("no switch is named 's3'\n  --> site.toml:24:12\n"));
  EXPECT_THAT(Error(first + "[[switch]]\nname = \"a\"\nswitches = \"s1\"\n"
                            "[[switch]]\nname = \"b\"\nswitches = \"s1\"\n"),
              HasSubstr("switch 's1' is below switch 'a' already"));
  EXPECT_THAT(Error("[[switch]]\nname = \"a\"\nswitches = \"b\"\n"
                    "[[switch]]\nname = \"b\"\nswitches = \"a\"\n"),
              HasSubstr("switch 'a' would be below itself"));
}

// OpenCCS Example 1.
TEST(SiteLimits, AreThoseOfThePaper) {
  const SiteConfig config = Good(
      "[[limit]]\nresource = \"*\"\nitems = \"unlimited\"\nduration = \"7d\"\narea = \"none\"\n"
      "[[limit]]\nresource = \"ncpus\"\nitems = \"640\"\nduration = \"4d3h\"\n"
      "valid = \"from 2026-08-01 to 2026-08-31\"\n"
      "[[limit]]\nresource = \"ngpus\"\nitems = \"unlimited\"\nduration = \"none\"\n"
      "area = \"500h\"\n"
      "[[limit]]\nresource = \"arrayjobs\"\nitems = \"1000\"\n"
      "[[limit]]\nresource = \"jobs\"\nitems = 5000\n");
  ASSERT_THAT(config.limits, SizeIs(5));
  EXPECT_EQ(config.limits[0].who, "*");
  EXPECT_EQ(config.limits[0].resource, "*");
  EXPECT_TRUE(config.limits[0].items.unlimited());
  EXPECT_EQ(config.limits[0].duration, Span{7 * 86400});
  EXPECT_EQ(config.limits[0].area, std::nullopt);
  EXPECT_EQ(config.limits[1].items, (Quota{.items = 640}));
  EXPECT_EQ(config.limits[1].duration, Span{(4 * 24 + 3) * 3600});
  EXPECT_EQ(text::ValidityText(config.limits[1].valid), "from 2026-08-01 to 2026-08-31");
  EXPECT_EQ(config.limits[2].duration, std::nullopt);
  EXPECT_EQ(config.limits[2].area, 500 * 3600);
  EXPECT_EQ(config.limits[3].items, (Quota{.items = 1000}));
  EXPECT_EQ(config.limits[4].items, (Quota{.items = 5000}));
  EXPECT_THAT(config.warnings, IsEmpty());
}

TEST(SiteLimits, ItemsAreTheLargerOfANumberAndAShare) {
  const SiteConfig config = Good(
      "[[limit]]\nwho = \"@students\"\nresource = \"ncpus\"\nitems = \"30/45%\"\nsoft = true\n"
      "[[limit]]\nwho = \"kim\"\nresource = \"mem\"\nitems = \"64gb\"\n"
      "[[limit]]\nresource = \"ngpus\"\nitems = \"0%\"\n");
  EXPECT_EQ(config.limits[0].items, (Quota{.items = 30, .percent = 45}));
  EXPECT_TRUE(config.limits[0].soft);
  EXPECT_EQ(config.limits[0].items.Of(288), 129);
  EXPECT_EQ(config.limits[0].items.Of(50), 30);
  EXPECT_EQ(config.limits[1].items, (Quota{.items = 64 * kGb}));
  EXPECT_EQ(config.limits[2].items.Of(8), 0);
  EXPECT_EQ((Quota{.percent = 100}).Of(int64_t{1} << 60), int64_t{1} << 60);
  EXPECT_EQ((Quota{.percent = 33}).Of(199), 65);
}

TEST(SiteLimits, RefusesUnknownResourcesAndMalformedConsumers) {
  EXPECT_EQ(Error("[[limit]]\nresource = \"ngpu\"\nitems = \"4\"\n"),
            "muster: error[config]: unknown resource 'ngpu'\n"
            "  --> site.toml:20:12\n"
            "20 | resource = \"ngpu\"\n"
            "   |            ^^^^^^ did you mean 'ngpus'?\n"
            "  help: declared: ncpus, mem, ngpus, licence_matlab, scratch, jobs, arrayjobs, *\n");
  EXPECT_THAT(Error("[[limit]]\nwho = \"@\"\nresource = \"jobs\"\nitems = 1\n"),
              HasSubstr("malformed name '@'\n  --> site.toml:20:7\n"));
  EXPECT_THAT(Error("[[limit]]\nwho = \"no such group is fine\"\nresource = \"jobs\"\nitems = 1\n"),
              HasSubstr("malformed name"));
}

// One [[limit]] on ncpus whose third line is line 21.
std::string LimitError(const std::string& line, const std::string& resource = "ncpus") {
  return Error("[[limit]]\nresource = \"" + resource + "\"\n" + line + "\n");
}

TEST(SiteLimits, RefusesNegativeOverflowingAndZeroValues) {
  EXPECT_EQ(LimitError("items = \"-3\""),
            "muster: error[config]: malformed items '-3'\n"
            "  --> site.toml:21:9\n"
            "21 | items = \"-3\"\n"
            "   |         ^^^^ this is negative\n"
            "  help: as in \"30\", \"45%\", \"30/45%\" or \"unlimited\"\n");
  EXPECT_THAT(LimitError("items = -3"), HasSubstr("'items' is out of bounds"));
  EXPECT_THAT(LimitError("items = \"99999999999999999999\""),
              HasSubstr("this is more than can be counted"));
  EXPECT_THAT(LimitError("items = \"4gb\""), HasSubstr("ncpus is counted and has no unit"));
  EXPECT_THAT(LimitError("items = \"many\""), HasSubstr("this is not a number"));
  EXPECT_THAT(LimitError("items = \"45%/30\""), HasSubstr("malformed items '45%/30'"));
  EXPECT_THAT(LimitError("items = \"120%\""),
              HasSubstr("'120%' is out of bounds\n  --> site.toml:21:9\n"));
  EXPECT_THAT(LimitError("items = \"30/-1%\""), HasSubstr("'-1%' is out of bounds"));
  EXPECT_THAT(LimitError("items = \"30/x%\""), HasSubstr("malformed share 'x%'"));
  EXPECT_THAT(LimitError("duration = \"0s\""),
              HasSubstr("'duration' is out of bounds\n  --> site.toml:21:12\n"));
  EXPECT_THAT(LimitError("duration = \"7\""), HasSubstr("seven what?"));
  EXPECT_THAT(LimitError("area = \"0h\""), HasSubstr("it is more than nothing"));
  EXPECT_THAT(LimitError("area = \"-5h\""), HasSubstr("it is more than nothing"));
  EXPECT_THAT(LimitError("area = \"500\""), HasSubstr("it ends in s, m, h or d"));
  EXPECT_THAT(LimitError("area = \"9999999999999999h\""),
              HasSubstr("this is more than can be counted\n"));
}

TEST(SiteLimits, RefusesWhatLimitsNothingOrCannotBeMeant) {
  EXPECT_EQ(Error("[[limit]]\nresource = \"ncpus\"\n"),
            "muster: error[config]: [[limit]] needs 'items', 'duration' or 'area'\n"
            "  --> site.toml:19:1\n"
            "19 | [[limit]]\n"
            "   | ^^^^^^^^^\n");
  EXPECT_THAT(LimitError("items = 5", "*"), HasSubstr("so many of what?"));
  EXPECT_THAT(LimitError("items = \"5%\"", "jobs"), HasSubstr("nothing to take a share of"));
  EXPECT_THAT(LimitError("items = 5\narea = \"5h\"", "arrayjobs"),
              HasSubstr("'arrayjobs' are only counted\n  --> site.toml:22:8\n"));
  EXPECT_THAT(LimitError("duration = \"1h\"\nsoft = true"),
              HasSubstr("a soft limit has 'items' that widen"));
  EXPECT_THAT(LimitError("items = 5\neach = \"group\""),
              HasSubstr("'group' is nothing that is counted apart\n  --> site.toml:22:8\n"));
  EXPECT_THAT(LimitError("items = 5\neach = \"user\""),
              HasSubstr("a limit of '*' is for each user already\n  --> site.toml:22:8\n"));
  EXPECT_THAT(LimitError("items = 5\nwho = \"kim\"\neach = \"user\""),
              HasSubstr("'kim' is one user\n  --> site.toml:23:8\n"));
  EXPECT_THAT(LimitError("items = 5\nwho = \"@g\"\n[[limit]]\nwho = \"@g\"\neach = \"user\"\n"
                         "resource = \"ncpus\"\nitems = 6"),
              HasSubstr("read without an error"));
  EXPECT_THAT(LimitError("items = 5\n[[limit]]\nresource = \"ncpus\"\nitems = 6"),
              HasSubstr("two limits are for * on ncpus, valid always\n  --> site.toml:22:1\n"));
  EXPECT_THAT(LimitError("items = 5\n[[limit]]\nresource = \"ncpus\"\nitems = 6\n"
                         "valid = \"cron 0 8 * * * for 1h\""),
              HasSubstr("read without an error"));
}

TEST(SiteLimits, RefusesValiditiesWhereTheyAreWrong) {
  EXPECT_EQ(LimitError("items = 5\nvalid = \"cron 0 8 31 Feb * for 10h\""),
            "muster: error[config]: this time never comes: no month of Feb has a day 31\n"
            "  --> site.toml:22:19\n"
            "22 | valid = \"cron 0 8 31 Feb * for 10h\"\n"
            "   |                   ^^^^^^\n"
            "  help: a day that such a month has; the last is at least 28\n");
  EXPECT_THAT(LimitError("items = 5\nvalid = \"cron 0 8 * * Mon-Fri for 0s\""),
              HasSubstr("each time lasts longer than nothing"));
  EXPECT_THAT(LimitError("items = 5\nvalid = \"cron 0 25 * * * for 1h\""),
              HasSubstr("'25' is no hour: 0 to 23\n  --> site.toml:22:17\n"));
}

TEST(SiteLimits, WarnsOfThoseThatAreOver) {
  const SiteConfig config = Good(
      "[[limit]]\nresource = \"ncpus\"\nitems = 5\nvalid = \"until 2026-05-31\"\n"
      "[[limit]]\nresource = \"ncpus\"\nitems = 6\nvalid = \"until 2026-06-01\"\n");
  EXPECT_THAT(config.warnings, ElementsAre("[[limit]] of * on ncpus is in the past: it ended at "
                                           "2026-06-01T00:00"));
}

// OpenCCS Sect. 3, the examples of FreePools.
TEST(SitePools, AreThoseOfThePaper) {
  const SiteConfig config = Good(
      "[[freepool]]\nname = \"quick\"\nresource = \"ncpus\"\nkeep = \"10/20%\"\n"
      "open_to = \"ncpus < 4 and duration < 1h\"\n"
      "[[freepool]]\nname = \"gpu-groups\"\nresource = \"ngpus\"\nkeep = \"100%\"\n"
      "open_to = \"group in (g1, g2) or user = alice or duration <= 2h\"\n"
      "valid = \"until 2027-12-31\"\n");
  ASSERT_THAT(config.pools, SizeIs(2));
  EXPECT_EQ(config.pools[0].name, "quick");
  EXPECT_EQ(config.pools[0].keep, (Quota{.items = 10, .percent = 20}));
  EXPECT_EQ(text::ConditionText(config.pools[0].open_to), "ncpus < 4 and duration < 1h");
  EXPECT_EQ(config.pools[1].keep.Of(8), 8);
  EXPECT_THAT(config.warnings, IsEmpty());
}

// Maui Sect. IV (quick turnaround).
TEST(SitePools, MayLendWhatTheyKeep) {
  const std::string pool =
      "[[freepool]]\nname = \"quick\"\nresource = \"ncpus\"\nkeep = \"4\"\n"
      "open_to = \"class = interactive\"\nlend = true\n";
  const std::string reservation =
      "[[reservation]]\nname = \"course\"\nnodes = \"n1\"\nallow = [\"kim\"]\n"
      "valid = \"cron 0 8 * * Mon-Fri for 10h\"\nlend = true\n";
  const SiteConfig good = Good(pool + reservation + "[lent]\nto = [\"*\"]\n");
  EXPECT_TRUE(good.pools.at(0).lend);
  EXPECT_TRUE(good.reservations.at(0).lend);
  EXPECT_THAT(good.warnings, IsEmpty());
  EXPECT_THAT(Good(pool).warnings,
              ElementsAre("[[freepool]] 'quick' lends what it keeps to nobody: there is no [lent] "
                          "to"));
}

// One [[freepool]] of ngpus, whose fourth line is line 22.
std::string PoolError(const std::string& lines, const std::string& resource = "ngpus") {
  return Error("[[freepool]]\nname = \"p\"\nresource = \"" + resource + "\"\n" + lines + "\n");
}

TEST(SitePools, RefusesThoseLargerThanTheMachine) {
  EXPECT_EQ(PoolError("keep = \"9/20%\"\nopen_to = \"user = a\""),
            "muster: error[config]: this pool keeps 9 ngpus, and the site has 8\n"
            "  --> site.toml:22:8\n"
            "22 | keep = \"9/20%\"\n"
            "   |        ^^^^^^^\n"
            "  help: at most 8, or a share as in \"20%\"\n");
  EXPECT_THAT(PoolError("keep = \"2tb\"\nopen_to = \"user = a\"", "mem"),
              HasSubstr("this pool keeps 2tb mem, and the site has 1536gb"));
  EXPECT_THAT(PoolError("keep = \"21\"\nopen_to = \"user = a\"", "licence_matlab"),
              HasSubstr("this pool keeps 21 licence_matlab, and the site has 20"));
  EXPECT_THAT(PoolError("keep = \"101%\"\nopen_to = \"user = a\""),
              HasSubstr("'101%' is out of bounds"));
  const SiteConfig config = Good(
      "[[freepool]]\nname = \"a\"\nresource = \"ngpus\"\nkeep = \"60%\"\nopen_to = \"user = a\"\n"
      "[[freepool]]\nname = \"b\"\nresource = \"ngpus\"\nkeep = \"5\"\nopen_to = \"user = b\"\n");
  EXPECT_THAT(config.warnings,
              ElementsAre("[[freepool]]s together keep 9 ngpus, and the site has 8"));
}

TEST(SitePools, RefusesThoseThatKeepNothingOrAreOpenToNobody) {
  EXPECT_THAT(PoolError("keep = \"0\"\nopen_to = \"user = a\""), HasSubstr("keeps nothing"));
  EXPECT_THAT(PoolError("keep = \"unlimited\"\nopen_to = \"user = a\""),
              HasSubstr("keeps without end"));
  EXPECT_THAT(PoolError("keep = \"5\""), HasSubstr("[[freepool]] needs 'open_to'"));
  EXPECT_THAT(PoolError("keep = \"5\"\nopen_to = \"\""), HasSubstr("'open_to' is empty"));
  EXPECT_THAT(PoolError("keep = \"5\"\nopen_to = \"arch = x86_64\""),
              HasSubstr("unknown name 'arch'\n  --> site.toml:23:12\n"));
  EXPECT_THAT(PoolError("keep = \"5\"\nopen_to = \"user = a\"", "*"),
              HasSubstr("unknown resource '*'"));
  EXPECT_THAT(PoolError("keep = 5\nopen_to = \"user = a\"\n[[freepool]]\nname = \"p\"\n"
                        "resource = \"mem\"\nkeep = \"5gb\"\nopen_to = \"user = a\""),
              HasSubstr("two freepools are named 'p'\n  --> site.toml:25:8\n"));
}

TEST(SiteReservations, AreStandingOnesWithTheirNodes) {
  const SiteConfig config = Good(
      "[[reservation]]\nname = \"gpu-maintenance\"\nnodes = \"g[1-2]\"\nallow = [\"@operators\"]\n"
      "valid = \"cron 0 8 1-7 */2 Mon for 10h\"\n");
  ASSERT_THAT(config.reservations, SizeIs(1));
  EXPECT_EQ(config.reservations[0].name, "gpu-maintenance");
  EXPECT_THAT(config.reservations[0].nodes, ElementsAre("g1", "g2"));
  EXPECT_THAT(config.reservations[0].allow, ElementsAre("@operators"));
  EXPECT_EQ(text::ValidityText(config.reservations[0].valid), "cron 0 8 1-7 */2 Mon for 10h");
}

std::string Reservation(const std::string& nodes, const std::string& valid) {
  return "[[reservation]]\nname = \"r\"\nnodes = \"" + nodes + "\"\nallow = []\nvalid = \"" +
         valid + "\"\n";
}

TEST(SiteReservations, RefusesThoseInThePast) {
  const std::string past = Reservation("n1", "from 2026-05-01T08:00 to 2026-06-01T12:00");
  EXPECT_EQ(Error(past),
            "muster: error[config]: reservation 'r' is in the past: it ended at 2026-06-01T12:00\n"
            "  --> site.toml:23:9\n"
            "23 | valid = \"from 2026-05-01T08:00 to 2026-06-01T12:00\"\n"
            "   |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ it is now 2026-06-01T12:00\n"
            "  help: a time to come, or take the reservation out\n");
  EXPECT_TRUE(Read(past, std::nullopt).ok());
  EXPECT_TRUE(Read(past, AsOf{kNow - Span{1}}).ok());
}

TEST(SiteReservations, ThatArePastDoNotKeepADaemonFromStarting) {
  const auto config =
      Read(Reservation("n1", "until 2026-05-31"), AsOf{.now = kNow, .refuse_past = false});
  ASSERT_TRUE(config.ok());
  EXPECT_THAT(config->warnings, ElementsAre("reservation 'r' is in the past: it ended at "
                                            "2026-06-01T00:00"));
}

TEST(SiteReservations, RefusesNodesThatAreNotThereOrStandTwice) {
  EXPECT_EQ(Error(Reservation("n[15-17]", "always")),
            "muster: error[config]: no node is named 'n17'\n"
            "  --> site.toml:21:9\n"
            "21 | nodes = \"n[15-17]\"\n"
            "   |         ^^^^^^^^^^\n"
            "  help: declared: n[1-16], g[1-2]\n");
  EXPECT_THAT(Error(Reservation("n1,n[1-2]", "always")), HasSubstr("'n1' stands twice"));
  EXPECT_THAT(Error(Reservation("n1", "always") + Reservation("n2", "always")),
              HasSubstr("two reservations are named 'r'\n  --> site.toml:25:8\n"));
  EXPECT_THAT(Error("[[reservation]]\nname = \"r\"\nnodes = \"n1\"\nvalid = \"always\"\n"),
              HasSubstr("[[reservation]] needs 'allow' or 'open_to'"));
}

TEST(SiteReservations, RefusesTwoThatOverlapOnANode) {
  const auto named = [](const std::string& name, const std::string& nodes,
                        const std::string& valid) {
    return "[[reservation]]\nname = \"" + name + "\"\nnodes = \"" + nodes +
           "\"\nallow = []\nvalid = \"" + valid + "\"\n";
  };
  const std::string mondays = named("mondays", "n[1-2]", "cron 0 8 * * Mon for 10h");
  EXPECT_EQ(Error(mondays + named("once", "n[2-3]", "from 2027-01-04T17:00 to 2027-01-05T12:00")),
            "muster: error[config]: reservations 'mondays' and 'once' overlap on node n2\n"
            "  --> site.toml:28:9\n"
            "28 | valid = \"from 2027-01-04T17:00 to 2027-01-05T12:00\"\n"
            "   |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ first at 2027-01-04T17:00\n"
            "  help: other nodes or times, or one reservation; the first stands in line 23\n");
  // Other nodes, other days, or one that begins as the other ends.
  Good(mondays + named("other", "n[3-4]", "always"));
  Good(mondays + named("tuesdays", "n[1-2]", "cron 0 8 * * Tue for 10h"));
  Good(mondays + named("evenings", "n[1-2]", "cron 0 18 * * * for 6h"));
}

TEST(SiteDefaults, AreAddedToOrPutInPlaceOfWhatRequestsSay) {
  const SiteConfig config = Good(
      "[[default]]\nduration = \"1h\"\nresources = { mem = \"1gb\", licence_matlab = 1 }\n"
      "[[default]]\nwho = \"@students\"\nduration = \"30m\"\n"
      "[[force]]\nwho = \"guest\"\nproperties = { net = \"ib\" }\n");
  ASSERT_THAT(config.defaults, SizeIs(2));
  EXPECT_EQ(config.defaults[0].who, "*");
  EXPECT_EQ(config.defaults[0].duration, Span{3600});
  EXPECT_EQ(config.defaults[0].resources, (ResourceSet{{"mem", kGb}}));
  EXPECT_EQ(config.defaults[0].jobwide, (ResourceSet{{"licence_matlab", 1}}));
  EXPECT_EQ(config.defaults[1].who, "@students");
  ASSERT_THAT(config.forced, SizeIs(1));
  EXPECT_EQ(config.forced[0].who, "guest");
  EXPECT_THAT(config.forced[0].properties, ElementsAre(Pair("net", "ib")));
}

TEST(SiteDefaults, RefusesWhatNoRequestCouldHave) {
  EXPECT_EQ(Error("[[default]]\nresources = { ncpus = 17 }\n"),
            "muster: error[config]: no node has more than 16 ncpus\n"
            "  --> site.toml:20:15\n"
            "20 | resources = { ncpus = 17 }\n"
            "   |               ^^^^^ no request of * could ever run\n");
  EXPECT_THAT(Error("[[default]]\nresources = { licence_matlab = 21 }\n"),
              HasSubstr("the site has only 20 licence_matlab"));
  EXPECT_THAT(Error("[[default]]\nresources = { ncpu = 1 }\n"),
              HasSubstr("unknown resource 'ncpu'\n  --> site.toml:20:15\n"));
  EXPECT_THAT(Error("[[default]]\nresources = { ncpus = 0 }\n"), HasSubstr("'ncpus' is nothing"));
  EXPECT_THAT(Error("[[default]]\nresources = { ncpus = -1 }\n"), HasSubstr("out of bounds"));
  EXPECT_THAT(Error("[[force]]\nduration = \"0s\"\n"),
              HasSubstr("'duration' is out of bounds\n  --> site.toml:20:12\n"));
  EXPECT_THAT(Error("[[force]]\nproperties = { net = \"eth\" }\n"),
              HasSubstr("no node has net = 'eth'\n  --> site.toml:20:22\n"));
  EXPECT_THAT(Error("[[force]]\nproperties = { nett = \"ib\" }\n"),
              HasSubstr("no node has a property 'nett'"));
  EXPECT_THAT(Error("[[force]]\nwho = \"kim\"\n"), HasSubstr("[[force]] needs 'duration'"));
  EXPECT_THAT(Error("[[force]]\nduration = \"1h\"\n[[force]]\nduration = \"2h\"\n"),
              HasSubstr("two [[force]] are for '*'\n  --> site.toml:21:1\n"));
}

TEST(SitePlanning, HasAPolicyAHorizonAndABudget) {
  EXPECT_EQ(Good("").planning.policy, PlanningConfig::Policy::kGreedy);
  EXPECT_EQ(Good("").federation.horizon, Span{90 * 86400});
  const SiteConfig config =
      Good("[planning]\npolicy = \"best-fit\"\nhorizon = \"30d\"\nbudget = \"10ms\"\n");
  EXPECT_EQ(config.planning.policy, PlanningConfig::Policy::kBestFit);
  EXPECT_EQ(config.planning.horizon, Span{30 * 86400});
  EXPECT_EQ(config.planning.budget, Milliseconds(10));
  EXPECT_EQ(config.federation.horizon, Span{30 * 86400});
}

TEST(SitePlanning, RefusesWhatCannotBePlanned) {
  EXPECT_THAT(Error("[planning]\npolicy = \"switch\"\n"), HasSubstr("there is no [[switch]]"));
  EXPECT_THAT(Error("[planning]\npolicy = \"bestfit\"\n"),
              HasSubstr("unknown policy 'bestfit'\n  --> site.toml:20:10\n"));
  EXPECT_THAT(Error("[planning]\nbudget = \"0s\"\n"), HasSubstr("accepted: 1ms to 10s"));
  EXPECT_THAT(Error("[planning]\nhorizon = \"10d\"\n[federation]\nhorizon = \"30d\"\n"),
              HasSubstr("the meta cannot promise further ahead than anything is planned\n"
                        "  --> site.toml:22:11\n"));
}

}  // namespace
}  // namespace muster::config::site_rules_test
