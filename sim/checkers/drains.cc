// Drains: between the write that drains a node and the write that resumes it, the site books
// nothing new on the node. Earlier bookings may stay. protocol.md section 5 (soft drain).
#include <map>
#include <set>
#include <string>
#include <utility>

#include "sim/checkers/checker.h"

namespace muster::sim {
namespace {

using schemas::HoldRecord;
using schemas::HoldState;

class DrainsCheck : public Checker {
 public:
  std::string Name() const override { return "drains"; }

  void OnSiteWrites(Moment at, const std::string& site, const SiteWrites& writes) override {
    // A batch is one instant: a node drained or resumed in it was in use during part of it and is
    // not checked.
    std::set<std::string>& drained = drained_[site];
    std::set<std::string> throughout = drained;
    for (const auto& write : writes) {
      if (!write.key.starts_with(kNodeKeys)) continue;
      const std::string node = write.key.substr(kNodeKeys.size());
      throughout.erase(node);
      if (write.value) {
        drained.insert(node);
      } else {
        drained.erase(node);
      }
    }
    for (const auto& write : writes) {
      if (!write.value) continue;
      const auto* hold = std::get_if<HoldRecord>(&*write.value);
      if (hold != nullptr) Look(at, site, *hold, throughout);
    }
  }

 private:
  void Look(Moment at, const std::string& site, const HoldRecord& hold,
            const std::set<std::string>& drained) {
    std::set<std::string>& known = places_[{site, hold.order.fence}];
    std::set<std::string> places;
    if (hold.state != HoldState::kClosed) {
      for (const schemas::PartRecord& part : hold.parts) {
        for (const schemas::ChunkPlace& chunk : part.place.chunks) {
          places.insert(chunk.node);
          if (known.contains(chunk.node) || !drained.contains(chunk.node)) continue;
          Violated(at, "hold " + ToText(hold.order.fence) + " is newly booked on " + site + "/" +
                           chunk.node + ", which is drained");
        }
      }
    }
    known = std::move(places);
  }

  std::map<std::string, std::set<std::string>> drained_;                   // by site
  std::map<std::pair<std::string, Fence>, std::set<std::string>> places_;  // nodes of each hold
};

}  // namespace

std::unique_ptr<Checker> CheckDrains(const CheckedWorld&) {
  return std::make_unique<DrainsCheck>();
}

}  // namespace muster::sim
