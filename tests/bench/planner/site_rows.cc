// The rows of a site's planner as the protocol meets it: restart and verdicts, and of its core, as
// a daemon steps it: backfilling. OpenCCS Sect. 6 has the figures of OpenCCS.
#include <time.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"
#include "base/random.h"
#include "schemas/canonical.h"
#include "site/core.h"
#include "site/planning/planner.h"
#include "tests/bench/planner/bench.h"
#include "tests/bench/planner/filled_plan.h"
#include "tests/bench/planner/plan_load.h"
#include "verifier/ledger.h"

namespace muster::bench {
namespace {

constexpr size_t kPlanned = 10000;

using Machine = std::shared_ptr<const machine::Machine>;

const auto kNothing = [] {};

// Processor time: a core only computes, and what else the machine does is not of its turns.
double ProcessorSeconds() {
  timespec at{};
  MUSTER_CHECK(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at) == 0);
  return static_cast<double>(at.tv_sec) + static_cast<double>(at.tv_nsec) * 1e-9;
}

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

// Seconds to rebuild the plan from the bookings in the store.
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

// Milliseconds for the verdict on `entries` entries beside 10,000 jobs. Each asks for a start
// now or within ten days, and allows any start from now on; one in ten wants its feasible starts.
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
  // The reference books 5 entries beside the same jobs. Its figure is scaled to all entries.
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

// A site's core with `jobs` promised jobs, of which those that are due run. It is stepped as its
// daemon does, on a clock that advances by the time each turn takes and by the rests between turns.
class SteppedCore {
 public:
  // `lends`: all jobs may be recalled, and the site lends to all room for a day.
  explicit SteppedCore(size_t jobs, bool lends = false) {
    const Site site(jobs);
    site::Options options = SiteOptions();
    options.boot_id = "bench";
    if (lends) options.lends_to = {"*"};
    std::vector<std::pair<std::string, schemas::SiteRecord>> records;
    for (size_t i = 0; i < jobs; ++i) {
      schemas::HoldRecord hold = Promised(site, i);
      if (lends) hold.order.contract = {.min_run = Span{86400}};
      if (hold.start <= Clock().wall.Floor()) Run(hold.parts.front());
      records.emplace_back(verifier::HoldKey(hold.order.fence), std::move(hold));
    }
    auto core = site::Core::Load(std::move(options), std::move(records), Clock());
    MUSTER_CHECK(core.ok());
    core_.emplace(*std::move(core));
    UntilQuiet({});  // until the core has found that nothing can start earlier
  }

  struct Passed {
    double until_quiet = 0;   // seconds
    double longest_turn = 0;  // seconds
    double first_start = 0;   // seconds until the first start; 0: none
  };
  // Ends the first `ends` running parts, and steps the core until it is quiet.
  Passed AfterEnds(size_t ends) { return UntilQuiet(EndsOf(ends)); }
  // Processor seconds of the turns in the next `seconds`, in which nothing comes.
  double TurnsIn(double seconds) {
    double sum = 0;
    for (const double until = seconds_ + seconds; seconds_ < until;) {
      const double from = ProcessorSeconds();
      const site::Effects effects = core_->Step(Clock(), {});
      const double took = ProcessorSeconds() - from;
      MUSTER_CHECK(StartsOf(effects).empty());
      sum += took;
      seconds_ += took;
      const double next = static_cast<double>(effects.next->milliseconds) / 1e3;
      seconds_ = std::max(seconds_, std::min(next, until));
    }
    return sum;
  }

 private:
  std::vector<site::Event> EndsOf(size_t ends) const {
    std::vector<site::Event> events;
    for (size_t i = 0; i < std::min(ends, running_.size()); ++i) {
      driver::PartEnded ended{.token = running_[i], .at = Clock().wall};
      ended.end = {.by = schemas::EndedBy::kExit};
      events.push_back(site::DriverSays{std::move(ended)});
    }
    return events;
  }
  std::vector<site::Event> StartsOf(const site::Effects& effects) const {
    std::vector<site::Event> events;
    for (const driver::Command& command : effects.driver) {
      const auto* start = std::get_if<driver::StartPart>(&command);
      if (start == nullptr) continue;
      events.push_back(
          site::DriverSays{driver::PartStarted{.token = start->token, .at = Clock().wall}});
    }
    return events;
  }
  // Two minutes into the plan: everything due runs. No job is shorter.
  static constexpr int64_t kBegan = (kNow.seconds + 120) * 1000;
  // A daemon that rests longer has nothing under way.
  static constexpr double kQuiet = 0.5;

