// Finds free subcubes by combining the row of free units with itself, shifted along each dimension
// of the subcube.
#include "site/machine/hypercube.h"

#include <bit>

namespace muster::machine {

Hypercube::Hypercube(uint32_t dimensions)
    : Geometry(size_t{1} << dimensions), dimensions_(dimensions) {
  for (uint32_t j = 0; j < dimensions; ++j) {
    Bits& zero = zero_.emplace_back(unit_count());
    for (uint32_t unit = 0; unit < unit_count(); ++unit) {
      if ((unit >> j & 1) == 0) zero.Set(unit);
    }
  }
  // Low dimensions come first, so that among subcubes of one size those over the lowest dimensions,
  // the buddies of a buddy system, are tried first.
  std::vector<Form> forms;
  for (uint32_t set = 0; set < unit_count(); ++set) {
    forms.push_back({uint32_t{1} << std::popcount(set), {set, 0, 0}});
  }
  Keep(std::move(forms));
}

Bits Hypercube::Corners(const Form& form, const Bits& free) const {
  Bits out = free;
  for (uint32_t j = 0; j < dimensions_; ++j) {
    if ((form.sides[0] >> j & 1) == 0) continue;
    out &= out.Down(size_t{1} << j);
    out &= zero_[j];
  }
  return out;
}

Bits Hypercube::UnitsAt(const Placement& placement) const {
  Bits out(unit_count());
  const uint32_t set = placement.form.sides[0];
  for (uint32_t part = set;; part = (part - 1) & set) {
    out.Set(placement.corner | part);
    if (part == 0) break;
  }
  return out;
}

std::string Hypercube::TextOf(const Form& form) const {
  return std::to_string(std::popcount(form.sides[0])) + "-cube";
}

}  // namespace muster::machine
