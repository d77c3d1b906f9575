// site.toml: what this version takes is read; what is wrong, and what only later versions take, is
// told with its place.
#include "base/config/site_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::config::site_config_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::SizeIs;

constexpr const char* kHead = R"([site]
name      = "lakes"
time_zone = "Europe/Berlin"        # of every validity below
meta      = "tcp://meta.campus.example:7710"   # dialled from here
meta_key  = "Yp3kxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxQ1"
key       = "lakes.key"
state_dir = "/var/lib/muster/lakes"
driver    = "process"
turnover  = "1s"                   # before each booking
output_keep = "7d"
rendezvous_host  = "10.0.0.1"
rendezvous_ports = "21000-21999"
[machine]
kind = "flat"
)";
constexpr const char* kNodes = R"([[nodes]]
names      = "n[1-16]"
resources  = { ncpus = 16, mem = "64gb" }
properties = { arch = "x86_64", net = "ib" }
[[nodes]]
names      = "g[1-2]"
resources  = { ncpus = 16, mem = "256gb", ngpus = 4, scratch = "1tb", licence_x = 2 }
)";
constexpr const char* kShare = R"([federation]
max_share  = "80%"
max_holds  = 100000
max_held   = 200
max_lease  = "300s"
beyond_balance = "lend"
balance_slack  = "5%"
horizon    = "30d"
users      = { kim = "u1234", "*" = "deny" }
[timeouts]
allocate  = "60s"
release   = "90s"
extend    = "10%"
)";

std::string Error(const std::string& text) {
  const Diagnosed<SiteConfig> config = ParseSiteConfig("site.toml", text);
  return config.ok() ? "read without an error" : Render(config.diagnostic());
}

// One group of nodes with these lines, the first of which is line 16 of the file.
std::string NodesError(const std::string& lines) { return Error(kHead + ("[[nodes]]\n" + lines)); }

TEST(SiteConfig, ReadsWhatThisVersionTakesOfTheCommandPage) {
  const Diagnosed<SiteConfig> read =
      ParseSiteConfig("/etc/muster/site.toml", std::string(kHead) + kNodes + kShare);
  ASSERT_TRUE(read.ok()) << Render(read.diagnostic());
  EXPECT_EQ(read->name, "lakes");
  EXPECT_EQ(read->time_zone, "Europe/Berlin");
  EXPECT_EQ(read->key_path, "/etc/muster/lakes.key");
  EXPECT_EQ(read->driver, "process");
  EXPECT_EQ(read->turnover, Span{1});
  EXPECT_EQ(read->rendezvous_host, "10.0.0.1");
  EXPECT_EQ(read->first_port, 21000);
  EXPECT_EQ(read->last_port, 21999);
  EXPECT_EQ(read->federation.max_share_percent, 80);
  EXPECT_EQ(read->federation.lends_beyond_percent, 5);
  EXPECT_EQ(read->federation.horizon, Span{30 * 86400});
  EXPECT_THAT(read->federation.users, ElementsAre(Pair("*", "deny"), Pair("kim", "u1234")));
  EXPECT_EQ(read->release_timeout, Span{90});
}

TEST(SiteConfig, ListsTheNodesInOrderWithWhatTheyHave) {
  const Diagnosed<SiteConfig> read = ParseSiteConfig("site.toml", std::string(kHead) + kNodes);
  ASSERT_TRUE(read.ok()) << Render(read.diagnostic());
  ASSERT_THAT(read->nodes, SizeIs(18));
  EXPECT_EQ(read->nodes[0].name, "n1");
  EXPECT_EQ(read->nodes[15].name, "n16");
  EXPECT_EQ(read->nodes[15].resources, (ResourceSet{{"ncpus", 16}, {"mem", int64_t{64} << 30}}));
  EXPECT_THAT(read->nodes[0].properties, ElementsAre(Pair("arch", "x86_64"), Pair("net", "ib")));
  EXPECT_EQ(read->nodes[16].name, "g1");
  EXPECT_EQ(read->nodes[16].resources.Get("scratch"), int64_t{1} << 40);
  EXPECT_THAT(read->resources, ElementsAre("ncpus", "mem", "ngpus", "licence_x", "scratch"));
}

TEST(SiteConfig, HasDefaultsForAllButTheSiteItself) {
  const Diagnosed<SiteConfig> read = ParseSiteConfig(
      "site.toml", "[site]\nname = \"a\"\nmeta = \"tcp://h:1\"\nmeta_key = \"" +
                       std::string(40, 'a') +
                       "\"\nkey = \"k\"\nstate_dir = \"s\"\n[[nodes]]\nnames = \"n1\"\n"
                       "resources = { ncpus = 1 }\n");
  ASSERT_TRUE(read.ok()) << Render(read.diagnostic());
  EXPECT_EQ(read->rendezvous_host, "127.0.0.1");
  EXPECT_EQ(read->first_port, 20000);
  EXPECT_EQ(read->last_port, 29999);
  EXPECT_EQ(read->turnover, std::nullopt);
  EXPECT_EQ(read->federation.max_holds, 100000);
}

