// The operator's description of a machine with a geometry, and the geometry made from it. A Machine
// keeps only the geometry (geometry.h).
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
  // Units by axis: two numbers for a mesh, three for a torus. For a cube one number: how many
  // dimensions it has.
  std::vector<uint32_t> sides;
  // Units of a mesh that have an I/O link: each partition contains at least one. Empty: partitions
  // need none.
  std::vector<uint32_t> links = {};
  int waste_percent = 25;
};

// Number of units of a layout. REQUIRES the same as MakeGeometry.
size_t UnitsOf(const Layout& layout);
// Units at the border of a mesh, ascending.
std::vector<uint32_t> BorderOf(uint32_t width, uint32_t height);

// REQUIRES: `sides` has the length that the kind needs, each side is > 0, there are at most
// kMostUnits units in all, and `links` are units of the mesh.
std::shared_ptr<const Geometry> MakeGeometry(const Layout& layout);
inline constexpr size_t kMostUnits = 4096;

}  // namespace muster::machine
