// All partitions of a small machine, listed by coordinates: an oracle for tests that does not use
// rows of bits. CCS Sect. 4, scheduling.md section 8.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "site/machine/layout.h"

namespace muster::machine::oracle {

using UnitSet = std::set<uint32_t>;

inline UnitSet SetOf(const Bits& bits) {
  UnitSet out;
  bits.ForEach([&out](size_t unit) { out.insert(static_cast<uint32_t>(unit)); });
  return out;
}

// All partitions of a machine, by size.
using Partitions = std::map<size_t, std::set<UnitSet>>;

inline Partitions Boxes(const std::vector<uint32_t>& sides, bool wraps, const UnitSet& links) {
  const uint32_t depth = sides.size() > 2 ? sides[2] : 1;
  Partitions out;
  const auto box = [&](uint32_t x, uint32_t y, uint32_t z, uint32_t w, uint32_t h, uint32_t d) {
    UnitSet units;
    for (uint32_t i = 0; i < w * h * d; ++i) {
      const uint32_t a = x + i % w;
      const uint32_t b = y + i / w % h;
      const uint32_t c = z + i / w / h;
      if (!wraps && (a >= sides[0] || b >= sides[1] || c >= depth)) return;
      units.insert(a % sides[0] + sides[0] * (b % sides[1]) + sides[0] * sides[1] * (c % depth));
    }
    const bool reached = links.empty() || std::any_of(units.begin(), units.end(), [&](uint32_t u) {
                           return links.contains(u);
                         });
    if (reached) out[units.size()].insert(std::move(units));
  };
  for (uint32_t x = 0; x < sides[0]; ++x) {
    for (uint32_t y = 0; y < sides[1]; ++y) {
      for (uint32_t z = 0; z < depth; ++z) {
        for (uint32_t w = 1; w <= sides[0]; ++w) {
          for (uint32_t h = 1; h <= sides[1]; ++h) {
            for (uint32_t d = 1; d <= depth; ++d) box(x, y, z, w, h, d);
          }
        }
      }
    }
  }
  return out;
}

// A subcube is the set of all addresses that agree in every dimension outside of `set`.
inline Partitions Cubes(uint32_t dimensions) {
  Partitions out;
  for (uint32_t set = 0; set < 1u << dimensions; ++set) {
    for (uint32_t like = 0; like < 1u << dimensions; ++like) {
      UnitSet units;
      for (uint32_t u = 0; u < 1u << dimensions; ++u) {
        if ((u & ~set) == (like & ~set)) units.insert(u);
      }
      out[units.size()].insert(std::move(units));
    }
  }
  return out;
}

inline Partitions Of(const Layout& layout) {
  if (layout.kind == Kind::kHypercube) return Cubes(layout.sides.front());
  return Boxes(layout.sides, layout.kind == Kind::kTorus,
               UnitSet(layout.links.begin(), layout.links.end()));
}

}  // namespace muster::machine::oracle
