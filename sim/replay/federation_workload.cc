// Jobs are left out before submissions are scaled to a load and before jobs are split, so neither
// changes which jobs remain. Processors are scaled earlier: that decides which jobs are too wide.
#include "sim/replay/federation_workload.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "sim/replay/node_speeds.h"

namespace muster::sim {
namespace {

// longest request of an interactive job in seconds, if no queue name tells
constexpr int64_t kInteractive = 3600;
constexpr uint32_t kThousand = 1000;

bool IsInteractive(const SwfTrace& trace, const SwfJob& job) {
  const auto queue = trace.queues.find(job.queue);
  if (queue == trace.queues.end()) return job.asked <= kInteractive;
  std::string name = queue->second;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name.find("interactive") != std::string::npos;
}

std::optional<size_t> HomeOf(const SwfJob& job, size_t sites, const HomeRule& rule) {
  const int64_t place = job.partition / 100 - 1;
  if (rule.by_partition && place >= 0 && place < static_cast<int64_t>(sites)) {
    return static_cast<size_t>(place);
  }
  return rule.site;
}

// Splits the job into parts at different sites, as equal as possible. Returns false if too few
// sites are large enough, or the job has fewer processors than there are to be parts.
bool Split(FederationJob& job, size_t parts, const std::vector<int64_t>& sizes) {
  const int64_t all = job.parts.front();
  const int64_t each = (all + static_cast<int64_t>(parts) - 1) / static_cast<int64_t>(parts);
  if (all < static_cast<int64_t>(parts) || sizes.size() < parts || sizes[parts - 1] < each) {
    return false;
  }
  job.parts.clear();
  for (int64_t left = all, n = static_cast<int64_t>(parts); n > 0; --n) {
    job.parts.push_back((left + n - 1) / n);
    left -= job.parts.back();
  }
  return true;
}

void CoAllocate(FederationWorkload& workload, const std::vector<ReplaySite>& sites,
                const WorkloadRules& rules) {
  std::vector<int64_t> sizes;  // largest first
  for (const ReplaySite& site : sites) sizes.push_back(site.processors);
  std::sort(sizes.rbegin(), sizes.rend());
  Random random(rules.seed ^ 0x636f);
  for (FederationJob& job : workload.jobs) {
    // Drawn for every job, so that a larger ratio splits the same jobs and more.
    const bool chosen = random.Below(kThousand) < rules.co_allocated;
    const bool three = random.Below(2) == 1;
    if (!chosen) continue;
    if (three && Split(job, 3, sizes)) {
      ++workload.counts.split_in_three;
    } else if (Split(job, 2, sizes)) {
      ++workload.counts.split_in_two;
    }
  }
}

// `capacity`: processors of the reference speed.
void ScaleTo(FederationWorkload& workload, double load, double capacity) {
  std::vector<FederationJob>& jobs = workload.jobs;
  if (jobs.size() < 2 || jobs.back().submitted == jobs.front().submitted) return;
  double area = 0;
  for (const FederationJob& job : jobs) {
    area += static_cast<double>(job.Processors()) * static_cast<double>(job.runs.seconds);
  }
  const Instant first = jobs.front().submitted;
  const auto lasts = static_cast<double>((jobs.back().submitted - first).seconds);
  const double scale = area / (load * capacity * lasts);
  for (FederationJob& job : jobs) {
    const Instant before = job.submitted;
    const auto after = static_cast<double>((before - first).seconds) * scale;
    job.submitted = first + Span{std::llround(after)};
    if (job.cancels) job.cancels = job.submitted + (*job.cancels - before);
  }
  workload.counts.interval_scale = scale;
}

void SubmitAtOnce(std::vector<FederationJob>& jobs) {
  for (FederationJob& job : jobs) {
    const Instant first = jobs.front().submitted;
    if (job.cancels) job.cancels = first + (*job.cancels - job.submitted);
    job.submitted = first;
  }
}

int64_t Widest(const std::vector<ReplaySite>& sites) {
  int64_t widest = 0;
  for (const ReplaySite& site : sites) widest = std::max(widest, site.processors);
  return widest;
}

// Scales the job's processors in proportion, from the trace's machine to these sites.
void Rescale(FederationJob& job, int64_t from, int64_t to) {
  job.parts.front() = (job.parts.front() * to + from - 1) / from;
}

FederationJob JobOf(const SwfTrace& trace, const SwfJob& job, const WorkloadRules& rules) {
  FederationJob out{.number = job.number,
                    .submitted = {trace.began + job.submitted},
                    .asks = {rules.exact ? job.ran : job.asked},
                    .runs = {job.ran},
                    .parts = {job.processors},
                    .user = job.user,
                    .group = job.group,
                    .interactive = IsInteractive(trace, job),
                    .executable = job.executable};
  if (job.cancelled) out.cancels = out.submitted + Span{*job.waited};
  return out;
}

// Leaves out jobs of some homes, evenly: of 200 in 1,000 each fifth one stays.
class Thinner {
 public:
  explicit Thinner(const std::map<size_t, uint32_t>& keep) : keep_(keep) {}
  bool Keeps(std::optional<size_t> home) {
    const auto keep = home ? keep_.find(*home) : keep_.end();
    if (keep == keep_.end()) return true;
    uint32_t& owed = owed_[*home];
    owed += keep->second;
    if (owed < kAll) return false;
    owed -= kAll;
    return true;
  }

 private:
  static constexpr uint32_t kAll = 1000;
  const std::map<size_t, uint32_t>& keep_;
  std::map<size_t, uint32_t> owed_;
};

}  // namespace

absl::StatusOr<FederationWorkload> MakeWorkload(const SwfTrace& trace,
                                                const std::vector<ReplaySite>& sites,
                                                const WorkloadRules& rules) {
  if (rules.co_allocated > 0 && sites.size() < 2) {
    return InvalidArgument("co-allocations need two sites or more");
  }
  FederationWorkload out;
  out.counts.trace = trace.counts;
  int64_t processors = 0;
  double capacity = 0;
  for (const ReplaySite& site : sites) {
    processors += site.processors;
    capacity += CapacityOf(site);
  }
  const int64_t widest = Widest(sites);
  const int64_t begin = trace.jobs.empty() ? 0 : trace.jobs.front().submitted;
  Thinner thinner(rules.keep);
  for (const SwfJob& job : trace.jobs) {
    const Span after{job.submitted - begin};
    const bool inside = after >= rules.from && (!rules.until || after < *rules.until);
    if (!inside || (rules.jobs && out.jobs.size() >= *rules.jobs)) {
      ++out.counts.outside;
      continue;
    }
    FederationJob next = JobOf(trace, job, rules);
    next.home = HomeOf(job, sites.size(), rules.home);
    if (rules.alone && !next.home) {
      ++out.counts.homeless;
      continue;
    }
    if (!thinner.Keeps(next.home)) {
      ++out.counts.thinned;
      continue;
    }
    if (rules.alone) next.only = next.home;
    if (rules.scaled_from > 0) Rescale(next, rules.scaled_from, processors);
    if (next.Processors() > (next.only ? sites[*next.only].processors : widest)) {
      ++out.counts.too_wide;
      continue;
    }
    out.jobs.push_back(std::move(next));
  }
  if (rules.load) ScaleTo(out, *rules.load, capacity);
  if (rules.backlog) SubmitAtOnce(out.jobs);
  if (rules.co_allocated > 0) CoAllocate(out, sites, rules);
  return out;
}

}  // namespace muster::sim
