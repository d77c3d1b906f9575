// Jobs are matched by name; one that is in one run alone has no start in the other.
#include "sim/whatif/comparison.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "schemas/limits.h"

namespace muster::sim {
namespace {

// Run times below this count as this in slowdowns.
constexpr double kShortestRun = 10;

std::optional<Instant> StartOf(const JobCourse* job) {
  if (job == nullptr) return std::nullopt;
  return job->life.started ? job->life.started : job->starts_by;
}

bool Keeps(const JobCourse* job, Instant told) {
  const std::optional<Instant> start = StartOf(job);
  return start && *start <= told;
}

// Both courses of one job; null where it is not.
struct Pair {
  const JobCourse* before = nullptr;
  const JobCourse* after = nullptr;

  const JobCourse& any() const { return before ? *before : *after; }
  // A promise that is kept as it is, and would not be.
  bool Breaks() const {
    const std::optional<Instant> told = before ? before->told : std::nullopt;
    return told && Keeps(before, *told) && !Keeps(after, *told);
  }
  // Seconds; a start that is gained or lost is infinitely far.
  double Delta() const {
    const auto from = StartOf(before);
    const auto to = StartOf(after);
    if (!from && !to) return 0;
    if (!to) return INFINITY;
    if (!from) return -INFINITY;
    return static_cast<double>((*to - *from).seconds);
  }
  bool Moves() const { return std::abs(Delta()) > static_cast<double>(kSameStart.seconds); }
};

struct MovesCounted {
  uint64_t earlier = 0;
  uint64_t later = 0;
  uint64_t same = 0;

  void Add(const Pair& pair) {
    if (!pair.Moves()) {
      ++same;
    } else {
      ++(pair.Delta() < 0 ? earlier : later);
    }
  }
  schemas::MovedCounts Shown() const { return {earlier, later, same}; }
  // Without those that are so few that somebody could be recognised.
  schemas::MovedCounts Masked() const {
    const auto masked = [](uint64_t count) {
      return count < schemas::kHiddenFew ? std::nullopt : std::optional(count);
    };
    return {masked(earlier), masked(later), masked(same)};
  }
};

std::map<std::string, Pair> PairsOf(const SideOutcome& before, const SideOutcome& after) {
  std::map<std::string, Pair> out;
  for (const auto& [name, job] : before.jobs) out[name].before = &job;
  for (const auto& [name, job] : after.jobs) out[name].after = &job;
  return out;
}

schemas::WhatIfRow RowOf(const Pair& pair) {
  schemas::WhatIfRow row{.job = pair.any().name,
                         .user = pair.any().user,
                         .before = StartOf(pair.before),
                         .after = StartOf(pair.after),
                         .breaks = pair.Breaks()};
  if (pair.before) row.expected_before = pair.before->expected;
  if (pair.after) row.expected_after = pair.after->expected;
  if (pair.after && (row.breaks || !row.after)) row.because = pair.after->because;
  return row;
}

double InSeconds(Span span) { return static_cast<double>(span.seconds); }

schemas::WhatIfSide SummaryOf(const SideOutcome& side) {
  schemas::WhatIfSide out;
  std::vector<double> waits;
  double slowdowns = 0;
  std::map<std::string, double> used;
  for (const auto& [name, job] : side.jobs) {
    used[job.account.empty() ? job.user : job.account] += job.life.used_s;
    out.recalls += job.recalls;
    out.lost_s += job.lost_s;
    if (!job.life.started) ++out.waiting;
    if (job.life.started && job.promised && *job.life.started > *job.promised) ++out.promises_later;
    if (!job.life.started_here) continue;
    ++out.started;
    const double wait = std::max(0.0, InSeconds(*job.life.started - job.submitted));
    const Span ran = job.life.ended.value_or(side.until) - *job.life.started;
    const double runs = std::max(kShortestRun, InSeconds(ran));
    waits.push_back(wait);
    slowdowns += (wait + runs) / runs;
  }
  if (!waits.empty()) {
    const auto count = static_cast<double>(waits.size());
    std::sort(waits.begin(), waits.end());
    double sum = 0;
    for (const double wait : waits) sum += wait;
    out.wait_s = sum / count;
    out.wait_p95_s = waits[static_cast<size_t>(std::ceil(count * 0.95)) - 1];
    out.slowdown = slowdowns / count;
  }
  const double all = side.processors * InSeconds(side.until - side.from);
  if (all > 0) out.utilisation_ratio = side.used_s / all;
  for (const auto& [who, seconds] : used) {
    if (seconds > 0) out.shares.push_back({who, seconds / std::max(1.0, side.used_s)});
  }
  for (const auto& [account, free] : side.credits) out.credits.push_back({account, free});
  return out;
}

}  // namespace

schemas::WhatIfView Compared(const SideOutcome& before, const SideOutcome& after,
                             const Asker& asker) {
  schemas::WhatIfView out;
  if (!after.refused.empty()) {
    out.refused = after.refused;
    return out;
  }
  out.from = before.from;
  out.until = before.until;
  MovesCounted own;
  MovesCounted others;
  std::vector<std::pair<double, schemas::WhatIfRow>> rows;
  for (const auto& [name, pair] : PairsOf(before, after)) {
    const bool shown = asker.is_operator || pair.any().user == asker.user;
    (shown ? own : others).Add(pair);
    if (!shown) continue;
    out.breaks += pair.Breaks() ? 1 : 0;
    if (pair.Moves() || pair.Breaks()) rows.emplace_back(std::abs(pair.Delta()), RowOf(pair));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return std::pair(b.second.breaks, b.first) < std::pair(a.second.breaks, a.first);
  });
  for (auto& [delta, row] : rows) {
    if (out.rows.size() == schemas::kWhatIfRows) break;
    out.rows.push_back(std::move(row));
  }
  out.moved = own.Shown();
  if (asker.is_operator) {
    out.before = SummaryOf(before);
    out.after = SummaryOf(after);
  } else {
    out.others = others.Masked();
  }
  return out;
}

}  // namespace muster::sim
