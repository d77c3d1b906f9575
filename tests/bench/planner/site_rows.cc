// The rows of a site's planner as the protocol meets it: restart and verdicts. OpenCCS Sect. 6 has
// the figures of OpenCCS.
#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "site/planner.h"
#include "tests/bench/planner/bench.h"
#include "tests/bench/planner/filled_plan.h"
#include "tests/bench/planner/plan_load.h"

namespace muster::bench {
namespace {

constexpr size_t kPlanned = 10000;

using Machine = std::shared_ptr<const machine::Machine>;

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
  // The reference puts the same places into its profiles.
  const auto reference = [=] {
    const Machine machine = Oculus(kNodes);
    const Filled filled(machine, jobs, 1);
    return BestSeconds(3, kNothing, [&] {
      const FlatFilled flat(*machine, filled, jobs);
      Keep(flat.booked.size());
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
  // The reference books 5 of them beside the same jobs, and the figure is of all.
  const auto reference = [=] {
    const Machine machine = Oculus(kNodes);
    const Filled filled(machine, kPlanned, 1);
    FlatFilled flat(*machine, filled, kPlanned);
    Random random(7);
    const double seconds = BestSeconds(1, kNothing, [&] {
      for (size_t i = 0; i < 5; ++i) flat.flat.Book(MixedOrder(random), kNow.seconds);
    });
    return seconds / 5 * static_cast<double>(entries) * 1e3;
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
