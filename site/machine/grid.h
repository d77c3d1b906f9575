// The common part of mesh and torus: finds rectangles and boxes of free units by shifting rows of
// bits along one axis after the other (scheduling.md section 8).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "site/machine/geometry.h"

namespace muster::machine {

class Grid {
 public:
  using Sides = std::array<uint32_t, 3>;
  // `wraps`: after the last unit of an axis comes the first.
  Grid(const Sides& sides, bool wraps);

  size_t unit_count() const { return count_; }
  // Corners at which a box of these sides lies within `free`. A box as long as a wrapping axis has
  // one corner along that axis, at 0. REQUIRES 0 < box <= sides.
  Bits Corners(const Sides& box, const Bits& free) const;
  Bits UnitsAt(const Sides& box, uint32_t corner) const;
  // All boxes, the most compact first (least sum of sides). Among equals, those that are longer
  // along the first axis come first, then those longer along the second.
  std::vector<Form> Forms() const;
  // The first `axes` sides as text: "3x2x1".
  static std::string Text(const Sides& box, size_t axes);

 private:
  // Moves the bit at coordinate a + by of the axis to coordinate a. Beyond the end there are no
  // bits or, with wrapping, those from the beginning.
  Bits Ahead(const Bits& bits, size_t axis, uint32_t by) const;

  Sides sides_;
  Sides strides_;
  bool wraps_;
  size_t count_;
  // By axis and length: units whose coordinate along the axis is less than the length.
  std::array<std::vector<Bits>, 3> below_;
};

}  // namespace muster::machine
