// A machine with a geometry as an operator describes it, and the geometry made of that. Machines
// themselves have the geometry alone (geometry.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "site/machine/geometry.h"

namespace muster::machine {

enum class Kind : uint8_t { kMesh, kHypercube, kTorus };

// What a machine is like, as an operator describes it.
struct Layout {
  Kind kind = Kind::kMesh;
  // Units by axis: two of a mesh, three of a torus; of a cube its dimensions, one number.
  std::vector<uint32_t> sides;
  // Units of a mesh that have an I/O link: a partition contains at least one. Empty: none is
  // needed.
  std::vector<uint32_t> links = {};
  int waste_percent = 25;
};

// Units of a layout. REQUIRES what MakeGeometry does.
size_t UnitsOf(const Layout& layout);
// Units at the border of a mesh, ascending.
std::vector<uint32_t> BorderOf(uint32_t width, uint32_t height);

// REQUIRES as many sides as the kind has, each > 0, at most kMostUnits units in all; links are
// units.
std::shared_ptr<const Geometry> MakeGeometry(const Layout& layout);
inline constexpr size_t kMostUnits = 4096;

}  // namespace muster::machine
