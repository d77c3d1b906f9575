// A window of length n along an axis is free where two windows of about half that length, which
// cover it, are free. So log n shifts are enough.
#include "site/machine/grid.h"

#include <algorithm>

namespace muster::machine {

Grid::Grid(const Sides& sides, bool wraps)
    : sides_(sides),
      strides_{1, sides[0], sides[0] * sides[1]},
      wraps_(wraps),
      count_(size_t{sides[0]} * sides[1] * sides[2]) {
  for (size_t axis = 0; axis < 3; ++axis) {
    for (uint32_t length = 0; length <= sides_[axis]; ++length) {
      Bits& below = below_[axis].emplace_back(count_);
      for (uint32_t unit = 0; unit < count_; ++unit) {
        if (unit / strides_[axis] % sides_[axis] < length) below.Set(unit);
      }
    }
  }
}

Bits Grid::Ahead(const Bits& bits, size_t axis, uint32_t by) const {
  const uint32_t side = sides_[axis];
  const size_t stride = strides_[axis];
  const Bits& inside = below_[axis][side - by];
  Bits out = bits.Down(by * stride) & inside;
  if (wraps_) out |= bits.Up((side - by) * stride) - inside;
  return out;
}

Bits Grid::Corners(const Sides& box, const Bits& free) const {
  Bits out = free;
  for (size_t axis = 0; axis < 3; ++axis) {
    for (uint32_t have = 1; have < box[axis];) {
      const uint32_t by = std::min(have, box[axis] - have);
      out &= Ahead(out, axis, by);
      have += by;
    }
    if (wraps_ && box[axis] == sides_[axis]) out &= below_[axis][1];
  }
  return out;
}

Bits Grid::UnitsAt(const Sides& box, uint32_t corner) const {
  Bits out(count_);
  Sides at{};
  for (size_t axis = 0; axis < 3; ++axis) at[axis] = corner / strides_[axis] % sides_[axis];
  for (uint32_t z = 0; z < box[2]; ++z) {
    for (uint32_t y = 0; y < box[1]; ++y) {
      for (uint32_t x = 0; x < box[0]; ++x) {
        out.Set((at[0] + x) % sides_[0] * strides_[0] + (at[1] + y) % sides_[1] * strides_[1] +
                (at[2] + z) % sides_[2] * strides_[2]);
      }
    }
  }
  return out;
}

std::vector<Form> Grid::Forms() const {
  std::vector<Form> out;
  for (uint32_t z = 1; z <= sides_[2]; ++z) {
    for (uint32_t y = 1; y <= sides_[1]; ++y) {
      for (uint32_t x = 1; x <= sides_[0]; ++x) out.push_back({x * y * z, {x, y, z}});
    }
  }
  std::stable_sort(out.begin(), out.end(), [](const Form& a, const Form& b) {
    const auto around = [](const Form& form) {
      return form.sides[0] + form.sides[1] + form.sides[2];
    };
    if (around(a) != around(b)) return around(a) < around(b);
    return a.sides > b.sides;
  });
  return out;
}

std::string Grid::Text(const Sides& box, size_t axes) {
  std::string out = std::to_string(box[0]);
  for (size_t axis = 1; axis < axes; ++axis) out += "x" + std::to_string(box[axis]);
  return out;
}

}  // namespace muster::machine