  Now Clock() const {
    const auto milliseconds = static_cast<int64_t>(seconds_ * 1e3);
    return {.boot = {milliseconds}, .wall = {kBegan + milliseconds}};
  }
  static schemas::HoldRecord Promised(const Site& site, size_t job) {
    schemas::HoldOrder order{.fence = FenceOf(job + 1), .request = {job + 1}};
    order.requester.user = "kim";
    order.members = order.part_sites = {"oculus"};
    order.parts = site.demands[job].parts;
    order.payload_digest = schemas::DigestOf(order.payload);
    order.allowed = IntervalSet::From(kNow);
    order.stage = schemas::HoldState::kCommitted;
    schemas::PartRecord part{.place = site.booked[job].places.front()};
    return {.order = std::move(order),
            .state = schemas::HoldState::kPermitted,
            .start = site.booked[job].start,
            .parts = {std::move(part)},
            .permit = schemas::Permit{.last_start = kNow + kHorizon}};
  }
  void Run(schemas::PartRecord& part) {
    part.state = schemas::PartState::kRunning;
    part.tries = 1;
    part.token = "run." + std::to_string(running_.size());
    part.started_at = Moment{kNow.seconds * 1000};
    running_.push_back(part.token);
  }
  Passed UntilQuiet(std::vector<site::Event> events) {
    Passed passed;
    const double began = seconds_;
    for (double rest = 0; rest < kQuiet;) {
      const double from = ProcessorSeconds();
      const site::Effects effects = core_->Step(Clock(), std::exchange(events, {}));
      const double took = ProcessorSeconds() - from;
      passed.longest_turn = std::max(passed.longest_turn, took);
      seconds_ += took;
      passed.until_quiet = seconds_ - began;
      events = StartsOf(effects);
      if (!events.empty() && passed.first_start == 0) passed.first_start = seconds_ - began;
      if (!events.empty()) continue;
      rest = static_cast<double>(effects.next->milliseconds) / 1e3 - seconds_;
      seconds_ = std::max(seconds_, std::min(seconds_ + kQuiet, seconds_ + rest));
    }
    return passed;
  }

  double seconds_ = 0;
  std::vector<std::string> running_;  // tokens
  std::optional<site::Core> core_;
};

// The figures after 20 parts have ended, measured once for all rows.
SteppedCore::Passed Backfilled(size_t jobs) {
  static std::map<size_t, SteppedCore::Passed> known;
  const auto at = known.find(jobs);
  if (at != known.end()) return at->second;
  return known[jobs] = SteppedCore(jobs).AfterEnds(20);
}

std::vector<Row> BackfillRows(const std::string& name, size_t jobs,
                              std::array<std::optional<Bounds>, 3> bounds) {
  return {
      {name, "s", bounds[0], [=] { return Backfilled(jobs).until_quiet; }, {}},
      {name + "_turn", "ms", bounds[1], [=] { return Backfilled(jobs).longest_turn * 1e3; }, {}},
      {name + "_start", "s", bounds[2], [=] { return Backfilled(jobs).first_start; }, {}},
  };
}

// Milliseconds of one pass over those who may be lent room that finds none: of a minute in which
// nothing else is due, since 20 parts ended before and all that could start earlier does. Contracts
// ask for more room than any idle node has, so each of them is tried.
double LentPass(size_t jobs) {
  constexpr double kMinute = 61;
  constexpr size_t kEnds = 20;
  double least = 0;
  for (int run = 0; run < 3; ++run) {
    SteppedCore core(jobs, true);
    core.AfterEnds(kEnds);
    const double took = core.TurnsIn(kMinute);
    least = run == 0 ? took : std::min(least, took);
  }
  return least * 1e3;
}

}  // namespace

std::vector<Row> SiteRows() {
  std::vector<Row> all = {
      RestartRow("restart_5k", 5000, Bounds{0.3, 0.1}),
      VerdictRow("verdict_1k", 1000, Bounds{60, 20}),
  };
  const std::array<std::optional<Bounds>, 3> of_60k = {Bounds{30, 10}, Bounds{20, 10},
                                                       Bounds{5, 1}};
  const std::array<std::optional<Bounds>, 3> of_10k = {std::nullopt, std::nullopt, Bounds{1, 0.2}};
  for (Row& row : BackfillRows("backfill_60k", 60000, of_60k)) all.push_back(std::move(row));
  for (Row& row : BackfillRows("backfill_10k", 10000, of_10k)) all.push_back(std::move(row));
  all.push_back({"lent_pass_10k", "ms", Bounds{40, 15}, [] { return LentPass(kPlanned); }, {}});
  return all;
}

}  // namespace muster::bench