TEST(SiteConfig, RefusesASlipInAResourceAsTheTerminalPageShowsIt) {
  // The page's file has its nodes where this line is the 17th.
  EXPECT_EQ(NodesError("names      = \"n[1-16]\"\nresources  = { ncpu = 16, mem = \"64gb\" }\n"),
            "muster: error[config]: unknown name 'ncpu'\n"
            "  --> site.toml:17:16\n"
            "17 | resources  = { ncpu = 16, mem = \"64gb\" }\n"
            "   |                ^^^^ did you mean 'ncpus'?\n"
            "  help: declared: ncpus, mem, ngpus\n");
}

TEST(SiteConfig, RefusesAmountsOfTheWrongKind) {
  EXPECT_EQ(NodesError("names = \"n1\"\nresources = { ncpus = \"16\" }\n"),
            "muster: error[config]: 'ncpus' is a whole number, not a text\n"
            "  --> site.toml:17:23\n"
            "17 | resources = { ncpus = \"16\" }\n"
            "   |                       ^^^^\n");
  EXPECT_EQ(NodesError("names = \"n1\"\nresources = { ncpus = 1, mem = 64 }\n"),
            "muster: error[config]: mem is in bytes, and 64 is too little to run anything\n"
            "  --> site.toml:17:32\n"
            "17 | resources = { ncpus = 1, mem = 64 }\n"
            "   |                                ^^\n"
            "  help: with a unit, as in \"64gb\"\n");
  EXPECT_EQ(NodesError("names = \"n1\"\nresources = { ncpus = 1, mem = \"64x\" }\n"),
            "muster: error[config]: malformed size for 'mem'\n"
            "  --> site.toml:17:32\n"
            "17 | resources = { ncpus = 1, mem = \"64x\" }\n"
            "   |                                ^^^^^ unknown unit 'x'; sizes end in b, kb, mb, "
            "gb or tb\n"
            "  help: as in \"64gb\"\n");
  EXPECT_THAT(NodesError("names = \"n1\"\nresources = { ncpus = -1 }\n"),
              HasSubstr("'ncpus' is out of bounds"));
  EXPECT_THAT(NodesError("names = \"n1\"\nresources = {}\n"), HasSubstr("at least one resource"));
  EXPECT_THAT(NodesError("names = \"n1\"\nresources = { \"a b\" = 1 }\n"),
              HasSubstr("malformed resource name 'a b'"));
}

TEST(SiteConfig, RefusesMalformedAndDuplicateNodeNames) {
  const std::string resources = "\nresources = { ncpus = 1 }\n";
  EXPECT_EQ(NodesError("names = \"n[4-1]\"" + resources),
            "muster: error[config]: malformed names 'n[4-1]'\n"
            "  --> site.toml:16:9\n"
            "16 | names = \"n[4-1]\"\n"
            "   |         ^^^^^^^^ the range 4-1 falls\n"
            "  help: as in \"n[1-16]\" or \"n[9-16],g[1-2]\"\n");
  EXPECT_EQ(NodesError("names = \"n[1-4]\"" + resources + "[[nodes]]\nnames = \"n3\"" + resources),
            "muster: error[config]: two nodes are named 'n3'\n"
            "  --> site.toml:19:9\n"
            "19 | names = \"n3\"\n"
            "   |         ^^^^ the first stands in line 16\n");
}

TEST(SiteConfig, RefusesAPropertyThatIsAResource) {
  EXPECT_THAT(
      NodesError("names = \"n1\"\nresources = { ncpus = 1 }\nproperties = { ngpus = \"4\" }\n"),
      HasSubstr("'ngpus' is a resource, not a property\n  --> site.toml:18:16\n"));
}

TEST(SiteConfig, NamesTheMissing) {
  EXPECT_EQ(Error(kHead),
            "muster: error[config]: [[nodes]] is missing\n"
            "  --> site.toml\n"
            "  help: a site has at least one node\n");
  EXPECT_EQ(NodesError("names = \"n1\"\n"),
            "muster: error[config]: [[nodes]] needs 'resources'\n"
            "  --> site.toml:15:1\n"
            "15 | [[nodes]]\n"
            "   | ^^^^^^^^^\n");
}

