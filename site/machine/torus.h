// A 3-D torus, cut into boxes of any orientation that may wrap around every axis (the T3D of CCS
// Sect. 4).
#pragma once

#include <cstdint>
#include <string>

#include "site/machine/grid.h"

namespace muster::machine {

class Torus : public Geometry {
 public:
  Torus(uint32_t x, uint32_t y, uint32_t z);

  Bits Corners(const Form& form, const Bits& free) const override;
  Bits UnitsAt(const Placement& placement) const override;
  std::string TextOf(const Form& form) const override { return Grid::Text(form.sides, 3); }

 private:
  Grid grid_;
};

}  // namespace muster::machine
