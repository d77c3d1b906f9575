// A rectangle has a link unless it lies wholly within the units that have none. So the grid is
// searched once more, for rectangles of such units.
#include "site/machine/mesh.h"

namespace muster::machine {

Mesh::Mesh(uint32_t width, uint32_t height, const std::vector<uint32_t>& links)
    : Geometry(size_t{width} * height),
      grid_({width, height, 1}, false),
      without_link_(size_t{width} * height, !links.empty()) {
  for (const uint32_t unit : links) without_link_.Clear(unit);
  Keep(grid_.Forms());
}

Bits Mesh::Corners(const Form& form, const Bits& free) const {
  Bits out = grid_.Corners(form.sides, free);
  if (out.Any() && without_link_.Any()) out -= grid_.Corners(form.sides, without_link_);
  return out;
}

Bits Mesh::UnitsAt(const Placement& placement) const {
  return grid_.UnitsAt(placement.form.sides, placement.corner);
}

}  // namespace muster::machine
