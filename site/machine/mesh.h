// A 2-D mesh of atomic units, cut into rectangles that each contain an I/O link. Links are inside,
// as on a GCel, or at the border only, as on a GCPP (CCS Sect. 4).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "site/machine/grid.h"

namespace muster::machine {

class Mesh : public Geometry {
 public:
  // `links`: the units with an I/O link; if the list is empty, partitions need no link.
  Mesh(uint32_t width, uint32_t height, const std::vector<uint32_t>& links);

  Bits Corners(const Form& form, const Bits& free) const override;
  Bits UnitsAt(const Placement& placement) const override;
  std::string TextOf(const Form& form) const override { return Grid::Text(form.sides, 2); }

 private:
  Grid grid_;
  Bits without_link_;
};

}  // namespace muster::machine
