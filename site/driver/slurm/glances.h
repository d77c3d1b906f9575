// Which jobs a glance asks for. A look takes all jobs there are, and costs as much; a glance
// between two looks takes the few that began, ended, or run. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "site/driver/slurm/machine.h"

namespace muster::driver::slurm {

// A glance asks for at most so many jobs that seem to have begun, for so many that seem to have
// ended, and for so many of the others that run. The next one goes on where this one ended.
inline constexpr size_t kMostBegun = 32;
inline constexpr size_t kMostInTurn = 12;

class Glances {
 public:
  enum class Why : uint8_t { kBegun, kEnded, kRuns };
  struct Ask {
    uint32_t job = 0;
    Why why = Why::kRuns;
    bool operator==(const Ask&) const = default;
  };
  // `with_steps`: jobs that have a step now; a batch job has one from its begin to its end. `rows`:
  // what is known.
  std::vector<Ask> ToAsk(const std::set<uint32_t>& with_steps, const std::vector<Job>& rows);
  // This one was asked for. Whoever was not is left out, and comes next time.
  void Asked(const Ask& ask);
  // Whether the last one has left nobody out: if no job changes after it, none has to be asked.
  bool whole() const { return left_ == 0; }

 private:
  void Take(const std::set<uint32_t>& from, Why why, size_t most, std::vector<Ask>& to);

  std::map<Why, uint32_t> last_;  // whom the last ones asked for
  size_t left_ = 1;
};

// Puts this row in the place of that with its id, or behind all; whether it is new.
bool Patch(const Job& fresh, std::vector<Job>& rows);

}  // namespace muster::driver::slurm
