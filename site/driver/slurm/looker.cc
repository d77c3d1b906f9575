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
constexpr int64_t kPausePerCost = 22;
// How often it is asked whether the controller was restarted: the answer is long.
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

absl::Status Looker::Load(Look& look) {
  MUSTER_RETURN_IF_ERROR(
      Take(cluster_.JobsSince(jobs_as_of_), look.jobs, jobs_as_of_, look.changed));
  MUSTER_RETURN_IF_ERROR(
      Take(cluster_.NodesSince(nodes_as_of_), look.nodes, nodes_as_of_, look.changed));
  MUSTER_RETURN_IF_ERROR(Take(cluster_.ReservationsSince(reservations_as_of_), look.reservations,
                              reservations_as_of_, look.changed));
  return Take(cluster_.PartitionsSince(partitions_as_of_), look.partitions, partitions_as_of_,
              look.changed);
}

absl::StatusOr<Look> Looker::Next(Rows rows) {
  const Now before = clock_.Read();
  const BootSpan taken = ProcessorTimeOfThread();
  last_.changed = std::exchange(untold_, false);
  last_.began = before.wall;
  if (settings_at_ == BootInstant{} || before.boot - settings_at_ >= kSettingsEvery) {
    absl::StatusOr<Settings> loaded = cluster_.LoadSettings();
    if (!loaded.ok()) {
      untold_ = last_.changed;
      return loaded.status();
    }
    Settings settings = *std::move(loaded);
    // A restarted controller may have forgotten what it said before: nothing is taken as unchanged.
    if (settings.controller_started != last_.settings.controller_started) {
      jobs_as_of_ = nodes_as_of_ = reservations_as_of_ = partitions_as_of_ = 0;
    }
    last_.settings = std::move(settings);
    settings_at_ = before.boot;
  }
  const absl::Status status = Load(last_);
  const Now after = clock_.Read();
  const BootSpan own = {ProcessorTimeOfThread().milliseconds - taken.milliseconds + 1};
  cost_ = std::min(after.boot - before.boot, own * 2);
  if (!status.ok()) {
    settings_at_ = {};  // it may have been restarted
    untold_ = last_.changed;
    return status;
  }
  last_.at = after.wall;
  if (last_.changed || rows == Rows::kAlways) return last_;
  return Look{.began = last_.began,
              .at = last_.at,
              .changed = false,
              .has_rows = false,
              .settings = last_.settings};
}

BootSpan Looker::Pause() const {
  return std::clamp(cost_ * kPausePerCost, kLeastPause, kMostPause);
}

}  // namespace muster::driver::slurm
