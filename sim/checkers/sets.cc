// Node sets: each placed part is on nodes of one choice that its set leaves it, and booked for as
// long as the slowest of them needs. Maui Sect. IV (node sets), scheduling.md (node sets).
#include <algorithm>
#include <string>

#include "sim/checkers/booked_site.h"
#include "sim/checkers/checker.h"
#include "sim/checkers/set_choices.h"

namespace muster::sim {
namespace {

using schemas::HoldRecord;
using schemas::HoldState;
using schemas::PartDemand;
using schemas::PartRecord;

class SetsCheck : public Checker {
 public:
  explicit SetsCheck(const CheckedWorld& world) {
    for (const site::Options& site : world.sites) {
      // On a machine with a geometry a part has a whole partition, and sets are refused.
      if (site.units.geometry) continue;
      Site& known = sites_[site.name];
      known.options = site;
      known.nodes = FactsOf(site).nodes;
      for (const NodeFacts& node : known.nodes) known.has.push_back(node.has);
    }
  }
  std::string Name() const override { return "sets"; }

  void OnSiteWrites(Moment at, const std::string& name, const SiteWrites& writes) override {
    const auto site = sites_.find(name);
    if (site == sites_.end()) return;
    for (const auto& write : writes) {
      if (!write.value) continue;
      const auto* hold = std::get_if<HoldRecord>(&*write.value);
      // A reservation's nodes were chosen by who made it.
      if (hold == nullptr || hold->state == HoldState::kClosed || hold->order.inside) continue;
      for (size_t i = 0; i < hold->parts.size(); ++i) Judge(at, site->second, *hold, i);
    }
  }

 private:
  struct Site {
    site::Options options;
    std::vector<NodeFacts> nodes;
    std::vector<ResourceSet> has;
  };

  void Judge(Moment at, const Site& site, const HoldRecord& hold, size_t i) {
    const PartDemand& demand = hold.order.parts[i];
    const PartRecord& part = hold.parts[i];
    // What a part is given while it runs is of other numbers of chunk sets.
    if (part.place.chunks.empty() || !part.counts.empty()) return;
    uint32_t used = 0;
    for (size_t n = 0; n < site.nodes.size(); ++n) {
      const bool there =
          std::any_of(part.place.chunks.begin(), part.place.chunks.end(),
                      [&](const auto& chunk) { return chunk.node == site.nodes[n].name; });
      if (there) used |= 1U << n;
    }
    std::vector<WantedChunk> wanted;
    for (const schemas::Chunk& chunk : demand.chunks) {
      wanted.push_back({int64_t{chunk.count}, chunk.resources, chunk.properties});
    }
    const bool reserved = hold.order.reserves.has_value();
    const SetChoices choices = ChoicesOf(SetAt(site.options, demand.set, reserved), reserved,
                                         wanted, site.nodes, site.has);
    // Less by what it saved when it was recalled, to a second.
    const Span left = demand.duration - part.saved;
    const Span rounded{part.saved > Span{0} ? 1 : 0};
    const bool fits =
        std::any_of(choices.all.begin(), choices.all.end(), [&](const NodeChoice& choice) {
          const Span off = part.place.slower - (AtSpeed(left, choice.speed) - left);
          return (used & ~choice.nodes) == 0 && off <= rounded && -rounded.seconds <= off.seconds;
        });
    if (fits) return;
    std::string where;
    for (const schemas::ChunkPlace& chunk : part.place.chunks) where += " " + chunk.node;
    Violated(at, ToText(hold.order.fence) + "." + std::to_string(part.index) + " at " +
                     site.options.name + " asks for '" + demand.set + "', is on" + where +
                     " and is booked for " + std::to_string(part.place.slower.seconds) +
                     " s more than its " + std::to_string(left.seconds) +
                     " s, and no choice of nodes gives that");
  }

  std::map<std::string, Site> sites_;
};

}  // namespace

std::unique_ptr<Checker> CheckSets(const CheckedWorld& world) {
  return std::make_unique<SetsCheck>(world);
}

}  // namespace muster::sim
