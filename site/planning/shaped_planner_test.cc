// A machine with a geometry through the protocol's own structs. CCS Sect. 4, scheduling.md section
// 8; protocol.md section 4 for what is restored.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "site/machine/layout.h"
#include "site/planning/planner.h"
#include "site/planning/reserved.h"

namespace muster::site::shaped_planner_test {
namespace {

using schemas::VerdictKind;

constexpr Instant kNow{1000};

// 4 x 4 units of 4 processors, u0 to u15.
Options Mesh() {
  Options options;
  options.name = "gcel";
  options.facts.turnover = Span{0};
  options.units.geometry = machine::MakeGeometry({machine::Kind::kMesh, {4, 4}});
  for (int u = 0; u < 16; ++u) {
    options.nodes.push_back({"u" + std::to_string(u), {{"ncpus", 4}}, {}});
    options.units.nodes.push_back(options.nodes.back().name);
  }
  return options;
}

schemas::PartDemand Cpus(uint32_t count, int64_t ncpus, Span duration) {
  schemas::PartDemand part;
  part.chunks = {{count, {{"ncpus", ncpus}}, {}}};
  part.duration = duration;
  return part;
}

verifier::Demand DemandOf(schemas::PartDemand part) {
  verifier::Demand demand;
  demand.parts = {std::move(part)};
  demand.allowed = IntervalSet::From({0});
  return demand;
}

std::vector<std::string> NodesOf(const schemas::PartPlace& place) {
  std::vector<std::string> out;
  for (const schemas::ChunkPlace& chunk : place.chunks) out.push_back(chunk.node);
  return out;
}

TEST(ShapedPlanner, ServesARequestThatNamesOnlyAmounts) {
  SitePlanner planner(Mesh());
  const auto answer = planner.Book({{3}, 1}, DemandOf(Cpus(6, 3, {60})), kNow, {});
  const auto& booked = std::get<verifier::Booked>(answer);
  EXPECT_EQ(NodesOf(booked.places[0]),
            (std::vector<std::string>{"u0", "u1", "u2", "u4", "u5", "u6"}));
}

TEST(ShapedPlanner, TellsTheMetaWhatIsReallyBlockedAndWhyNotEarlier) {
  SitePlanner planner(Mesh());
  const schemas::ProposalEntry all{
      .parts = {Cpus(64, 1, {60})}, .asked = kNow, .allowed = IntervalSet::From(kNow)};
  const schemas::ProposalEntry five{
      .parts = {Cpus(5, 4, {60})}, .asked = kNow, .allowed = IntervalSet::From(kNow)};
  const schemas::ProposalEntry much{
      .parts = {Cpus(65, 1, {60})}, .asked = kNow, .allowed = IntervalSet::From(kNow)};
  const auto verdicts = planner.Verify({five, all, much}, kNow);
  EXPECT_EQ(verdicts[0].kind, VerdictKind::kAccepted);
  EXPECT_EQ(verdicts[0].taken.front().Get("ncpus"), 24) << "a 3 x 2 for 5 units";
  EXPECT_EQ(verdicts[1].kind, VerdictKind::kCountered);
  EXPECT_EQ(verdicts[1].start, kNow + Span{60});
  EXPECT_EQ(verdicts[2].kind, VerdictKind::kNever);
  EXPECT_EQ(verdicts[2].reason->code, schemas::ReasonCode::kTopology);
  EXPECT_EQ(verdicts[2].largest.front().count, 64u);
}

TEST(ShapedPlanner, CountsTheLargestPartitionAPartMayGetAgainstTheFederationsShare) {
  Options options = Mesh();
  options.rules.federation_percent = 50;  // 8 units
  SitePlanner planner(options);
  const auto asks = [](uint32_t units) {
    return schemas::ProposalEntry{
        .parts = {Cpus(units, 4, {60})}, .asked = kNow, .allowed = IntervalSet::From(kNow)};
  };
  const auto verdicts = planner.Verify({asks(5), asks(5), asks(8)}, kNow);
  EXPECT_EQ(verdicts[0].start, kNow);
  EXPECT_EQ(verdicts[1].start, kNow + Span{60}) << "two of 3 x 2 are more than 8";
  EXPECT_EQ(verdicts[2].kind, VerdictKind::kNever) << "it might get a 3 x 3";
  options.units.waste_percent = 0;
  EXPECT_EQ(SitePlanner(options).Verify({asks(8)}, kNow).front().kind, VerdictKind::kAccepted);
}

TEST(ShapedPlanner, RestoresABookingWithTheUnitsThatHostNothing) {
  SitePlanner planner(Mesh());
  const verifier::Demand demand = DemandOf(Cpus(5, 4, {60}));
  const auto booked = std::get<verifier::Booked>(planner.Book({{3}, 1}, demand, kNow, {}));
  ASSERT_EQ(booked.places[0].chunks.size(), 6u);
  EXPECT_TRUE(booked.places[0].chunks.back().resources.empty());
  SitePlanner again(Mesh());
  again.Restore({{3}, 1}, demand, booked);
  EXPECT_EQ(again.Capacity(kNow).free_now, planner.Capacity(kNow).free_now);
  const auto next = Cpus(10, 4, {60});
  EXPECT_EQ(std::get<verifier::Booked>(again.Book({{3}, 2}, DemandOf(next), kNow, {})),
            std::get<verifier::Booked>(planner.Book({{3}, 2}, DemandOf(next), kNow, {})));
}

TEST(ShapedPlanner, AReservationIsAPartOfTheMeshWithTheSameGeometry) {
  SitePlanner planner(Mesh());
  Reserved reserved{.id = {7}, .fence = {{3}, 1}, .owner = "kim"};
  reserved.span = {kNow, kNow + Span{600}};
  for (const int u : {5, 6, 9, 10, 11}) {
    reserved.nodes.push_back({"u" + std::to_string(u), {{"ncpus", 4}}, {}});
  }
  planner.OpenSystem(reserved);
  verifier::Demand demand = DemandOf(Cpus(4, 4, {60}));
  demand.inside = reserved.id;
  demand.who.user = "kim";
  const auto booked = planner.Book({{3}, 2}, demand, kNow, {});
  ASSERT_TRUE(std::holds_alternative<verifier::Booked>(booked));
  EXPECT_EQ(NodesOf(std::get<verifier::Booked>(booked).places[0]),
            (std::vector<std::string>{"u5", "u6", "u9", "u10"}))
      << "the only square there is";
}

}  // namespace
}  // namespace muster::site::shaped_planner_test
