// The rows of whole plans: planning, mapping and booking on 616 and 10,000 nodes, arrays,
// memory. OpenCCS Sect. 6 has the figures of OpenCCS.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "site/plan/plan.h"
#include "tests/bench/planner/bench.h"
#include "tests/bench/planner/filled_plan.h"
#include "tests/bench/planner/plan_load.h"

namespace muster::bench {
namespace {

constexpr size_t kPlanned = 10000;
// Passes of a tenth of a second each: some run while nobody else needs the machine's caches.
constexpr int kPasses = 24;
// A machine of 10,000 nodes beside one of 616.
constexpr size_t kMoreNodes = 16;
// Operations of the reference that are measured: each takes up to seconds.
constexpr size_t kFew = 5;
constexpr size_t kReferenceJobs = 20'000;

using Machine = std::shared_ptr<const machine::Machine>;

const auto kNothing = [] {};

// Plans, maps and books beside `jobs` others, each after revoking one, so that their number stays.
Row PlanRow(const std::string& name, uint32_t nodes, size_t jobs, size_t measured,
            std::optional<Bounds> bounds) {
  const auto value = [=] {
    Filled filled(Oculus(nodes), jobs, 1);
    const double seconds = BestSeconds(kPasses, kNothing, [&] {
      for (size_t i = 0; i < measured; ++i) {
        filled.FreeOne();
        filled.Book(MixedOrder(filled.random));
      }
    });
    return static_cast<double>(measured) / seconds;
  };
  const auto reference = [=] {
    const Machine machine = Oculus(nodes);
    const Filled filled(machine, jobs, 1);
    FlatFilled flat(*machine, filled, jobs);
    Random random(2);
    const double seconds = BestSeconds(1, kNothing, [&] {
      for (size_t i = 0; i < kFew; ++i) {
        FlatNodes::Booking& one = flat.booked[random.Below(flat.booked.size())];
        flat.flat.Free(one);
        one = flat.flat.Book(MixedOrder(random), kNow.seconds);
      }
    });
    return kFew / seconds;
  };
  return {name, "1/s", bounds, value, reference};
}

// Microseconds a job of the conservative loop, mapped to whole cores.
Row MappedRow(const std::string& name, uint32_t nodes, size_t jobs, std::optional<Bounds> bounds) {
  const auto value = [=] {
    const Machine machine = Cores(nodes);
    std::vector<plan::Order> orders;
    Random random(3);
    for (size_t i = 0; i < jobs; ++i) orders.push_back(CoresOrder(random));
    const double seconds = BestSeconds(1, kNothing, [&] {
      plan::Plan plan(machine, {Span{0}, kHorizon});
      uint64_t number = 0;
      for (const plan::Order& order : orders) {
        plan.Book(FenceOf(++number), order, IntervalSet::From(kNow), kNow, {}, 1);
      }
    });
    return seconds / static_cast<double>(jobs) * 1e6;
  };
  // The reference plans kFew jobs spread over the first kReferenceJobs, each beside those before
  // it. On a large machine where many jobs wait, one of the last would take it minutes.
  const auto reference = [=] {
    const size_t some = std::min(jobs, kReferenceJobs);
    const Machine machine = Cores(nodes);
    const Filled filled(machine, some, 3, CoresOrder);
    double seconds = 0;
    for (size_t i = 0; i < kFew; ++i) {
      const size_t at = (some - 1) * i / (kFew - 1);
      FlatFilled flat(*machine, filled, at);
      seconds +=
          BestSeconds(1, kNothing, [&] { flat.flat.Book(filled.booked[at].order, kNow.seconds); });
    }
    return seconds / kFew * 1e6;
  };
  return {name, "us", bounds, value, reference};
}

// An element: one core for some hours.
plan::Order Element() {
  plan::Part part;
  part.chunks.push_back({1, {{"ncpus", 1}, {"mem", int64_t{2} << 30}}, {}});
  part.length = {4 * 3600};
  return {{part}, ""};
}

// Seconds for an array, planned into a plan that already has 1,000 jobs.
Row ArrayRow(const std::string& name, size_t elements, std::optional<Bounds> bounds) {
  const auto value = [=] {
    std::unique_ptr<Filled> filled;
    return BestSeconds(
        3, [&] { filled = std::make_unique<Filled>(Oculus(kNodes), 1000, 1); },
        [&] {
          for (size_t i = 0; i < elements; ++i) filled->Book(Element());
        });
  };
  // The reference plans 5 elements beside half of the others. Its figure is scaled to all elements.
  const auto reference = [=] {
    const Machine machine = Oculus(kNodes);
    Filled filled(machine, 1000, 1);
    for (size_t i = 0; i < elements / 2; ++i) filled.Book(Element());
    FlatFilled flat(*machine, filled, filled.booked.size());
    const double seconds = BestSeconds(1, kNothing, [&] {
      for (size_t i = 0; i < kFew; ++i) flat.flat.Book(Element(), kNow.seconds);
    });
    return seconds / kFew * static_cast<double>(elements);
  };
  return {name, "s", bounds, value, reference};
}

// Megabytes that a process has in memory.
double Resident() {
  long size = 0;
  long resident = 0;
  FILE* file = std::fopen("/proc/self/statm", "r");
  const bool read = file != nullptr && std::fscanf(file, "%ld %ld", &size, &resident) == 2;
  if (file != nullptr) std::fclose(file);
  return read ? static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6
              : 0;
}

// Megabytes that a process has in memory at the end of `work`: all of it, program and heap.
template <typename Work>
double MegabytesAfter(Work work) {
  int ends[2];
  if (pipe(ends) != 0) return 0;
  const pid_t child = fork();
  if (child == 0) {
    [[maybe_unused]] const auto kept = work();
    const double megabytes = Resident();
    const bool written = write(ends[1], &megabytes, sizeof megabytes) == sizeof megabytes;
    _exit(written ? 0 : 1);
  }
  double megabytes = 0;
  const bool read_all = read(ends[0], &megabytes, sizeof megabytes) == sizeof megabytes;
  close(ends[0]);
  close(ends[1]);
  waitpid(child, nullptr, 0);
  return read_all ? megabytes : 0;
}

Row MemoryRow(const std::string& name, size_t jobs, std::optional<Bounds> bounds) {
  const auto value = [=] {
    return MegabytesAfter([&] { return std::make_unique<Filled>(Oculus(kNodes), jobs, 1); });
  };
  // The reference, copied from a plan. What that plan takes beyond an empty process is subtracted.
  const auto reference = [=] {
    const double program = MegabytesAfter([] { return 0; });
    const double plan =
        MegabytesAfter([&] { return std::make_unique<Filled>(Oculus(kNodes), jobs, 1); });
    const double both = MegabytesAfter([&] {
      const Machine machine = Oculus(kNodes);
      auto filled = std::make_unique<Filled>(machine, jobs, 1);
      auto flat = std::make_unique<FlatFilled>(*machine, *filled, jobs);
      return std::pair(std::move(filled), std::move(flat));
    });
    return program + both - plan;
  };
  return {name, "MB", bounds, value, reference};
}

}  // namespace

std::vector<Row> MemoryRows() { return {MemoryRow("memory_15k", 15000, Bounds{150, 60})}; }

std::vector<Row> PlanRows() {
  const auto none = std::nullopt;
  return {
      PlanRow("plan_616", kNodes, kPlanned, 4000, Bounds{25000, 100000}),
      PlanRow("plan_10000", 10000, kPlanned, 2000, Bounds{5000, 25000}),
      PlanRow("plan_616_jobs_1k", kNodes, 1000, 4000, none),
      PlanRow("plan_616_jobs_100k", kNodes, 100000, 2000, none),
      PlanRow("plan_nodes_100", 100, kPlanned, 4000, none),
      PlanRow("plan_nodes_1k", 1000, kPlanned, 4000, none),
      ArrayRow("array_10k", 10000, Bounds{0.5, 0.1}),
      MappedRow("mapped_616", kNodes, 10000, Bounds{40, 10}),
      // As many jobs per node as above, so that most of them wait.
      MappedRow("mapped_10000", 10000, 10000 * kMoreNodes, Bounds{150, 30}),
      MappedRow("mapped_616_jobs_1k", kNodes, 1000, none),
      MappedRow("mapped_616_jobs_100k", kNodes, 100000, none),
      MappedRow("mapped_nodes_100", 100, 10000, none),
      MappedRow("mapped_nodes_1k", 1000, 10000, none),
  };
}

}  // namespace muster::bench
