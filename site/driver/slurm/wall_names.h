// The names of a wall in Slurm. It has two, of which one stands: a wall that Slurm cannot change is
// made anew under the other one, and only then the first one goes.
#pragma once

#include <string>
#include <vector>

#include "site/driver/slurm/machine.h"

namespace muster::driver::slurm {

// The other of the two names that a reservation's wall has.
std::string OtherName(const std::string& reservation);
// The name by which the wall was asked for.
std::string WallNamed(const std::string& reservation);

// Null: there is none of that name.
const Reservation* NamedIn(const std::vector<Reservation>& rows, const std::string& name);

}  // namespace muster::driver::slurm
