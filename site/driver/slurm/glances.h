// Which jobs a glance asks for. A look takes all jobs there are, and costs as much; a glance
// between two looks takes the few that began, ended, or run. Pure.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "site/driver/slurm/machine.h"

namespace muster::driver::slurm {

// A glance asks for at most so many jobs that seem to have begun or to have ended, and for so many
// of the others that run. With more of them, the next one goes on where this one ended.
inline constexpr size_t kMostNews = 32;
inline constexpr size_t kMostInTurn = 12;

class Glances {
 public:
  // `with_steps`: jobs that have a step now; a batch job has one from its begin to its end. `rows`:
  // what is known. Ids without repetition.
  std::vector<uint32_t> ToAsk(const std::set<uint32_t>& with_steps, const std::vector<Job>& rows);
  // Whether nobody was left out by the last one: if no job changes after it, none has to be asked.
  bool whole() const { return whole_; }

 private:
  // Moves at most `most` of them, in turn after `last`, to the end of `to`.
  void Take(const std::set<uint32_t>& from, size_t most, uint32_t& last, std::vector<uint32_t>& to);

  uint32_t last_news_ = 0;
  uint32_t last_in_turn_ = 0;
  bool whole_ = false;
};

// Puts these rows in the place of those with their ids, or behind all; whether any is new.
bool Patch(const std::vector<Job>& fresh, std::vector<Job>& rows);

}  // namespace muster::driver::slurm
