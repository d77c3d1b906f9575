// A hypercube, cut into subcubes: every choice of k dimensions at every corner, C(D,k) * 2^(D-k) of
// them (the iPSC of CCS Sect. 4). In a form's set of dimensions, bit j stands for dimension j.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "site/machine/geometry.h"

namespace muster::machine {

class Hypercube : public Geometry {
 public:
  // REQUIRES dimensions <= 12.
  explicit Hypercube(uint32_t dimensions);

  Bits Corners(const Form& form, const Bits& free) const override;
  Bits UnitsAt(const Placement& placement) const override;
  std::string TextOf(const Form& form) const override;

 private:
  uint32_t dimensions_;
  std::vector<Bits> zero_;  // by dimension: the units that have a 0 at this bit of their address
};

}  // namespace muster::machine
