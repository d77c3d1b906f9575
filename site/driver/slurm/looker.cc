// What a look costs is taken for both sides: the controller packs what this side unpacks, which is
// about as much work. The time that passes says more only where others keep the processors busy.
#include "site/driver/slurm/looker.h"

#include <time.h>

#include <algorithm>
#include <utility>

namespace muster::driver::slurm {
namespace {

constexpr BootSpan kLeastPause = Milliseconds(100);
constexpr BootSpan kMostPause = Milliseconds(10'000);
// Looks at all take an eightieth of a core at most, the controller's part of the work included, and
// glances a sixtieth.
constexpr int64_t kPausePerCost = 80;
constexpr int64_t kPausePerGlance = 60;
// A controller that answers late is not asked for more.
constexpr BootSpan kGlance = Milliseconds(300);
constexpr BootSpan kGlancePause = Milliseconds(1000);
// How often it is asked whether the controller was restarted, or read its configuration again: the
// answer is long.
constexpr BootSpan kSettingsEvery = Milliseconds(5000);

BootSpan ProcessorTimeOfThread() {
  timespec taken{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &taken);
  return {taken.tv_sec * 1000 + taken.tv_nsec / 1'000'000};
}

template <class Row>
absl::Status Take(absl::StatusOr<std::optional<Sheet<Row>>> sheet, std::vector<Row>& rows,
                  int64_t& as_of, bool& changed) {
  MUSTER_RETURN_IF_ERROR(sheet.status());
  if (!*sheet) return absl::OkStatus();
  changed = changed || rows != (*sheet)->rows;
  rows = std::move((*sheet)->rows);
  as_of = (*sheet)->as_of;
  return absl::OkStatus();
}

}  // namespace

bool Looker::IsAllDue(BootInstant now) const {
  return again_ || now - all_at_ >= std::clamp(all_cost_ * kPausePerCost, kLeastPause, kMostPause);
}

absl::Status Looker::LoadSettings(BootInstant now) {
  if (settings_at_ != BootInstant{} && now - settings_at_ < kSettingsEvery) {
    return absl::OkStatus();
  }
  MUSTER_ASSIGN_OR_RETURN(Settings settings, cluster_.LoadSettings());
  // A restarted controller may have forgotten what it said before: nothing is taken as unchanged.
  if (settings.controller_started != last_.settings.controller_started) {
    jobs_as_of_ = nodes_as_of_ = reservations_as_of_ = partitions_as_of_ = 0;
  }
  last_.changed = last_.changed || settings != last_.settings;
  last_.settings = std::move(settings);
  settings_at_ = now;
  return absl::OkStatus();
}

absl::Status Looker::LoadAll() {
  MUSTER_RETURN_IF_ERROR(
      Take(cluster_.JobsSince(jobs_as_of_), last_.jobs, jobs_as_of_, last_.changed));
  runs_as_of_ = jobs_as_of_;
  return LoadOthers();
}

absl::Status Looker::LoadRuns() {
  MUSTER_ASSIGN_OR_RETURN(const auto steps,
                          cluster_.JobsWithSteps(glances_.whole() ? runs_as_of_ : 0));
  if (steps) {
    runs_as_of_ = steps->as_of;
    const std::set<uint32_t> ids(steps->rows.begin(), steps->rows.end());
    const BootInstant until = clock_.Read().boot + kGlance;
    for (const Glances::Ask& ask : glances_.ToAsk(ids, last_.jobs)) {
      if (clock_.Read().boot > until) break;
      const auto job = cluster_.LoadJob(ask.job);
      if (!job.ok() && !absl::IsNotFound(job.status())) return job.status();
      glances_.Asked(ask);
      // Of one that is not known any more the next look at all tells nothing.
      if (job.ok() && Patch(*job, last_.jobs)) last_.changed = true;
    }
  }
  return LoadOthers();
}

absl::Status Looker::LoadOthers() {
  MUSTER_RETURN_IF_ERROR(
      Take(cluster_.NodesSince(nodes_as_of_), last_.nodes, nodes_as_of_, last_.changed));
  MUSTER_RETURN_IF_ERROR(Take(cluster_.ReservationsSince(reservations_as_of_), last_.reservations,
                              reservations_as_of_, last_.changed));
  return Take(cluster_.PartitionsSince(partitions_as_of_), last_.partitions, partitions_as_of_,
              last_.changed);
}

absl::StatusOr<Look> Looker::Next(Rows rows, Depth depth) {
  const Now before = clock_.Read();
  const BootSpan taken = ProcessorTimeOfThread();
  const bool all = depth == Depth::kAll || IsAllDue(before.boot);
  last_.changed = std::exchange(untold_, false);
  absl::Status status = all ? LoadSettings(before.boot) : absl::OkStatus();
  if (status.ok()) status = all ? LoadAll() : LoadRuns();
  const Now after = clock_.Read();
  const BootSpan own = {ProcessorTimeOfThread().milliseconds - taken.milliseconds + 1};
  (all ? all_cost_ : glance_cost_) = std::min(after.boot - before.boot, own * 2);
  again_ = !status.ok();
  if (!status.ok()) {
    settings_at_ = {};  // it may have been restarted
    untold_ = last_.changed;
    return status;
  }
  last_.reread_at = before.wall;
  if (all) {
    last_.began = before.wall;
    all_at_ = after.boot;
    glance_cost_ = {glance_cost_.milliseconds / 2};  // a dear one is not the last
  }
  last_.at = after.wall;
  if (last_.changed || rows == Rows::kAlways) return last_;
  return Look{.began = last_.began,
              .reread_at = last_.reread_at,
              .at = last_.at,
              .changed = false,
              .has_rows = false,
              .settings = last_.settings};
}

// Looks at all that are due soon are waited for; else glances divide the time until then evenly.
BootSpan Looker::Pause() const {
  const BootSpan due = std::clamp(all_cost_ * kPausePerCost, kLeastPause, kMostPause) -
                       (clock_.Read().boot - all_at_);
  const BootSpan glance = std::max(glance_cost_ * kPausePerGlance, kGlancePause);
  const int64_t pieces =
      std::max<int64_t>((due.milliseconds + glance.milliseconds - 1) / glance.milliseconds, 1);
  return std::max<BootSpan>({due.milliseconds / pieces + 1}, kLeastPause);
}

}  // namespace muster::driver::slurm
