// Told is what happens: of questions drawn by seed, what the daemons' cores tell is tried out in
// frozen copies of the world (World::Frozen): nobody else comes, parts run for the time they asked
// for. An offer of `ask` is the promise of the job submitted a second later; a change of `explain`
// gives the promise that it said; where a shorter duration does not help, none on a grid does; a
// bound is what is promised at last. Counted as truth rates. protocol.md section 10 (told).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "sim/workload.h"
#include "sim/world.h"

namespace muster::sim {

struct TruthRate {
  uint64_t right = 0;
  uint64_t all = 0;
  TruthRate& operator+=(const TruthRate& other);
};

struct ToldCounts {
  TruthRate offers;
  uint64_t overtaken = 0;  // offers that were not kept, as others moved in the second between
  TruthRate ways;          // changes of `explain`
  TruthRate deaf;          // "A shorter duration does not help."
  TruthRate causes;        // promised or queued jobs whose explanation has one
  TruthRate bounds;        // of those who wait for a block
  uint64_t unproved = 0;   // changes of which nothing was told, since nothing was proved
  ToldCounts& operator+=(const ToldCounts& other);
};
// "offers 98.5 % of 130 (2 overtaken), changes 100.0 % of 120, ...".
std::string ToText(const ToldCounts& counts);

class ToldDraws {
 public:
  // What is asked for is drawn like this.
  ToldDraws(uint64_t seed, WorkloadOptions asked) : random_(seed), asked_(std::move(asked)) {}

  // Draws one question about the world as it is, and tries the answer out. The world stays as it
  // is.
  void Look(const World& world);

  const ToldCounts& counts() const { return counts_; }
  // What was told and did not happen, a line each; not of offers that were overtaken.
  const std::vector<std::string>& wrong() const { return wrong_; }

 private:
  void LookAtOffer(const World& world);
  void LookAtJob(const World& world);
  void Count(TruthRate& rate, bool right, const World& world, const std::string& what);

  Random random_;
  WorkloadOptions asked_;
  ToldCounts counts_;
  std::vector<std::string> wrong_;
};

}  // namespace muster::sim
