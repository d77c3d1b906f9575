// Grid does all the work.
#include "site/machine/torus.h"

namespace muster::machine {

Torus::Torus(uint32_t x, uint32_t y, uint32_t z)
    : Geometry(size_t{x} * y * z), grid_({x, y, z}, true) {
  Keep(grid_.Forms());
}

Bits Torus::Corners(const Form& form, const Bits& free) const {
  return grid_.Corners(form.sides, free);
}

Bits Torus::UnitsAt(const Placement& placement) const {
  return grid_.UnitsAt(placement.form.sides, placement.corner);
}

}  // namespace muster::machine
