// meta.toml: the file shown on the command's page is read; each fault is reported with its place.
#include "base/config/meta_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr const char* kPage = R"([meta]
name      = "campus"
listen    = "tcp://0.0.0.0:7710"   # sites and users dial in
key       = "meta.key"
state_dir = "/var/lib/muster/meta"
min_free  = "2gb"                  # less disk than this: new work is refused
record    = true                   # each turn is written to STATE_DIR/turns
[scheduler]
packing       = "auto"             # auto = implicit voting
threshold     = "1h"               # or "inf": promised at submission
block_max     = 1000               # entries of a block
ask_sites     = 3                  # best k sites asked per part
ask_joint     = 16                 # best k sites asked first about parts that start together
confidence    = 0.9                # of 'expected'
horizon       = "90d"
[protocol]                         # sent to the sites
lead          = "30s"              # at most start_wait
start_wait    = "90s"
permit_window = "60s"              # less than start_wait
answer_wait   = "5s"
settle        = "5s"
partner_wait  = "60s"
lease         = "30s"
heartbeat     = "2s"
[[queue]]                          # highest first
name = "interactive"
order = 8
[[queue]]
name = "normal"
order = 4
[[site]]                           # only listed keys are heard
name = "lakes"
key  = "pN2xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxc7"
[[site]]
name = "woods"
key  = "qN2xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxc7"
speed = "150%"                     # of the reference
cost = 3
[[user]]
name = "kim"
key  = "rT5fxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx9w"
role = "operator"                  # user | operator
groups = ["g1"]
home = "lakes"                     # preferred where all else is equal
[[link]]                           # for transfers and for parts that talk
between = ["lakes", "woods"]
mbit_per_s = 10000
latency = "1ms"
)";

constexpr const char* kLeast =
    "[meta]\nname = \"campus\"\nlisten = \"tcp://127.0.0.1:*\"\nkey = \"meta.key\"\nstate_dir = "
    "\"state\"\n";

// The error, if any, in the smallest good file followed by `more`, which begins in line 6.
std::string Error(const std::string& more) {
  const Diagnosed<MetaConfig> config = ParseMetaConfig("meta.toml", kLeast + more);
  return config.ok() ? "read without an error" : Render(config.diagnostic());
}

std::string Site(const std::string& name, char key) {
  return "[[site]]\nname = \"" + name + "\"\nkey = \"" + std::string(40, key) + "\"\n";
}

TEST(MetaConfig, ReadsTheFileOfTheCommandPage) {
  const Diagnosed<MetaConfig> read = ParseMetaConfig("/etc/muster/meta.toml", kPage);
  ASSERT_TRUE(read.ok()) << Render(read.diagnostic());
  EXPECT_EQ(read->name, "campus");
  EXPECT_EQ(read->listen, "tcp://0.0.0.0:7710");
  EXPECT_EQ(read->key_path, "/etc/muster/meta.key");
  EXPECT_EQ(read->state_dir, "/var/lib/muster/meta");
  EXPECT_EQ(read->min_free_bytes, int64_t{2} << 30);
  EXPECT_TRUE(read->record);
  EXPECT_EQ(read->scheduler.threshold, Span{3600});
  EXPECT_EQ(read->scheduler.horizon, Span{90 * 86400});
  EXPECT_EQ(read->protocol.start_wait, Seconds(90));
  EXPECT_EQ(read->protocol.heartbeat, Seconds(2));
  ASSERT_THAT(read->queues, SizeIs(2));
  EXPECT_EQ(read->queues[0].name, "interactive");
  EXPECT_EQ(read->queues[0].order, 8);
  ASSERT_THAT(read->sites, SizeIs(2));
  EXPECT_EQ(read->sites[1].name, "woods");
  ASSERT_THAT(read->users, SizeIs(1));
  EXPECT_TRUE(read->users[0].is_operator);
  EXPECT_THAT(read->users[0].groups, ElementsAre("g1"));
  EXPECT_EQ(read->users[0].home, "lakes");
  EXPECT_EQ(read->sites[0].speed_percent, 100);
  EXPECT_EQ(read->sites[0].cost, 0);
  EXPECT_EQ(read->sites[1].speed_percent, 150);
  EXPECT_EQ(read->sites[1].cost, 3);
  ASSERT_THAT(read->links, SizeIs(1));
  EXPECT_EQ(read->links[0].to, "woods");
  EXPECT_EQ(read->links[0].latency, Milliseconds(1));
}

