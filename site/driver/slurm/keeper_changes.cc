// What a keeper has changed while a look was under way: of these reservations it knows more than
// the look does. Taken as it is, such a look would have walls put twice, over themselves.
#include <algorithm>
#include <utility>

#include "site/driver/slurm/keeper.h"

namespace muster::driver::slurm {

absl::Status Keeper::CreateWall(const WantedReservation& wanted) {
  MUSTER_RETURN_IF_ERROR(cluster_.Create(wanted));
  Changed(wanted.name, &wanted);
  return absl::OkStatus();
}

absl::Status Keeper::ChangeWall(const WantedReservation& wanted, bool begun) {
  MUSTER_RETURN_IF_ERROR(cluster_.Change(wanted, begun));
  Changed(wanted.name, &wanted);
  return absl::OkStatus();
}

absl::Status Keeper::DeleteWall(const std::string& wall) {
  MUSTER_RETURN_IF_ERROR(cluster_.Delete(wall));
  Changed(wall, nullptr);
  return absl::OkStatus();
}

// Null: it is gone. Until it is read back it is taken to be as asked.
void Keeper::Changed(const std::string& wall, const WantedReservation* now) {
  changed_[wall] = Now();
  if (!look_) return;
  std::erase_if(look_->reservations, [&](const Reservation& row) { return row.name == wall; });
  if (now == nullptr) return;
  look_->reservations.push_back({.name = wall,
                                 .when = now->when,
                                 .nodes = now->nodes,
                                 .users = now->users,
                                 .licences = now->licences});
}

void Keeper::KeepWhatIsNewer(Look& fresh) {
  if (look_ && fresh.has_rows && fresh.began < jobs_read_at_) {
    fresh.jobs = std::move(look_->jobs);
    to_.look_anew();
  }
  std::erase_if(changed_, [&](const auto& entry) { return entry.second < fresh.reread_at; });
  if (changed_.empty() || !look_ || !fresh.has_rows) return;
  std::erase_if(fresh.reservations,
                [&](const Reservation& row) { return changed_.contains(row.name); });
  for (Reservation& row : look_->reservations) {
    if (changed_.contains(row.name)) fresh.reservations.push_back(std::move(row));
  }
  to_.look_anew();
}

}  // namespace muster::driver::slurm
