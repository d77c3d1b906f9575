// Plans: after every write of a site, the bookings in its ledger together keep every rule of
// planning. Applies the independent checker of sim/plan_checker to the ledgers of all sites.
#include <map>

#include "sim/checkers/booked_site.h"
#include "sim/checkers/checker.h"

namespace muster::sim {
namespace {

class PlansCheck : public Checker {
 public:
  explicit PlansCheck(const CheckedWorld& world) {
    for (const site::Options& site : world.sites) {
      sites_.emplace(site.name, BookedSite(site, FactsOf(site), RunsEnd::kCovered));
    }
  }
  std::string Name() const override { return "plan"; }

  void OnSiteWrites(Moment at, const std::string& name, const SiteWrites& writes) override {
    BookedSite& site = sites_.at(name);
    site.Put(at, writes);
    for (const Violation& v : site.checker().Check(at.Floor())) {
      Violated(at, name + ": " + v.text);
    }
  }

 private:
  std::map<std::string, BookedSite> sites_;
};

}  // namespace

std::unique_ptr<Checker> CheckPlans(const CheckedWorld& world) {
  return std::make_unique<PlansCheck>(world);
}

}  // namespace muster::sim