TEST(MetaConfig, HasDefaultsForAllButTheMetaItself) {
  const Diagnosed<MetaConfig> read = ParseMetaConfig("etc/meta.toml", kLeast);
  ASSERT_TRUE(read.ok()) << Render(read.diagnostic());
  EXPECT_EQ(read->state_dir, "etc/state");
  EXPECT_EQ(read->scheduler.threshold, std::nullopt);
  EXPECT_EQ(read->protocol.lease, Seconds(30));
  EXPECT_THAT(read->queues, SizeIs(2));
  EXPECT_EQ(Error("[scheduler]\nthreshold = \"inf\"\n"), "read without an error");
}

TEST(MetaConfig, NamesTheMissing) {
  const auto error = [](const std::string& text) {
    return Render(ParseMetaConfig("meta.toml", text).diagnostic());
  };
  EXPECT_EQ(error(""),
            "muster: error[config]: [meta] is missing\n"
            "  --> meta.toml\n");
  EXPECT_EQ(error("# campus\n[meta]\nname = \"campus\"\n"),
            "muster: error[config]: [meta] needs 'listen'\n"
            "  --> meta.toml:2:1\n"
            " 2 | [meta]\n"
            "   | ^^^^^^\n");
  EXPECT_EQ(Error("[[site]]\nname = \"lakes\"\n"),
            "muster: error[config]: [[site]] needs 'key'\n"
            "  --> meta.toml:6:1\n"
            " 6 | [[site]]\n"
            "   | ^^^^^^^^\n");
}

TEST(MetaConfig, RefusesALeadBeyondTheBarrier) {
  EXPECT_EQ(Error("[protocol]\nlead = \"2m\"\n"),
            "muster: error[config]: lead (2m) is more than start_wait (1m30s)\n"
            "  --> meta.toml:7:8\n"
            " 7 | lead = \"2m\"\n"
            "   |        ^^^^\n"
            "  help: sites are told no later than the barrier lasts: lead is at most start_wait\n");
  EXPECT_EQ(Error("[protocol]\nlead = \"90s\"\n"), "read without an error");
}

TEST(MetaConfig, RefusesAPermitWindowThatIsNotLessThanTheBarrier) {
  EXPECT_EQ(Error("[protocol]\nlead = \"2s\"\nstart_wait = \"60s\"\n"),
            "muster: error[config]: permit_window (1m) is not less than start_wait (1m)\n"
            "  --> meta.toml:8:14\n"
            " 8 | start_wait = \"60s\"\n"
            "   |              ^^^^^\n"
            "  help: permits end before the barrier does: permit_window is less than start_wait\n");
  EXPECT_EQ(Error("[protocol]\nlead = \"2s\"\nstart_wait = \"10s\"\npermit_window = \"6s\"\n"),
            "read without an error");
}

TEST(MetaConfig, RefusesMalformedDurations) {
  EXPECT_EQ(Error("[protocol]\nlease = 30\n"),
            "muster: error[config]: malformed duration for 'lease'\n"
            "  --> meta.toml:7:9\n"
            " 7 | lease = 30\n"
            "   |         ^^ thirty what?\n"
            "  help: \"30s\" or \"30m\"\n");
  EXPECT_EQ(Error("[protocol]\nlease = \"10:00\"\n"),
            "muster: error[config]: malformed duration for 'lease'\n"
            "  --> meta.toml:7:9\n"
            " 7 | lease = \"10:00\"\n"
            "   |         ^^^^^^^ '10:00': minutes and seconds, or hours and minutes?\n"
            "  help: 00:10:00 or 10:00:00\n");
  EXPECT_EQ(Error("[protocol]\nlease = \"301s\"\n"),
            "muster: error[config]: 'lease' is out of bounds\n"
            "  --> meta.toml:7:9\n"
            " 7 | lease = \"301s\"\n"
            "   |         ^^^^^^\n"
            "  help: accepted: 10ms to 5m\n");
}

TEST(MetaConfig, RefusesTwoSitesOfOneName) {
  EXPECT_EQ(Error(Site("lakes", 'a') + Site("lakes", 'b')),
            "muster: error[config]: two sites are named 'lakes'\n"
            "  --> meta.toml:10:8\n"
            "10 | name = \"lakes\"\n"
            "   |        ^^^^^^^ the first stands in line 7\n");
}

