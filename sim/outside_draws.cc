// Draws a few of each kind, so that most runs have walls, overruns and a time of blindness.
#include "sim/outside_draws.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/random.h"

namespace muster::sim {
namespace {

using Kind = driver::OutsiderAct::Kind;

constexpr uint64_t kMostWalls = 40;
constexpr Span kStartAhead{4};
static_assert(kLeadThere > ToBootSpan(kStartAhead));
constexpr Span kTurnoverThere{2};  // that a machine needs which is asked before each start

driver::OutsiderJob DrawJob(Random& random, size_t nodes) {
  driver::OutsiderJob job;
  job.user = random.Chance(500) ? "lea" : "max";
  job.nodes = static_cast<uint32_t>(random.Between(1, std::min<int64_t>(2, int64_t(nodes))));
  job.each = {{"ncpus", random.Between(1, 4)}};
  job.limit = Span{random.Between(5, 60)};
  const int64_t limit_ms = job.limit.seconds * 1000;
  job.runs = Milliseconds(random.Between(limit_ms / 5, limit_ms));
  if (random.Chance(80)) job.runs = Milliseconds(limit_ms + random.Between(500, 20'000));
  return job;
}

}  // namespace

driver::OutsiderSettings DrawOutside(uint64_t seed, site::Options& site, BootInstant until,
                                     bool calm) {
  uint64_t name = 0;
  for (const char letter : site.name) name = name * 31 + static_cast<uint8_t>(letter);
  Random random(seed ^ 0x6f7574736964 ^ name);
  schemas::DriverFacts& facts = site.facts;
  facts.shared = true;
  facts.wall_prefix = "mu_";
  facts.turnover = kTurnoverThere;
  if (random.Chance(600)) facts.start_ahead = kStartAhead;
  facts.start_slack = kStartAhead;
  Random shapes(seed ^ 0x6576656e ^ name);
  facts.even = shapes.Chance(500);
  driver::OutsiderSettings out;
  const bool commons = random.Chance(500);
  const bool walls = !commons || random.Chance(700);
  facts.firm = commons || !random.Chance(200);
  facts.most_walls = walls && facts.firm ? kMostWalls : 0;
  for (size_t i = 0; i < site.nodes.size(); ++i) {
    const bool all = commons && !walls;
    const bool given = all || (commons && i < site.nodes.size() / 2);
    out.nodes.push_back({site.nodes[i].name, site.nodes[i].resources, given});
  }
  // Where walls keep them, the machine's job-wide resources are everybody's.
  Random licences(seed ^ 0x6c6963656e6365 ^ name);
  if (facts.most_walls > 0) out.jobwide = facts.jobwide = site.rules.jobwide;
  out.wall_takes = Milliseconds(random.Between(0, 1500));
  BootInstant at{1000};
  while ((at = at + Milliseconds(random.Between(500, 9000))) < until) {
    const bool befalls = !calm && random.Chance(150);
    driver::OutsiderAct act{.at = at};
    if (!befalls) {
      act.job = DrawJob(random, site.nodes.size());
      if (!out.jobwide.empty() && licences.Chance(250)) {
        act.job.jobwide.Set(out.jobwide.entries().front().first, 1);
      }
      out.acts.push_back(act);
      continue;
    }
    constexpr Kind kKinds[] = {Kind::kCancel, Kind::kNodeDown, Kind::kTakeWall, Kind::kRefuse,
                               Kind::kBlind};
    act.kind = kKinds[random.Below(std::size(kKinds))];
    act.node = site.nodes[random.Below(site.nodes.size())].name;
    out.acts.push_back(act);
    const bool ends = act.kind == Kind::kNodeDown || act.kind == Kind::kBlind;
    if (!ends) continue;
    act.kind = act.kind == Kind::kBlind ? Kind::kSee : Kind::kNodeUp;
    act.at = at + Milliseconds(random.Between(1000, 30'000));
    out.acts.push_back(act);
  }
  std::stable_sort(out.acts.begin(), out.acts.end(),
                   [](const auto& a, const auto& b) { return a.at < b.at; });
  return out;
}

}  // namespace muster::sim
