// What changes at a cluster while the daemon of its site runs.
#include "site/driver/slurm/facts_watch.h"

#include <gtest/gtest.h>

#include "site/driver/slurm/grants.h"

namespace muster::driver::slurm::facts_watch_test {
namespace {

class SlurmFactsWatch : public testing::Test {
 protected:
  SlurmFactsWatch() {
    options_.prefix = "mu_AB_";
    look_.settings = {.cluster = "woods", .licences = {{"matlab", 4}}};
    look_.nodes = {{.name = "n1", .cpus = 4, .architecture = "x86_64", .features = {"rack=a"}},
                   {.name = "n2", .cpus = 4}};
    look_.partitions = {{.name = "main", .nodes = {"n1", "n2", "n3"}}};
    Facts first = FactsFrom(options_, SeenOptionsOf(options_), look_);
    first.accounts = {{"kim", "has no account"}};
    watch_.emplace(options_, SeenOptionsOf(options_), first);
  }
  std::optional<Facts> Next() { return watch_->Next(look_); }

  SlurmOptions options_;
  Look look_;
  std::optional<FactsWatch> watch_;
};

TEST_F(SlurmFactsWatch, SaysNothingOfAClusterThatIsAsItWas) {
  EXPECT_FALSE(Next());
  look_.nodes[0].state = NodeState::kDrained;
  look_.partitions[0].most_time = Span{60};
  EXPECT_FALSE(Next()) << "the state of a node is no fact, nor is the limit of a partition";
}

// It is news of these nodes: whoever waits for them waits.
TEST_F(SlurmFactsWatch, ANodeOfAClosedPartitionStays) {
  look_.partitions.push_back({.name = "gpu", .nodes = {"n4"}});
  look_.nodes.push_back({.name = "n4", .cpus = 8});
  ASSERT_TRUE(Next());
  look_.partitions[1].up = false;
  EXPECT_FALSE(Next());
  look_.partitions[1].nodes.clear();
  const std::optional<Facts> facts = Next();
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->nodes.size(), 2u);
}

TEST_F(SlurmFactsWatch, TellsNodesThatComeAndGoAndWhatTheyHave) {
  look_.nodes.push_back({.name = "n3", .cpus = 8});
  std::optional<Facts> facts = Next();
  ASSERT_TRUE(facts);
  ASSERT_EQ(facts->nodes.size(), 3u);
  EXPECT_EQ(facts->nodes[2].resources.Get("ncpus"), 8);
  EXPECT_EQ(facts->accounts.at("kim"), "has no account");
  EXPECT_FALSE(Next()) << "once";
  look_.nodes[0].features = {"rack=b", "ssd"};
  look_.nodes[1].gpus = 2;
  facts = Next();
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->nodes[0].properties.at("rack"), "b");
  EXPECT_EQ(facts->nodes[0].properties.at("ssd"), "true");
  EXPECT_EQ(facts->nodes[1].resources.Get("ngpus"), 2);
  look_.nodes.erase(look_.nodes.begin());
  facts = Next();
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->nodes.front().name, "n2");
}

TEST_F(SlurmFactsWatch, TellsLicencesAndTheTimeThatAStartNeeds) {
  look_.settings.licences["matlab"] = 2;
  std::optional<Facts> facts = Next();
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->jobwide.Get("licence_matlab"), 2);
  const Span before = facts->start_ahead;
  look_.settings.scheduler_parameters = "batch_sched_delay=9";
  facts = Next();
  ASSERT_TRUE(facts);
  EXPECT_GT(facts->start_ahead, before);
}

TEST_F(SlurmFactsWatch, TakesTheArchitectureOfANodeThatHasNotReportedYetToBeAsItWas) {
  look_.nodes[0].architecture = "";
  EXPECT_FALSE(Next());
  look_.nodes[1].architecture = "aarch64";
  const std::optional<Facts> facts = Next();
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->nodes[0].properties.at("arch"), "x86_64");
  EXPECT_EQ(facts->nodes[1].properties.at("arch"), "aarch64");
}

TEST_F(SlurmFactsWatch, SaysNothingOfAClusterThatShowsNoNode) {
  look_.nodes.clear();
  EXPECT_FALSE(Next());
}

}  // namespace
}  // namespace muster::driver::slurm::facts_watch_test