TEST(SiteConfig, SaysToWhomIdleRoomIsLent) {
  const std::string kWhole =
      std::string(kHead) + "[[nodes]]\nnames = \"n1\"\nresources = { ncpus = 1 }\n";
  const auto good =
      ParseSiteConfig("site.toml", kWhole + "[lent]\nto = [\"qos filler\", \"@students\"]\n");
  ASSERT_TRUE(good.ok()) << Render(good.diagnostic());
  EXPECT_EQ(good->lends_to, (std::vector<std::string>{"qos filler", "@students"}));
  EXPECT_EQ(good->lent_recalled_for, std::vector<std::string>{"*"});
  const auto marked = ParseSiteConfig(
      "site.toml", kWhole + "[lent]\nto = [\"*\"]\nrecalled_for = [\"qos urgent\"]\n");
  ASSERT_TRUE(marked.ok()) << Render(marked.diagnostic());
  EXPECT_EQ(marked->lent_recalled_for, std::vector<std::string>{"qos urgent"});
  const auto nonsense =
      ParseSiteConfig("site.toml", kWhole + "[lent]\nto = [\"*\"]\nrecalled_for = [3]\n");
  ASSERT_FALSE(nonsense.ok());
  EXPECT_NE(Render(nonsense.diagnostic()).find("site.toml:20"), std::string::npos)
      << Render(nonsense.diagnostic());
  const auto bare = ParseSiteConfig("site.toml", kWhole + "[lent]\n");
  ASSERT_FALSE(bare.ok());
  EXPECT_NE(Render(bare.diagnostic()).find("'to'"), std::string::npos) << Render(bare.diagnostic());
}

TEST(SiteConfig, RefusesNamesItDoesNotKnow) {
  EXPECT_EQ(Error(std::string(kHead) + kNodes + "[[limits]]\nresource = \"*\"\n"),
            "muster: error[config]: unknown name 'limits'\n"
            "  --> site.toml:22:3\n"
            "22 | [[limits]]\n"
            "   |   ^^^^^^ did you mean 'limit'?\n"
            "  help: accepted here: site, slurm, machine, nodes, jobwide, switch, limit, freepool, "
            "reservation, default, force, planning, nodeset, federation, timeouts, user, group, "
            "priority, fairshare, share, lent, whatif\n");
}

TEST(SiteConfig, RefusesATimeZoneThatIsNone) {
  std::string text = std::string(kHead) + kNodes;
  text.replace(text.find("Europe/Berlin"), 13, "Europe/Berlni");
  EXPECT_EQ(Error(text),
            "muster: error[config]: unknown time zone 'Europe/Berlni'\n"
            "  --> site.toml:3:13\n"
            " 3 | time_zone = \"Europe/Berlni\"        # of every validity below\n"
            "   |             ^^^^^^^^^^^^^^^\n"
            "  help: a name of the zone database (package tzdata), as in \"Europe/Berlin\"\n");
}

// One [[user]] of three lines; its key is one character forty times.
std::string User(const std::string& name, char key, const std::string& more = "") {
  return "[[user]]\nname = \"" + name + "\"\nkey = \"" + std::string(40, key) + "\"\n" + more;
}

std::string Listening(const std::string& endpoint) {
  std::string head = kHead;
  const std::string machine = "[machine]";
  return head.insert(head.find(machine), "listen = \"" + endpoint + "\"\n") + kNodes;
}

TEST(SiteConfig, ListsTheUsersOfTheSiteItself) {
  const Diagnosed<SiteConfig> read =
      ParseSiteConfig("site.toml", Listening("tcp://0.0.0.0:7711") +
                                       User("kim", 'k', "role = \"user\"\ngroups = [\"g1\"]\n") +
                                       User("root", 'r', "role = \"operator\"\n"));
  ASSERT_TRUE(read.ok()) << Render(read.diagnostic());
  EXPECT_EQ(read->listen, "tcp://0.0.0.0:7711");
  ASSERT_THAT(read->users, SizeIs(2));
  EXPECT_EQ(read->users[0].name, "kim");
  EXPECT_EQ(read->users[0].key, std::string(40, 'k'));
  EXPECT_FALSE(read->users[0].is_operator);
  EXPECT_THAT(read->users[0].groups, ElementsAre("g1"));
  EXPECT_TRUE(read->users[1].is_operator);
  EXPECT_THAT(read->warnings, ElementsAre());
}

TEST(SiteConfig, WarnsOfAListenerWithoutUsersAndOfUsersWithoutAListener) {
  const auto alone = ParseSiteConfig("site.toml", Listening("tcp://0.0.0.0:7711"));
  ASSERT_TRUE(alone.ok());
  EXPECT_THAT(alone->warnings, ElementsAre(HasSubstr("nobody is heard there")));
  const auto unheard = ParseSiteConfig("site.toml", std::string(kHead) + kNodes + User("kim", 'k'));
  ASSERT_TRUE(unheard.ok());
  EXPECT_THAT(unheard->warnings, ElementsAre(HasSubstr("they are not heard")));
}

