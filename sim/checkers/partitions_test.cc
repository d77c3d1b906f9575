// The checker of partitions complains about what is none, planted by hand, and is silent without
// it; and machines of every kind keep every promise in a federation.
#include "sim/checkers/partitions.h"

#include <gtest/gtest.h>

#include "sim/campaign.h"

namespace muster::sim::partitions_test {
namespace {

constexpr Moment kNow{1'000'000};

CheckedWorld Lakes(const machine::Layout& layout) {
  site::Options site;
  site.name = "lakes";
  for (size_t unit = 0; unit < machine::UnitsOf(layout); ++unit) {
    const std::string name = "u" + std::to_string(unit);
    site.nodes.push_back({.name = name, .resources = {{"ncpus", 4}}});
    site.units.nodes.push_back(name);
  }
  return {.sites = {site}};
}

size_t Complaints(const machine::Layout& layout, const std::vector<uint32_t>& units) {
  schemas::HoldRecord hold;
  hold.order.fence = {{1}, 1};
  hold.state = schemas::HoldState::kCommitted;
  schemas::PartRecord& part = hold.parts.emplace_back();
  for (const uint32_t unit : units) {
    part.place.chunks.push_back({"u" + std::to_string(unit), ResourceSet{{"ncpus", 1}}});
  }
  const auto checker = CheckPartitions(Lakes(layout), {{"lakes", layout}});
  checker->OnSiteWrites(kNow, "lakes", {{"hold/x", schemas::SiteRecord{hold}}});
  return checker->violations().size();
}

TEST(PartitionsChecker, SeesWhatIsNoRectangleOfAMeshAndWhatHasNoLink) {
  const machine::Layout mesh{.kind = machine::Kind::kMesh, .sides = {3, 3}, .links = {0, 1, 2}};
  EXPECT_EQ(Complaints(mesh, {0, 1, 3, 4}), 0u);
  EXPECT_EQ(Complaints(mesh, {0, 0, 1, 1}), 0u) << "two chunk sets on each of two units";
  EXPECT_EQ(Complaints(mesh, {0, 1, 3}), 1u) << "a corner is missing";
  EXPECT_EQ(Complaints(mesh, {0, 2}), 1u) << "a mesh is no ring";
  EXPECT_EQ(Complaints(mesh, {3, 4}), 1u) << "no link";
}

TEST(PartitionsChecker, SeesWhatIsNoSubcubeAndWhatIsNoBox) {
  const machine::Layout cube{.kind = machine::Kind::kHypercube, .sides = {3}};
  EXPECT_EQ(Complaints(cube, {1, 3, 5, 7}), 0u);
  EXPECT_EQ(Complaints(cube, {1, 2}), 1u);
  EXPECT_EQ(Complaints(cube, {0, 1, 2}), 1u);
  const machine::Layout torus{.kind = machine::Kind::kTorus, .sides = {4, 2, 2}};
  EXPECT_EQ(Complaints(torus, {0, 3}), 0u) << "around the end";
  EXPECT_EQ(Complaints(torus, {0, 3, 8, 11}), 0u);
  EXPECT_EQ(Complaints(torus, {0, 2}), 1u);
  EXPECT_EQ(Complaints(torus, {0, 5}), 1u);
}

TEST(Partitions, OfEveryKindOfMachineKeepEveryPromise) {
  constexpr FaultKind kFaults[] = {FaultKind::kNone, FaultKind::kCrash, FaultKind::kAll};
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    CampaignOptions options{.seed = seed, .faults = kFaults[seed % 3], .shapes = true};
    options.drains = options.moves = seed % 2 == 0;
    options.reservations = seed > 3;
    if (seed == 5) options.threshold = Span{30};
    const CampaignResult result = RunCampaign(options);
    for (const std::string& violation : result.violations) ADD_FAILURE() << violation;
    EXPECT_EQ(result.violations.size(), 0u) << "again: " << ReplayCommand(options);
    EXPECT_GT(result.counts.starts, 10u);
  }
}

}  // namespace
}  // namespace muster::sim::partitions_test
