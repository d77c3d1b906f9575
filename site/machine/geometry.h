// How a machine can be cut into partitions: a mesh into rectangles, a hypercube into subcubes, a
// torus into boxes, all of whole atomic units (CCS Sect. 4; scheduling.md section 8). Knows what is
// free, nothing of time or of jobs. A partition has its units, and the I/O links at them, alone.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "site/machine/bits.h"

namespace muster::machine {

// A partition wherever it may lie: `units` of them, by axis `sides` (grids) or the set of
// dimensions that it spans (cubes).
struct Form {
  uint32_t units = 0;
  std::array<uint32_t, 3> sides{};  // of a cube: {set of dimensions, 0, 0}
  bool operator==(const Form&) const = default;
};

// A form at one of its corners.
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
  // Forms that hold so many units somewhere in the empty machine, in the order in which they are
  // tried: those of least waste, then all that waste at most `waste_percent` of what is asked for,
  // by waste. Empty: there is none. REQUIRES units > 0.
  std::vector<Form> FormsFor(uint32_t units, int waste_percent) const;
  // Where the form lies wholly within `free` and can be reached from outside: its corners, each
  // partition once.
  virtual Bits Corners(const Form& form, const Bits& free) const = 0;
  virtual Bits UnitsAt(const Placement& placement) const = 0;
  // "3x2", for people.
  virtual std::string TextOf(const Form& form) const = 0;

  // The first placement within `free`: by form, then the lowest corner. Exact: none, if there is
  // none.
  std::optional<Placement> FirstWithin(const std::vector<Form>& forms, const Bits& free) const;
  // All placements of the forms of least waste that have one.
  std::vector<Placement> LeastWaste(const std::vector<Form>& forms, const Bits& free) const;

 protected:
  explicit Geometry(size_t unit_count) : unit_count_(unit_count) {}
  // All forms by size, then as they are preferred, without those that lie nowhere. To be called
  // once, by the constructor of the machine.
  void Keep(std::vector<Form> forms);

 private:
  size_t unit_count_;
  std::vector<Form> forms_;
};

}  // namespace muster::machine
