// Choosing by what is known of jobs and which of them have steps.
#include "site/driver/slurm/glances.h"

#include <algorithm>

namespace muster::driver::slurm {

void Glances::Take(const std::set<uint32_t>& from, Why why, size_t most, std::vector<Ask>& to) {
  left_ += from.size();
  auto next = from.upper_bound(last_[why]);
  for (size_t taken = 0; taken < std::min(most, from.size()); ++taken) {
    if (next == from.end()) next = from.begin();
    to.push_back({*next++, why});
  }
}

std::vector<Glances::Ask> Glances::ToAsk(const std::set<uint32_t>& with_steps,
                                         const std::vector<Job>& rows) {
  std::set<uint32_t> begun = with_steps;  // until a row says that it runs
  std::set<uint32_t> ended, others;
  for (const Job& row : rows) {
    if (row.state != JobState::kRunning && row.state != JobState::kCompleting) continue;
    const bool goes_on = row.state == JobState::kRunning && with_steps.contains(row.id);
    (goes_on ? others : ended).insert(row.id);
    begun.erase(row.id);
  }
  std::vector<Ask> asks;
  left_ = 0;
  Take(begun, Why::kBegun, kMostBegun, asks);
  Take(ended, Why::kEnded, kMostInTurn, asks);
  Take(others, Why::kRuns, kMostInTurn, asks);
  return asks;
}

void Glances::Asked(const Ask& ask) {
  last_[ask.why] = ask.job;
  --left_;
}

bool Patch(const Job& fresh, std::vector<Job>& rows) {
  const auto known =
      std::find_if(rows.begin(), rows.end(), [&](const Job& row) { return row.id == fresh.id; });
  if (known == rows.end()) {
    rows.push_back(fresh);
    return true;
  }
  const bool changed = *known != fresh;
  *known = fresh;
  return changed;
}

}  // namespace muster::driver::slurm
