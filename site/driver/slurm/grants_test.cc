// What the options of a site mean on a cluster.
#include "site/driver/slurm/grants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/status.h"

namespace muster::driver::slurm::grants_test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

Look ClusterOf() {
  Look look;
  look.settings.cluster = "woods";
  look.nodes = {{.name = "n1", .cpus = 4}, {.name = "n2", .cpus = 4, .gpus = 1}};
  look.partitions = {{.name = "main", .nodes = {"n1", "n2"}},
                     {.name = "fed", .root_only = true, .nodes = {"n2"}}};
  look.reservations = {{.name = "mine"}};
  return look;
}
SlurmOptions With(SlurmWalls walls, std::vector<std::string> commons = {}) {
  SlurmOptions options{.prefix = "mu_AB_", .commons = std::move(commons)};
  options.walls = walls;
  return options;
}
std::string WrongIn(const SlurmOptions& options) {
  return std::string(Text(CheckNamed(options, SeenOptionsOf(options), ClusterOf())));
}

TEST(SlurmGrants, NamesThatTheClusterDoesNotHaveAreErrors) {
  EXPECT_TRUE(CheckNamed(With(SlurmWalls::kCommons, {"mine"}),
                         SeenOptionsOf(With(SlurmWalls::kCommons, {"mine"})), ClusterOf())
                  .ok());
  SlurmOptions gpu = With(SlurmWalls::kEach);
  gpu.partitions = {"gpu"};
  EXPECT_THAT(WrongIn(gpu), HasSubstr("'woods' has no partition 'gpu'"));
  EXPECT_THAT(WrongIn(With(SlurmWalls::kCommons, {"theirs"})), HasSubstr("reservation 'theirs'"));
  EXPECT_THAT(WrongIn(With(SlurmWalls::kCommons, {"partition:theirs"})),
              HasSubstr("partition 'theirs'"));
  EXPECT_THAT(WrongIn(With(SlurmWalls::kCommons, {"partition:fed"})), HasSubstr("RootOnly"));
}

TEST(SlurmGrants, OptionsThatContradictThemselvesAreErrors) {
  EXPECT_TRUE(CheckOptions(With(SlurmWalls::kEach)).ok());
  EXPECT_FALSE(CheckOptions(With(SlurmWalls::kCommons)).ok());
  SlurmOptions early = With(SlurmWalls::kEach);
  early.start_ahead = Span{-1};
  EXPECT_FALSE(CheckOptions(early).ok());
  SlurmOptions spaced = With(SlurmWalls::kEach);
  spaced.prefix = "mu AB";
  EXPECT_FALSE(CheckOptions(spaced).ok());
}

TEST(SlurmGrants, PromisesAreFirmWhereOthersAreKeptOff) {
  const auto facts = [](const SlurmOptions& options) {
    return FactsFrom(options, SeenOptionsOf(options), ClusterOf());
  };
  const Facts each = facts(With(SlurmWalls::kEach));
  EXPECT_TRUE(each.firm);
  EXPECT_EQ(each.most_walls, 500u);
  EXPECT_THAT(each.capabilities, Contains("gpus"));
  EXPECT_THAT(each.capabilities, Contains("walls:each"));
  const Facts commons = facts(With(SlurmWalls::kCommons, {"mine"}));
  EXPECT_TRUE(commons.firm);
  EXPECT_EQ(commons.most_walls, 0u);
  EXPECT_THAT(commons.capabilities, Not(Contains("walls:each")));
  EXPECT_FALSE(facts(With(SlurmWalls::kNone)).firm);
}

}  // namespace
}  // namespace muster::driver::slurm::grants_test
