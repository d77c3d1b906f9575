// See wall_names.h.
#include "site/driver/slurm/wall_names.h"

#include <algorithm>
#include <cstring>

namespace muster::driver::slurm {
namespace {

constexpr char kSecond[] = "_b";  // behind the name by which it was asked for

}  // namespace

std::string OtherName(const std::string& reservation) {
  if (!reservation.ends_with(kSecond)) return reservation + kSecond;
  return reservation.substr(0, reservation.size() - std::strlen(kSecond));
}

std::string WallNamed(const std::string& reservation) {
  return reservation.ends_with(kSecond) ? OtherName(reservation) : reservation;
}

const Reservation* NamedIn(const std::vector<Reservation>& rows, const std::string& name) {
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&](const Reservation& row) { return row.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace muster::driver::slurm
