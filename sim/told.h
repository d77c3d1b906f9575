// Tests that the cores' answers come true. Questions are drawn by seed, and their answers are tried
// out in frozen copies of the world (World::Frozen), where nobody else comes and parts run for
// their requested time. Checked are: an offer of `ask` equals the promise of the job submitted a
// second later; a change of `explain` gives the promise it announced; where a shorter duration is
// said not to help, no shorter one on a grid does; a bound equals the later promise. The results
// are truth rates. protocol.md section 10 (told).
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
  uint64_t overtaken = 0;  // offers not kept because others moved in the second in between
  TruthRate ways;          // changes that `explain` proposes
  TruthRate deaf;          // answers "A shorter duration does not help."
  TruthRate causes;        // promised or queued jobs whose explanation names a cause
  TruthRate bounds;        // bounds of requests that wait for a block
  uint64_t unproved = 0;   // changes without an announced start, since nothing was proved
  ToldCounts& operator+=(const ToldCounts& other);
};
// Such as "offers 98.5 % of 130 (2 overtaken), changes 100.0 % of 120, ...".
std::string ToText(const ToldCounts& counts);

class ToldDraws {
 public:
  // `asked`: how to draw the jobs that test `ask`.
  ToldDraws(uint64_t seed, WorkloadOptions asked) : random_(seed), asked_(std::move(asked)) {}

  // Draws one question about the present world and tries the answer out. The world is not changed.
  void Look(const World& world);

  const ToldCounts& counts() const { return counts_; }
  // One line for each answer that did not come true, overtaken offers left out.
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
