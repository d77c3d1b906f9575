// The rows of whole plans: planning, mapping and booking on 616 and 10,000 nodes, arrays, a
// backfilling pass, memory. OpenCCS Sect. 6 has the figures of OpenCCS.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "site/plan/plan.h"
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

// A plan and the numbers of its bookings.
struct Filled {
  Filled(const Machine& machine, size_t jobs, uint64_t seed)
      : random(seed), plan(machine, {Span{1}, kHorizon}) {
    while (booked.size() < jobs) Book(MixedOrder(random));
  }
  void Book(plan::Order order) {
    plan.Book(FenceOf(++last), std::move(order), IntervalSet::From(kNow), kNow, {}, 1);
    booked.push_back(last);
  }
  // Revokes one of them, any.
  void FreeOne() {
    const size_t which = random.Below(booked.size());
    plan.Free(FenceOf(booked[which]));
    booked[which] = booked.back();
    booked.pop_back();
  }
  Random random;
  plan::Plan plan;
  std::vector<uint64_t> booked;
  uint64_t last = 0;
};

const auto kNothing = [] {};

// Plan, map and book beside `jobs` others; before each one is revoked, so that their number stays.
Row PlanRow(const std::string& name, uint32_t nodes, size_t jobs, size_t measured,
            std::optional<Bounds> bounds) {
  const auto value = [=] {
    Filled filled(Oculus(nodes), jobs, 1);
    const double seconds = BestSeconds(3, kNothing, [&] {
      for (size_t i = 0; i < measured; ++i) {
        filled.FreeOne();
        filled.Book(MixedOrder(filled.random));
      }
    });
    return static_cast<double>(measured) / seconds;
  };
  // The reference holds 20 times fewer jobs: its cost grows with their square.
  const auto reference = [=] {
    const Machine machine = Oculus(nodes);
    FlatNodes flat(*machine);
    Random random(1);
    std::vector<FlatNodes::Booking> booked;
    while (booked.size() < jobs / 20) booked.push_back(flat.Book(MixedOrder(random), 0));
    const size_t some = 50;
    const double seconds = BestSeconds(1, kNothing, [&] {
      for (size_t i = 0; i < some; ++i) {
        FlatNodes::Booking& one = booked[random.Below(booked.size())];
        flat.Free(one);
        one = flat.Book(MixedOrder(random), 0);
      }
    });
    return some / seconds;
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
  // The reference plans 50 times fewer jobs.
  const auto reference = [=] {
    const Machine machine = Cores(nodes);
    Random random(3);
    std::vector<plan::Order> orders;
    for (size_t i = 0; i < jobs / 50; ++i) orders.push_back(CoresOrder(random));
    const double seconds = BestSeconds(1, kNothing, [&] {
      FlatNodes flat(*machine);
      for (const plan::Order& order : orders) flat.Book(order, 0);
    });
    return seconds / static_cast<double>(orders.size()) * 1e6;
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

// Seconds for an array, planned into a plan that is 1,000 jobs long already.
Row ArrayRow(const std::string& name, size_t elements, std::optional<Bounds> bounds) {
  const auto value = [=] {
    std::unique_ptr<Filled> filled;
    return BestSeconds(
        3, [&] { filled = std::make_unique<Filled>(Oculus(kNodes), 1000, 1); },
        [&] {
          for (size_t i = 0; i < elements; ++i) filled->Book(Element());
        });
  };
  // The reference plans 50 times fewer elements beside 50 jobs, and the figure is 50 times that.
  const auto reference = [=] {
    const Machine machine = Oculus(kNodes);
    FlatNodes flat(*machine);
    Random random(1);
    for (size_t i = 0; i < 50; ++i) flat.Book(MixedOrder(random), 0);
    const plan::Order element = Element();
    return 50 * BestSeconds(1, kNothing, [&] {
             for (size_t i = 0; i < elements / 50; ++i) flat.Book(element, 0);
           });
  };
  return {name, "s", bounds, value, reference};
}

// Seconds for a pass over all jobs in the order they came, after the 20 that came first were
// removed: each is revoked, planned, and has the better of both places.
Row BackfillRow(const std::string& name, size_t jobs, std::optional<Bounds> bounds) {
  const auto value = [=] {
    Filled filled(Oculus(kNodes), jobs, 1);
    for (uint64_t i = 1; i <= 20; ++i) filled.plan.Free(FenceOf(i));
    return BestSeconds(1, kNothing, [&] {
      for (uint64_t i = 21; i <= jobs; ++i) {
        const IntervalSet earlier({{kNow, filled.plan.StartOf(FenceOf(i))}});
        filled.plan.Rebook(FenceOf(i), earlier, kNow, 0);
      }
    });
  };
  // The reference has 200 jobs, and the figure counts as many as the row has.
  const auto reference = [=] {
    const Machine machine = Oculus(kNodes);
    FlatNodes flat(*machine);
    Random random(1);
    std::vector<plan::Order> orders;
    std::vector<FlatNodes::Booking> booked;
    for (size_t i = 0; i < 200; ++i) {
      orders.push_back(MixedOrder(random));
      booked.push_back(flat.Book(orders.back(), 0));
    }
    for (size_t i = 0; i < 20; ++i) flat.Free(booked[i]);
    return static_cast<double>(jobs) / 180 * BestSeconds(1, kNothing, [&] {
             for (size_t i = 20; i < 200; ++i) {
               flat.Free(booked[i]);
               booked[i] = flat.Book(orders[i], 0);
             }
           });
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

// What a process that does `work` has in memory at its end: all of it, program and heap.
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
  // The reference holds 200 jobs, and what they take beyond the program counts as often.
  const auto reference = [=] {
    const double program = MegabytesAfter([] { return 0; });
    const double some = MegabytesAfter([&] {
      const Machine machine = Oculus(kNodes);
      auto flat = std::make_unique<FlatNodes>(*machine);
      Random random(1);
      std::vector<FlatNodes::Booking> booked;
      for (size_t i = 0; i < 200; ++i) booked.push_back(flat->Book(MixedOrder(random), 0));
      return std::pair(std::move(flat), std::move(booked));
    });
    return program + (some - program) * static_cast<double>(jobs) / 200;
  };
  return {name, "MB", bounds, value, reference};
}

}  // namespace

std::vector<Row> PlanRows() {
  const auto none = std::nullopt;
  return {
      PlanRow("plan_616", kNodes, kPlanned, 4000, Bounds{25000, 100000}),
      PlanRow("plan_10000", 10000, kPlanned, 2000, Bounds{5000, 25000}),
      PlanRow("plan_616_jobs_1k", kNodes, 1000, 4000, none),
      PlanRow("plan_616_jobs_100k", kNodes, 100000, 4000, none),
      PlanRow("plan_nodes_100", 100, kPlanned, 4000, none),
      PlanRow("plan_nodes_1k", 1000, kPlanned, 4000, none),
      ArrayRow("array_10k", 10000, Bounds{0.5, 0.1}),
      BackfillRow("backfill_60k", 60000, Bounds{5, 1}),
      MemoryRow("memory_15k", 15000, Bounds{150, 60}),
      MappedRow("mapped_616", kNodes, 10000, Bounds{40, 10}),
      MappedRow("mapped_10000", 10000, 10000, Bounds{150, 30}),
      MappedRow("mapped_616_jobs_1k", kNodes, 1000, none),
      MappedRow("mapped_616_jobs_100k", kNodes, 100000, none),
      MappedRow("mapped_nodes_100", 100, 10000, none),
      MappedRow("mapped_nodes_1k", 1000, 10000, none),
  };
}

}  // namespace muster::bench