TEST(MetaConfig, RefusesOneKeyForTwoPeersThoughOneIsAUser) {
  EXPECT_EQ(Error(Site("lakes", 'a') + "[[user]]\nname = \"lakes\"\nkey = \"" +
                  std::string(40, 'a') + "\"\n"),
            "muster: error[config]: this key is listed twice\n"
            "  --> meta.toml:11:7\n"
            "11 | key = \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"\n"
            "   |       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ the first stands in line 8\n"
            "  help: a key gives one identity; make another with 'muster keys new'\n");
}

TEST(MetaConfig, RefusesMalformedKeysNamesAndAddresses) {
  EXPECT_THAT(Error("[[site]]\nname = \"lakes\"\nkey = \"pN2x…c7\"\n"),
              HasSubstr("malformed key\n"
                        "  --> meta.toml:8:7\n"
                        " 8 | key = \"pN2x…c7\"\n"
                        "   |       ^^^^^^^^^ this has 9 characters\n"));
  EXPECT_THAT(Error("[[site]]\nname = \"a b\"\nkey = \"" + std::string(40, 'a') + "\"\n"),
              HasSubstr("malformed name 'a b'\n  --> meta.toml:7:8\n"));
  EXPECT_THAT(Error(Site("any", 'a')), HasSubstr("no site is named 'any'"));
  for (const std::string address :
       {"7710", "tcp://", "tcp://host", "tcp://host:0", "tcp://host:99999", "ipc://x",
        "tcp://host:77x", "tcp://:7710"}) {
    const std::string text =
        "[meta]\nname = \"c\"\nlisten = \"" + address + "\"\nkey = \"k\"\nstate_dir = \"s\"\n";
    EXPECT_THAT(Render(ParseMetaConfig("meta.toml", text).diagnostic()),
                HasSubstr("malformed address '" + address + "'\n  --> meta.toml:3:10\n"));
  }
}

TEST(MetaConfig, RefusesHomesAndLinksOfUnknownSites) {
  EXPECT_EQ(Error(Site("lakes", 'a') + "[[user]]\nname = \"kim\"\nkey = \"" + std::string(40, 'b') +
                  "\"\nhome = \"lake\"\n"),
            "muster: error[config]: unknown site 'lake'\n"
            "  --> meta.toml:12:8\n"
            "12 | home = \"lake\"\n"
            "   |        ^^^^^^ did you mean 'lakes'?\n"
            "  help: sites here: lakes\n");
  const std::string link = "\nmbit_per_s = 1\nlatency = \"1ms\"\n";
  EXPECT_THAT(Error(Site("lakes", 'a') + "[[link]]\nbetween = [\"lakes\"]" + link),
              HasSubstr("a link is between two sites"));
  EXPECT_THAT(Error(Site("lakes", 'a') + "[[link]]\nbetween = [\"lakes\", \"lakes\"]" + link),
              HasSubstr("a link is between two different sites"));
  EXPECT_THAT(
      Error(Site("lakes", 'a') + Site("woods", 'b') + "[[link]]\nbetween = [\"lakes\", \"woods\"]" +
            link + "[[link]]\nbetween = [\"woods\", \"lakes\"]" + link),
      HasSubstr("this link is listed twice"));
}

TEST(MetaConfig, RefusesSpeedsAndCostsThatNoSiteHas) {
  EXPECT_THAT(Error(Site("lakes", 'a') + "speed = \"0%\"\n"), HasSubstr("speed"));
  EXPECT_THAT(Error(Site("lakes", 'a') + "speed = 1.5\n"), HasSubstr("speed"));
  EXPECT_THAT(Error(Site("lakes", 'a') + "cost = -1\n"), HasSubstr("cost"));
}

TEST(MetaConfig, TellsTheErrorThatStandsFirst) {
  EXPECT_THAT(Error("[protocol]\nlese = \"1s\"\nlead = 5\n[[site]]\n"),
              HasSubstr("unknown name 'lese'"));
  EXPECT_THAT(Error("[protocol]\nlead = 5\nlese = \"1s\"\n[[site]]\n"), HasSubstr("five what?"));
}

TEST(MetaConfig, RefusesASectionWrittenAsOneOfAList) {
  EXPECT_THAT(Error("[site]\nname = \"lakes\"\n"), HasSubstr("'site' is a list: write [[site]]"));
  EXPECT_THAT(Error("[[protocol]]\nlead = \"1s\"\n"), HasSubstr("[protocol] is a section"));
}

}  // namespace
}  // namespace muster::config
