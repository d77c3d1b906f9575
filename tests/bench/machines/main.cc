// bench_machines: how long requests wait on machines with a geometry, for each way to choose among
// free partitions: first fit, least damage, a known set (scheduling.md section 8). Prints one JSON
// line per machine and choice: {"bench","choice","mean_wait","unit","utilisation","first_fit",
// "ratio","verdict_ms"}; ratio = mean wait over that of first fit. Waits are in simulated time, the
// same on every computer; verdict_ms is not. Arguments are names of machines.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "site/machine/layout.h"
#include "site/plan/plan.h"

namespace muster::bench {
namespace {

using machine::Choice;
using machine::Kind;

constexpr size_t kRequests = 960;
constexpr size_t kBlock = 12;  // requests that a verdict brings at once
constexpr uint64_t kSeeds = 8;
constexpr double kLoad = 0.85;
constexpr uint32_t kUnits = 64;

struct Request {
  Instant arrives;
  uint32_t units;
  Span length;
};

double Uniform(Random& random) { return static_cast<double>(random.Below(1 << 30)) / (1 << 30); }

// Sizes log-uniform from 1 to 32 units, half of them rounded to a power of two, as users ask;
// durations log-uniform from 5 minutes to 5 hours; arrivals Poisson, for the load offered.
std::vector<Request> Load(uint64_t seed) {
  Random random(seed);
  std::vector<Request> out;
  double area = 0;
  for (size_t i = 0; i < kRequests; ++i) {
    const double log_size = 5 * Uniform(random);
    const bool power = random.Below(2) == 0;
    const auto units = static_cast<uint32_t>(std::exp2(power ? std::round(log_size) : log_size));
    const Span length{static_cast<int64_t>(300 * std::pow(60, Uniform(random)))};
    area += static_cast<double>(units) * static_cast<double>(length.seconds);
    out.push_back({Instant{0}, units, length});
  }
  const double gap = area / (kLoad * kUnits * kRequests);
  double now = 1000;
  for (Request& request : out) {
    now -= gap * std::log(1 - Uniform(random));
    request.arrives = Instant{static_cast<int64_t>(now)};
  }
  return out;
}

struct Figures {
  double wait = 0;  // minutes, mean
  double utilisation = 0;
  double verdict_ms = 0;
};

struct Machine {
  std::string name;
  std::vector<machine::Node> nodes;
  std::vector<machine::Switch> switches;
  machine::Units units;
};

std::vector<machine::Node> Nodes() {
  std::vector<machine::Node> nodes;
  for (uint32_t u = 0; u < kUnits; ++u)
    nodes.push_back({"u" + std::to_string(u), {{"ncpus", 1}}, {}});
  return nodes;
}

Machine Shaped(std::string name, const machine::Layout& layout) {
  Machine out{std::move(name), Nodes(), {}, {machine::MakeGeometry(layout), {}, 25}};
  for (const machine::Node& node : out.nodes) out.units.nodes.push_back(node.name);
  return out;
}

// Eight switches of eight nodes; what fits below one has to be there.
Machine Tree() {
  Machine out{"tree", Nodes(), {}, {}};
  for (uint32_t u = 0; u < kUnits; ++u) {
    if (u % 8 == 0) out.switches.push_back({"s" + std::to_string(u / 8), {}, {}});
    out.switches.back().nodes.push_back(out.nodes[u].name);
  }
  return out;
}

plan::Order OrderOf(const Request& request, bool grouped) {
  plan::Part part{.exclusive = true, .length = request.length};
  part.chunks.push_back({request.units, {{"ncpus", 1}}, {}});
  if (grouped && request.units <= 8) part.set = NodeSet{.attribute = "switch"};
  return {{part}, "", {}};
}

// Every block is verified as one set when its last request has arrived, and committed as answered.
Figures Run(const Machine& machine, const plan::Settings& settings,
            const std::vector<Request>& load) {
  const bool grouped = !machine.switches.empty();
  plan::Plan plan(
      std::make_shared<const machine::Machine>(machine.nodes, 8, machine.switches, machine.units),
      settings);
  Figures out;
  double area = 0;
  Instant last = load.front().arrives;
  std::chrono::duration<double, std::milli> spent{0};
  for (size_t first = 0; first < load.size(); first += kBlock) {
    const size_t end = std::min(load.size(), first + kBlock);
    const Instant now = load[end - 1].arrives;
    std::vector<plan::Question> block;
    for (size_t i = first; i < end; ++i) {
      block.push_back({OrderOf(load[i], grouped), now, IntervalSet::From(now), 1, false, {}});
    }
    const auto before = std::chrono::steady_clock::now();
    const std::vector<plan::Reply> replies = plan.Verify(block, now, UINT64_MAX);
    spent += std::chrono::steady_clock::now() - before;
    for (size_t i = first; i < end; ++i) {
      const Instant start = std::get<plan::Placed>(replies[i - first].answer).start;
      plan.Book({{1}, i + 1}, block[i - first].order, IntervalSet::Only(start), now, std::nullopt,
                0);
      out.wait += static_cast<double>((start - load[i].arrives).seconds) / 60;
      area += static_cast<double>(load[i].units) * static_cast<double>(load[i].length.seconds);
      last = std::max(last, start + load[i].length);
    }
    plan.ForgetBefore(now - Span{60});
  }
  const double count = static_cast<double>(load.size());
  out.wait /= count;
  out.utilisation = area / (kUnits * static_cast<double>((last - load.front().arrives).seconds));
  out.verdict_ms = spent.count() / (count / kBlock);
  return out;
}

Figures Mean(const Machine& machine, const plan::Settings& settings) {
  Figures sum;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Figures one = Run(machine, settings, Load(seed));
    sum.wait += one.wait / kSeeds;
    sum.utilisation += one.utilisation / kSeeds;
    sum.verdict_ms += one.verdict_ms / kSeeds;
  }
  return sum;
}

void Measure(const Machine& machine) {
  std::vector<std::pair<std::string, plan::Settings>> choices;
  const plan::Settings base{.turnover = Span{0}, .horizon = Span{3650 * int64_t{86400}}};
  if (machine.units.geometry == nullptr) {
    choices = {{"greedy", base}, {"switch", base}};
    choices[1].second.policy = plan::Policy::kSwitch;
  } else {
    choices = {{"first-fit", base}, {"least-damage", base}, {"known-set", base}};
    choices[0].second.choice = Choice::kFirstFit;
    choices[1].second.choice = Choice::kLeastDamage;
  }
  double first_fit = 0;
  for (const auto& [name, settings] : choices) {
    const Figures figures = Mean(machine, settings);
    if (first_fit == 0) first_fit = figures.wait;
    std::printf(
        "{\"bench\":\"%s\",\"choice\":\"%s\",\"mean_wait\":%.1f,\"unit\":\"min\","
        "\"utilisation\":%.3f,\"first_fit\":%.1f,\"ratio\":%.3f,\"verdict_ms\":%.2f}\n",
        machine.name.c_str(), name.c_str(), figures.wait, figures.utilisation, first_fit,
        figures.wait / first_fit, figures.verdict_ms);
    std::fflush(stdout);
  }
}

int Main(int argc, char** argv) {
  const std::vector<Machine> machines = {
      Shaped("mesh", {Kind::kMesh, {8, 8}}),
      Shaped("mesh-border", {Kind::kMesh, {8, 8}, machine::BorderOf(8, 8)}),
      Shaped("hypercube", {Kind::kHypercube, {6}}),
      Shaped("torus", {Kind::kTorus, {4, 4, 4}}),
      Tree(),
  };
  std::vector<std::string> wanted(argv + 1, argv + argc);
  for (const std::string& name : wanted) {
    const bool known = std::any_of(machines.begin(), machines.end(),
                                   [&](const Machine& machine) { return machine.name == name; });
    if (known) continue;
    std::fprintf(stderr, "bench: error[usage]: no machine '%s'\n  help:", name.c_str());
    for (const Machine& machine : machines) std::fprintf(stderr, " %s", machine.name.c_str());
    std::fprintf(stderr, "\n");
    return 2;
  }
  for (const Machine& machine : machines) {
    const bool named = std::find(wanted.begin(), wanted.end(), machine.name) != wanted.end();
    if (wanted.empty() || named) Measure(machine);
  }
  return 0;
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) { return muster::bench::Main(argc, argv); }
