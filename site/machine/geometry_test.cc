// Partitions against an oracle that knows of no rows of bits: it lists all placements of a small
// machine by coordinates. CCS Sect. 4, scheduling.md section 8.
#include "site/machine/geometry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"

namespace muster::machine {
namespace {

using UnitSet = std::set<uint32_t>;

UnitSet SetOf(const Bits& bits) {
  UnitSet out;
  bits.ForEach([&out](size_t unit) { out.insert(static_cast<uint32_t>(unit)); });
  return out;
}

// All partitions of a machine, by size.
using Partitions = std::map<size_t, std::set<UnitSet>>;

Partitions Boxes(const std::vector<uint32_t>& sides, bool wraps, const UnitSet& links) {
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

// A subcube is all addresses that agree outside of some dimensions.
Partitions Cubes(uint32_t dimensions) {
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

struct Case {
  std::string name;
  Layout layout;
  Partitions partitions;
};

std::vector<Case> Cases() {
  const auto links = [](const std::vector<uint32_t>& units) {
    return UnitSet(units.begin(), units.end());
  };
  return {
      {"mesh", {Kind::kMesh, {4, 4}}, Boxes({4, 4}, false, {})},
      {"GCel", {Kind::kMesh, {4, 4}, {5, 10}}, Boxes({4, 4}, false, links({5, 10}))},
      {"GCPP", {Kind::kMesh, {4, 4}, BorderOf(4, 4)}, Boxes({4, 4}, false, links(BorderOf(4, 4)))},
      {"long", {Kind::kMesh, {7, 2}}, Boxes({7, 2}, false, {})},
      {"cube", {Kind::kHypercube, {4}}, Cubes(4)},
      {"unit", {Kind::kHypercube, {0}}, Cubes(0)},
      {"torus", {Kind::kTorus, {4, 2, 2}}, Boxes({4, 2, 2}, true, {})},
      {"flat torus", {Kind::kTorus, {3, 5, 1}}, Boxes({3, 5, 1}, true, {})},
  };
}

TEST(Geometry, FindsExactlyThePartitionsThatLieWithinWhatIsFree) {
  Random random(1);
  for (const Case& c : Cases()) {
    const auto geometry = MakeGeometry(c.layout);
    for (int round = 0; round < 60; ++round) {
      Bits free(geometry->unit_count());
      for (size_t u = 0; u < free.width(); ++u) {
        if (round == 0 || random.Below(8) < 6) free.Set(u);
      }
      for (uint32_t size = 1; size <= free.width(); ++size) {
        std::set<UnitSet> expected;
        const auto known = c.partitions.find(size);
        if (known != c.partitions.end()) {
          for (const UnitSet& units : known->second) {
            if (std::all_of(units.begin(), units.end(), [&](uint32_t u) { return free.Test(u); })) {
              expected.insert(units);
            }
          }
        }
        std::set<UnitSet> found;
        size_t count = 0;
        for (const Form& form : geometry->FormsFor(size, 0)) {
          if (form.units != size) continue;
          geometry->Corners(form, free).ForEach([&](size_t corner) {
            found.insert(SetOf(geometry->UnitsAt({form, static_cast<uint32_t>(corner)})));
            ++count;
          });
        }
        ASSERT_EQ(found, expected) << c.name << " size " << size;
        ASSERT_EQ(count, expected.size()) << "each partition once";
      }
    }
  }
}

TEST(Geometry, TakesAPlacementOfLeastWasteWheneverThereIsOne) {
  Random random(2);
  for (const Case& c : Cases()) {
    const auto geometry = MakeGeometry(c.layout);
    for (int round = 0; round < 100; ++round) {
      Bits free(geometry->unit_count());
      for (size_t u = 0; u < free.width(); ++u) {
        if (random.Below(3) > 0) free.Set(u);
      }
      const uint32_t wanted = 1 + static_cast<uint32_t>(random.Below(free.width()));
      size_t least = 0;  // of all sizes there are, and of those free
      size_t best = 0;
      for (const auto& [size, all] : c.partitions) {
        if (size < wanted) continue;
        if (least == 0) least = size;
        if (size != least && (size - wanted) * 100 > wanted * 25) break;
        const bool fits = std::any_of(all.begin(), all.end(), [&](const UnitSet& units) {
          return std::all_of(units.begin(), units.end(), [&](uint32_t u) { return free.Test(u); });
        });
        if (fits && best == 0) best = size;
      }
      const auto placed = geometry->FirstWithin(geometry->FormsFor(wanted, 25), free);
      ASSERT_EQ(placed.has_value() ? placed->form.units : 0u, best) << c.name << " " << wanted;
      if (placed) ASSERT_TRUE(free.Contains(geometry->UnitsAt(*placed)));
    }
  }
}

TEST(Geometry, ReachesAGcppFromItsBorderOnly) {
  const auto geometry = MakeGeometry({Kind::kMesh, {4, 4}, BorderOf(4, 4)});
  Bits inner(16);
  for (const uint32_t unit : {5, 6, 9, 10}) inner.Set(unit);
  EXPECT_FALSE(geometry->FirstWithin(geometry->FormsFor(1, 25), inner).has_value());
  inner.Set(4);
  const auto placed = geometry->FirstWithin(geometry->FormsFor(2, 25), inner);
  ASSERT_TRUE(placed.has_value());
  EXPECT_EQ(SetOf(geometry->UnitsAt(*placed)), (UnitSet{4, 5}));
}

TEST(Geometry, PrefersTheBuddiesOfACube) {
  const auto geometry = MakeGeometry({Kind::kHypercube, {3}});
  const std::vector<Form> forms = geometry->FormsFor(2, 0);
  ASSERT_EQ(forms.size(), 3u) << "C(3,1)";
  EXPECT_EQ(SetOf(geometry->UnitsAt({forms.front(), 4})), (UnitSet{4, 5}));
  EXPECT_EQ(geometry->TextOf(forms.front()), "1-cube");
  EXPECT_EQ(geometry->FormsFor(3, 25).front().units, 4u)
      << "the least there is, whatever it wastes";
}

TEST(Geometry, PrefersCompactFormsAndNamesThem) {
  const auto geometry = MakeGeometry({Kind::kMesh, {8, 4}});
  const std::vector<Form> forms = geometry->FormsFor(6, 0);
  ASSERT_EQ(forms.size(), 3u);
  EXPECT_EQ(geometry->TextOf(forms[0]), "3x2");
  EXPECT_EQ(geometry->TextOf(forms[1]), "2x3");
  EXPECT_EQ(geometry->TextOf(forms[2]), "6x1");
  EXPECT_TRUE(geometry->FormsFor(33, 25).empty());
  EXPECT_EQ(geometry->FormsFor(31, 25).front().units, 32u);
}

TEST(Geometry, AddsFormsThatWasteMoreOnlyAsFarAsAllowed) {
  const auto geometry = MakeGeometry({Kind::kMesh, {4, 4}});
  const auto sizes = [&](uint32_t units, int percent) {
    std::set<uint32_t> out;
    for (const Form& form : geometry->FormsFor(units, percent)) out.insert(form.units);
    return out;
  };
  EXPECT_EQ(sizes(6, 0), (std::set<uint32_t>{6}));
  EXPECT_EQ(sizes(6, 40), (std::set<uint32_t>{6, 8}));
  EXPECT_EQ(sizes(5, 0), (std::set<uint32_t>{6})) << "5 units are no rectangle of 4 x 4";
}

}  // namespace
}  // namespace muster::machine
