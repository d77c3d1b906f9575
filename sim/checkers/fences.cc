// G5: a closed fence never becomes live again, a hold never goes back to an earlier state, a site's
// stored epoch, floor and incarnation never decrease, and the meta's mirror at revision r equals
// the site's ledger at r.
#include <map>

#include "schemas/canonical.h"
#include "sim/checkers/checker.h"

namespace muster::sim {
namespace {

using schemas::HoldRecord;
using schemas::HoldState;
using schemas::MirrorRecord;
using schemas::SiteIdentity;

class Fences : public Checker {
 public:
  std::string Name() const override { return "G5"; }

  void OnSiteWrites(Moment at, const std::string& site, const SiteWrites& writes) override {
    for (const auto& write : writes) {
      if (!write.value) continue;
      if (const auto* hold = std::get_if<HoldRecord>(&*write.value)) {
        Hold(at, site, *hold);
      } else if (const auto* identity = std::get_if<SiteIdentity>(&*write.value)) {
        Identity(at, site, *identity);
      }
    }
  }

  void OnMetaWrites(Moment at, const MetaWrites& writes) override {
    for (const auto& write : writes) {
      if (!write.value) continue;
      const auto* mirror = std::get_if<MirrorRecord>(&*write.value);
      if (mirror == nullptr) continue;
      const auto told = told_.find({mirror->site, mirror->fence, mirror->revision});
      if (told == told_.end())
        continue;  // a part's change has this revision, or the hold was forgotten
      if (told->second.first != mirror->state || told->second.second != mirror->start) {
        Violated(at, "the mirror of " + mirror->site + " " + ToText(mirror->fence) +
                         " at revision " + std::to_string(mirror->revision.value) + " has state " +
                         std::to_string(static_cast<int>(mirror->state)) + ", start " +
                         std::to_string(mirror->start.seconds) + "; the site wrote " +
                         std::to_string(static_cast<int>(told->second.first)) + ", " +
                         std::to_string(told->second.second.seconds));
      }
    }
  }

 private:
  void Hold(Moment at, const std::string& site, const HoldRecord& hold) {
    const auto key = std::pair(site, hold.order.fence);
    HoldState& last = last_[key];
    if (hold.state < last) {
      Violated(at, site + " took hold " + ToText(hold.order.fence) + " back from state " +
                       std::to_string(static_cast<int>(last)) + " to " +
                       std::to_string(static_cast<int>(hold.state)));
    }
    last = hold.state;
    told_[{site, hold.order.fence, hold.revision}] = {hold.state, hold.start};
  }

  void Identity(Moment at, const std::string& site, const SiteIdentity& identity) {
    const auto [it, fresh] = identity_.emplace(site, identity);
    if (!fresh) {
      if (identity.epoch < it->second.epoch) Violated(at, site + " went back to an older epoch");
      if (identity.floor < it->second.floor) Violated(at, site + " lowered its floor");
      if (identity.incarnation < it->second.incarnation) {
        Violated(at, site + " went back to an older incarnation");
      }
      it->second = identity;
    }
  }

  std::map<std::pair<std::string, Fence>, HoldState> last_;
  std::map<std::tuple<std::string, Fence, Revision>, std::pair<HoldState, Instant>> told_;
  std::map<std::string, SiteIdentity> identity_;
};

}  // namespace

std::unique_ptr<Checker> CheckFences(const CheckedWorld&) { return std::make_unique<Fences>(); }

}  // namespace muster::sim
