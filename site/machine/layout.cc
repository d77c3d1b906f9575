// Maps each kind of machine to its Geometry class.
#include "site/machine/layout.h"

#include "base/check.h"
#include "site/machine/hypercube.h"
#include "site/machine/mesh.h"
#include "site/machine/torus.h"

namespace muster::machine {

size_t UnitsOf(const Layout& layout) {
  if (layout.kind == Kind::kHypercube) return size_t{1} << layout.sides.front();
  size_t units = 1;
  for (const uint32_t side : layout.sides) units *= side;
  return units;
}

std::vector<uint32_t> BorderOf(uint32_t width, uint32_t height) {
  std::vector<uint32_t> out;
  for (uint32_t y = 0; y < height; ++y) {
    for (uint32_t x = 0; x < width; ++x) {
      if (x == 0 || y == 0 || x + 1 == width || y + 1 == height) out.push_back(x + width * y);
    }
  }
  return out;
}

std::shared_ptr<const Geometry> MakeGeometry(const Layout& layout) {
  const std::vector<uint32_t>& sides = layout.sides;
  MUSTER_CHECK(UnitsOf(layout) > 0 && UnitsOf(layout) <= kMostUnits);
  switch (layout.kind) {
    case Kind::kMesh:
      MUSTER_CHECK(sides.size() == 2);
      return std::make_shared<const Mesh>(sides[0], sides[1], layout.links);
    case Kind::kHypercube:
      MUSTER_CHECK(sides.size() == 1);
      return std::make_shared<const Hypercube>(sides[0]);
    case Kind::kTorus:
      MUSTER_CHECK(sides.size() == 3);
      return std::make_shared<const Torus>(sides[0], sides[1], sides[2]);
  }
  return nullptr;
}

}  // namespace muster::machine
