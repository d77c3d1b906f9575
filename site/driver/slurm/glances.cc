// Choosing by what is known of jobs and which of them have steps.
#include "site/driver/slurm/glances.h"

#include <algorithm>

namespace muster::driver::slurm {

void Glances::Take(const std::set<uint32_t>& from, size_t most, uint32_t& last,
                   std::vector<uint32_t>& to) {
  if (from.size() > most) whole_ = false;
  auto next = from.upper_bound(last);
  for (size_t taken = 0; taken < std::min(most, from.size()); ++taken) {
    if (next == from.end()) next = from.begin();
    last = *next++;
    to.push_back(last);
  }
}

std::vector<uint32_t> Glances::ToAsk(const std::set<uint32_t>& with_steps,
                                     const std::vector<Job>& rows) {
  std::set<uint32_t> news = with_steps;  // begun, until a row says that it runs
  std::set<uint32_t> others;
  for (const Job& row : rows) {
    const bool has_steps = with_steps.contains(row.id);
    if (row.state == JobState::kCompleting || (row.state == JobState::kRunning && !has_steps)) {
      news.insert(row.id);  // perhaps it has ended
    } else if (row.state == JobState::kRunning) {
      news.erase(row.id);
      others.insert(row.id);
    }
  }
  std::vector<uint32_t> ids;
  whole_ = true;
  Take(news, kMostNews, last_news_, ids);
  Take(others, kMostInTurn, last_in_turn_, ids);
  return ids;
}

bool Patch(const std::vector<Job>& fresh, std::vector<Job>& rows) {
  bool changed = false;
  for (const Job& job : fresh) {
    const auto known =
        std::find_if(rows.begin(), rows.end(), [&](const Job& row) { return row.id == job.id; });
    if (known == rows.end()) {
      rows.push_back(job);
      changed = true;
    } else if (*known != job) {
      *known = job;
      changed = true;
    }
  }
  return changed;
}

}  // namespace muster::driver::slurm
