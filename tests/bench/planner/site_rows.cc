// The rows of a site's planner as the protocol meets it: restart and verdicts. OpenCCS Sect. 6 has
// the figures of OpenCCS.
#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "site/planner.h"
#include "tests/bench/planner/bench.h"
#include "tests/bench/planner/flat_nodes.h"
#include "tests/bench/planner/plan_load.h"

namespace muster::bench {
namespace {

constexpr Instant kNow{1000000};
constexpr Span kHorizon{int64_t{4000} * 86400};
constexpr size_t kPlanned = 10000;

using Machine = std::shared_ptr<const machine::Machine>;

Fence FenceOf(uint64_t number) { return {{1}, number}; }

const auto kNothing = [] {};

site::Options SiteOptions() {
  site::Options options;
  options.name = "oculus";
  options.horizon = kHorizon;
  for (const machine::Node& node : OculusNodes(kNodes)) {
    options.nodes.push_back({node.name, node.resources, node.properties});
  }
  return options;
}

schemas::PartDemand DemandOf(const plan::Order& order) {
  const plan::Part& part = order.parts.front();
  schemas::PartDemand demand;
  for (const plan::Chunk& chunk : part.chunks) {
    demand.chunks.push_back({chunk.count, chunk.resources, chunk.properties});
  }
  demand.duration = part.length;
  demand.exclusive = part.exclusive;
  demand.place = part.place == plan::Place::kPack      ? schemas::Place::kPack
                 : part.place == plan::Place::kScatter ? schemas::Place::kScatter
                                                       : schemas::Place::kFree;
  return demand;
}

// A site's planner with jobs, and what a store would keep of them.
struct Site {
  explicit Site(size_t jobs) : planner(SiteOptions()) {
    Random random(1);
    for (uint64_t i = 1; i <= jobs; ++i) {
      verifier::Demand demand;
      demand.parts = {DemandOf(MixedOrder(random))};
      demand.allowed = IntervalSet::From(kNow);
      demand.label = std::to_string(i);
      auto answer = planner.Book(FenceOf(i), demand, kNow, {});
      demands.push_back(std::move(demand));
      booked.push_back(std::get<verifier::Booked>(std::move(answer)));
    }
  }
  site::SitePlanner planner;
  std::vector<verifier::Demand> demands;
  std::vector<verifier::Booked> booked;
};

// Seconds to build the plan again from what the store has of its bookings.
Row RestartRow(const std::string& name, size_t jobs, std::optional<Bounds> bounds) {
  const auto value = [=] {
    const Site site(jobs);
    const site::Options options = SiteOptions();
    return BestSeconds(3, kNothing, [&] {
      site::SitePlanner planner(options);
      for (size_t i = 0; i < jobs; ++i) {
        planner.Restore(FenceOf(i + 1), site.demands[i], site.booked[i]);
      }
      Keep(planner.revision().value);
    });
  };
  // The reference plans them again: it keeps no places. 20 times fewer, and 20 times the figure.
  const auto reference = [=] {
    const Machine machine = Oculus(kNodes);
    return 20 * BestSeconds(1, kNothing, [&] {
             FlatNodes flat(*machine);
             Random random(1);
             for (size_t i = 0; i < jobs / 20; ++i) flat.Book(MixedOrder(random), 0);
           });
  };
  return {name, "s", bounds, value, reference};
}

// Milliseconds for the verdict on so many entries beside 10,000 jobs. Each asks for now or for a
// start within ten days, takes any later one; one in ten wants its feasible starts.
Row VerdictRow(const std::string& name, size_t entries, std::optional<Bounds> bounds) {
  const auto value = [=] {
    const Site site(kPlanned);
    std::vector<schemas::ProposalEntry> proposal;
    Random random(7);
    for (size_t i = 0; i < entries; ++i) {
      schemas::ProposalEntry& entry = proposal.emplace_back();
      entry.parts = {DemandOf(MixedOrder(random))};
      entry.asked = kNow + Span{random.Chance(500) ? 0 : random.Between(0, 10 * 86400)};
      entry.allowed = IntervalSet::From(kNow);
      entry.want_starts = random.Chance(100);
    }
    return 1e3 *
           BestSeconds(3, kNothing, [&] { Keep(site.planner.Verify(proposal, kNow).size()); });
  };
  // The reference books them beside 500 jobs, 20 times fewer, and the figure is 20 times that.
  const auto reference = [=] {
    const Machine machine = Oculus(kNodes);
    FlatNodes flat(*machine);
    Random random(7);
    for (size_t i = 0; i < kPlanned / 20; ++i) flat.Book(MixedOrder(random), 0);
    return 20e3 * BestSeconds(1, kNothing, [&] {
             for (size_t i = 0; i < entries / 20; ++i) flat.Book(MixedOrder(random), 0);
           });
  };
  return {name, "ms", bounds, value, reference};
}

}  // namespace

std::vector<Row> SiteRows() {
  return {
      RestartRow("restart_5k", 5000, Bounds{0.3, 0.1}),
      VerdictRow("verdict_1k", 1000, Bounds{60, 20}),
  };
}

}  // namespace muster::bench
