// Partitions: on a machine with a geometry a part has whole units that form a rectangle of the
// mesh, a subcube of the hypercube or a box of the torus, judged from coordinates alone; on a mesh
// with I/O links at least one unit has a link. G2 checks that nobody else has these units at the
// time. CCS Sect. 4.
#include "sim/checkers/partitions.h"

#include <algorithm>
#include <bit>
#include <set>

namespace muster::sim {
namespace {

using schemas::HoldRecord;
using schemas::HoldState;

using Units = std::set<uint32_t>;

// True if the units are a subcube: some address bits are fixed, and the units are all addresses
// with these bits.
bool IsSubcube(const Units& units) {
  uint32_t varying = 0;
  for (const uint32_t unit : units) varying |= unit ^ *units.begin();
  return units.size() == size_t{1} << std::popcount(varying);
}

// True if the coordinates on one axis are consecutive; on a ring they may wrap around.
bool IsRun(const std::set<uint32_t>& along, uint32_t side, bool wraps) {
  const auto ends = std::count_if(along.begin(), along.end(), [&](uint32_t at) {
    return !along.contains(wraps ? (at + 1) % side : at + 1);
  });
  return ends <= 1;
}

bool IsBox(const Units& units, const std::vector<uint32_t>& sides, bool wraps) {
  size_t volume = 1;
  uint32_t step = 1;
  for (const uint32_t side : sides) {
    std::set<uint32_t> along;
    for (const uint32_t unit : units) along.insert(unit / step % side);
    if (!IsRun(along, side, wraps)) return false;
    volume *= along.size();
    step *= side;
  }
  return units.size() == volume;
}

bool HasLink(const Units& units, const std::vector<uint32_t>& links) {
  return links.empty() || std::any_of(links.begin(), links.end(),
                                      [&](uint32_t unit) { return units.contains(unit); });
}

bool IsWhole(const machine::Layout& layout, const Units& units) {
  return layout.kind == machine::Kind::kHypercube
             ? IsSubcube(units)
             : IsBox(units, layout.sides, layout.kind == machine::Kind::kTorus);
}

class Partitions : public Checker {
 public:
  Partitions(const CheckedWorld& world, const Layouts& layouts) {
    for (const site::Options& site : world.sites) {
      const auto layout = layouts.find(site.name);
      if (layout == layouts.end()) continue;
      Shape& shape = shapes_[site.name];
      shape.layout = layout->second;
      for (uint32_t unit = 0; unit < site.units.nodes.size(); ++unit) {
        shape.unit_of[site.units.nodes[unit]] = unit;
      }
    }
  }
  std::string Name() const override { return "partitions"; }

  void OnSiteWrites(Moment at, const std::string& site, const SiteWrites& writes) override {
    const auto shape = shapes_.find(site);
    if (shape == shapes_.end()) return;
    for (const auto& write : writes) {
      if (!write.value) continue;
      const auto* hold = std::get_if<HoldRecord>(&*write.value);
      if (hold == nullptr || hold->state == HoldState::kClosed) continue;
      for (const schemas::PartRecord& part : hold->parts) {
        Look(at, site, shape->second, ToText(hold->order.fence), part);
      }
    }
  }

 private:
  struct Shape {
    machine::Layout layout;
    std::map<std::string, uint32_t> unit_of;
  };

  void Look(Moment at, const std::string& site, const Shape& shape, const std::string& hold,
            const schemas::PartRecord& part) {
    if (part.place.chunks.empty()) return;
    Units units;
    std::string names;
    for (const schemas::ChunkPlace& chunk : part.place.chunks) {
      const auto unit = shape.unit_of.find(chunk.node);
      if (unit == shape.unit_of.end()) return;  // G2 reports it
      if (units.insert(unit->second).second) names += " " + chunk.node;
    }
    const std::string who =
        hold + "." + std::to_string(part.index) + " at " + site + " has" + names;
    const machine::Layout& layout = shape.layout;
    if (!IsWhole(layout, units)) Violated(at, who + ", which is no partition");
    if (!HasLink(units, layout.links)) Violated(at, who + ", which have no link");
  }

  std::map<std::string, Shape> shapes_;
};

}  // namespace

bool IsPartition(const machine::Layout& layout, const std::set<uint32_t>& units) {
  return !units.empty() && IsWhole(layout, units) && HasLink(units, layout.links);
}

std::unique_ptr<Checker> CheckPartitions(const CheckedWorld& world, const Layouts& layouts) {
  return std::make_unique<Partitions>(world, layouts);
}

}  // namespace muster::sim
