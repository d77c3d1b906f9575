// How a machine can be cut into partitions: a mesh into rectangles, a hypercube into subcubes, a
// torus into boxes, all of whole atomic units (CCS Sect. 4; scheduling.md section 8). A geometry
// works on sets of free units and knows nothing of time or jobs. No two partitions share a unit or
// an I/O link at one time.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "site/machine/bits.h"

namespace muster::machine {

// The form of a partition without its place: `units` is its size, `sides` its extent by axis
// (grids) or the set of dimensions that it spans (cubes).
struct Form {
  uint32_t units = 0;
  std::array<uint32_t, 3> sides{};  // of a cube: {set of dimensions, 0, 0}
  bool operator==(const Form&) const = default;
};

// A form at one place, given by its corner unit.
struct Placement {
  Form form;
  uint32_t corner = 0;
  bool operator==(const Placement&) const = default;
};

// Immutable. Units are counted from 0: in a grid along the first axis, then the second, then the
// third; in a cube by their address.
class Geometry {
 public:
  virtual ~Geometry() = default;

  size_t unit_count() const { return unit_count_; }
  // Forms with at least `units` units that exist somewhere in the empty machine, in the order in
  // which they are tried: the least waste first. Forms of more than the least waste are included
  // only if they waste at most `waste_percent` of `units`. Empty: no form is large enough.
  // REQUIRES units > 0.
  std::vector<Form> FormsFor(uint32_t units, int waste_percent) const;
  // The corners at which the form lies wholly within `free` and has an I/O link if it needs one.
  // Each partition counts once.
  virtual Bits Corners(const Form& form, const Bits& free) const = 0;
  virtual Bits UnitsAt(const Placement& placement) const = 0;
  // The form as text for people: "3x2".
  virtual std::string TextOf(const Form& form) const = 0;

  // The first placement within `free`: by form, then the lowest corner. Finds one if there is any.
  std::optional<Placement> FirstWithin(const std::vector<Form>& forms, const Bits& free) const;
  // All placements within `free` of the smallest forms that have any placement there.
  std::vector<Placement> LeastWaste(const std::vector<Form>& forms, const Bits& free) const;

 protected:
  explicit Geometry(size_t unit_count) : unit_count_(unit_count) {}
  // Stores the forms by size, then in the given order of preference, without those that exist
  // nowhere. To be called once, by the constructor of the derived class.
  void Keep(std::vector<Form> forms);

 private:
  size_t unit_count_;
  std::vector<Form> forms_;
};

}  // namespace muster::machine
