// Partitions against the oracle's list of them.
#include "site/machine/geometry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "site/machine/layout.h"
#include "site/machine/partitions_oracle.h"

namespace muster::machine {
namespace {

using oracle::Partitions;
using oracle::SetOf;
using oracle::UnitSet;

struct Case {
  std::string name;
  Layout layout;
  Partitions partitions;
};

std::vector<Case> Cases() {
  const std::vector<std::pair<std::string, Layout>> layouts = {
      {"mesh", {Kind::kMesh, {4, 4}}},
      {"GCel", {Kind::kMesh, {4, 4}, {5, 10}}},
      {"GCPP", {Kind::kMesh, {4, 4}, BorderOf(4, 4)}},
      {"long", {Kind::kMesh, {7, 2}}},
      {"cube", {Kind::kHypercube, {4}}},
      {"unit", {Kind::kHypercube, {0}}},
      {"torus", {Kind::kTorus, {4, 2, 2}}},
      {"flat torus", {Kind::kTorus, {3, 5, 1}}},
  };
  std::vector<Case> out;
  for (const auto& [name, layout] : layouts) out.push_back({name, layout, oracle::Of(layout)});
  return out;
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