TEST(SiteConfig, RefusesUsersThatShareANameOrAKeyAndMalformedOnes) {
  const std::string good = Listening("tcp://0.0.0.0:7711") + User("kim", 'k');
  EXPECT_EQ(Error(good + User("lee", 'k')),
            "muster: error[config]: this key is listed twice\n"
            "  --> site.toml:28:7\n"
            "28 | key = \"" +
                std::string(40, 'k') +
                "\"\n"
                "   |       " +
                std::string(42, '^') +
                " the first stands in line 25\n"
                "  help: a key gives one identity; make another with 'muster keys new'\n");
  EXPECT_THAT(Error(good + User("kim", 'l')),
              HasSubstr("two users are named 'kim'\n  --> site.toml:27:8\n"));
  EXPECT_THAT(Error(good + User("lee", 'l', "role = \"root\"\n")),
              HasSubstr("unknown role 'root'\n  --> site.toml:29:8\n"));
  EXPECT_THAT(Error(good + User("lee", 'l', "home = \"lakes\"\n")),
              HasSubstr("  --> site.toml:29:1\n"));
  EXPECT_THAT(Error(Listening("lakes:7711")), HasSubstr("  --> site.toml:13:10\n"));
}

TEST(SiteConfig, RefusesUnknownDrivers) {
  std::string slip = std::string(kHead) + kNodes;
  slip.replace(slip.find("\"process\""), 9, "\"proces\"");
  EXPECT_THAT(Error(slip), HasSubstr("unknown driver 'proces'"));
}

TEST(SiteConfig, RefusesMalformedPorts) {
  for (const std::string ports :
       {"20000", "2-1", "80-90", "30000-20000", "20000-99999", "a-b", "20000-29999x"}) {
    std::string text = std::string(kHead) + kNodes;
    text.replace(text.find("21000-21999"), 11, ports);
    EXPECT_THAT(Error(text), HasSubstr("malformed ports '" + ports + "'\n  --> site.toml:12:20\n"));
  }
}

TEST(SiteConfig, RefusesASharesMalformedOrOutOfBounds) {
  const std::string good = std::string(kHead) + kNodes;
  EXPECT_THAT(Error(good + "[federation]\nbeyond_balance = \"keep\"\n"), HasSubstr("keep"));
  EXPECT_THAT(Error(good + "[federation]\nbalance_slack = \"5%\"\n"),
              HasSubstr("there is no balance to exceed"));
  EXPECT_THAT(Error(good + "[federation]\nmax_share = \"80\"\n"),
              HasSubstr("malformed share '80'\n  --> site.toml:23:13\n"));
  EXPECT_THAT(Error(good + "[federation]\nmax_share = \"101%\"\n"),
              HasSubstr("help: accepted: \"1%\" to \"100%\"\n"));
}

TEST(SiteConfig, TakesAnOrderAndSharesOfItsOwnForNamesThatTheFederationLists) {
  const auto config = ParseSiteConfig("site.toml", std::string(kHead) + kNodes + R"([priority]
tick   = "30s"
weight = { cred = 1000, fs_local = 500, fs_global = -20 }
points = { "@owners" = 300, "account chem" = -5 }
[fairshare]
window = "6h"
[[share]]
who     = "account chem"
ceiling = "30%"
enforce = "admission"
)");
  ASSERT_TRUE(config.ok()) << Render(config.diagnostic());
  EXPECT_EQ(config->priority,
            (PriorityConfig{.tick = Span{30},
                            .weights = {{"cred", 1000}, {"fs_local", 500}, {"fs_global", -20}},
                            .points = {{"@owners", 300}, {"account chem", -5}}}));
  ASSERT_TRUE(config->fairshare.has_value());
  EXPECT_EQ(config->fairshare->shares,
            (std::vector<ShareConfig>{
                {.who = "account chem", .ceiling_percent = 30, .admission = true}}));
  const auto without = ParseSiteConfig("site.toml", std::string(kHead) + kNodes);
  EXPECT_EQ(without->priority, std::nullopt);
  EXPECT_EQ(without->fairshare, std::nullopt);
}

TEST(SiteConfig, RefusesWhatItsOrderCannotWeighAndWarnsOfWhatIsNothing) {
  const std::string head = std::string(kHead) + kNodes;
  EXPECT_THAT(Error(head + "[priority]\nweight = { balance = 1 }\n"), HasSubstr("fs_local"));
  EXPECT_THAT(Error(head + "[fairshare]\nmetric = \"charged\"\n"), HasSubstr("nothing is charged"));
  const auto config =
      ParseSiteConfig("site.toml", head + "[priority]\nweight = { fs_local = 1 }\n");
  ASSERT_TRUE(config.ok()) << Render(config.diagnostic());
  EXPECT_THAT(config->warnings, ElementsAre(HasSubstr("there is no [[share]]")));
}

}  // namespace
}  // namespace muster::config::site_config_test
