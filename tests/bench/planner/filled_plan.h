// A plan full of jobs for the rows that plan beside others, and the same jobs at the same places in
// the reference, so that both start from the same plan.
#pragma once

#include <memory>
#include <vector>

#include "base/random.h"
#include "site/plan/plan.h"
#include "tests/bench/planner/flat_nodes.h"
#include "tests/bench/planner/plan_load.h"

namespace muster::bench {

inline constexpr Instant kNow{1000000};
inline constexpr Span kHorizon{int64_t{4000} * 86400};

inline Fence FenceOf(uint64_t number) { return {{1}, number}; }

struct Filled {
  struct Job {
    uint64_t number;
    plan::Order order;
    Instant start;
    plan::Mapping mapping;
  };
  // Books `jobs` orders drawn by `draw`.
  Filled(const std::shared_ptr<const machine::Machine>& machine, size_t jobs, uint64_t seed,
         plan::Order (*draw)(Random&) = MixedOrder)
      : random(seed), plan(machine, {Span{1}, kHorizon}) {
    while (booked.size() < jobs) Book(draw(random));
  }
  void Book(plan::Order order) {
    const plan::Answer answer =
        plan.Book(FenceOf(++last), order, IntervalSet::From(kNow), kNow, {}, 1);
    const auto& placed = std::get<plan::Placed>(answer);
    booked.push_back({last, std::move(order), placed.start, placed.mapping});
  }
  // Revokes one of them, any.
  void FreeOne() {
    const size_t which = random.Below(booked.size());
    plan.Free(FenceOf(booked[which].number));
    std::swap(booked[which], booked.back());
    booked.pop_back();
  }

  Random random;
  plan::Plan plan;
  std::vector<Job> booked;
  uint64_t last = 0;
};

// The first `jobs` of a plan in the reference.
struct FlatFilled {
  FlatFilled(const machine::Machine& machine, const Filled& filled, size_t jobs) : flat(machine) {
    for (size_t i = 0; i < jobs && i < filled.booked.size(); ++i) {
      const Filled::Job& job = filled.booked[i];
      booked.push_back(flat.Restore(job.order, job.start.seconds, job.mapping));
    }
  }
  FlatNodes flat;
  std::vector<FlatNodes::Booking> booked;
};

}  // namespace muster::bench
