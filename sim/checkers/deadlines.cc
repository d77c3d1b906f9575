// G4: while its site runs, a hold leaves HELD within its lease plus one turn, and PREPARED or
// COMMITTED without a permit by D plus one turn. If the site was down then, the hold does so after
// the site's restart.
#include <map>
#include <set>

#include "sim/checkers/checker.h"

namespace muster::sim {
namespace {

using schemas::HoldRecord;
using schemas::HoldState;

class Deadlines : public Checker {
 public:
  std::string Name() const override { return "G4"; }

  void OnSiteWrites(Moment at, const std::string& site, const SiteWrites& writes) override {
    for (const auto& write : writes) {
      if (!write.value) continue;
      const auto* hold = std::get_if<HoldRecord>(&*write.value);
      if (hold == nullptr) continue;
      const auto key = std::pair(site, hold->order.fence);
      open_.erase(key);
      if (hold->state == HoldState::kHeld && hold->lease) {
        open_[key] = Moment{hold->lease->wall.milliseconds};
      } else if ((hold->state == HoldState::kPrepared || hold->state == HoldState::kCommitted) &&
                 hold->deadline) {
        open_[key] = hold->deadline->wall;
      }
    }
    Late(at, site);
  }
  void OnCrash(Moment, const std::string& host) override { down_.insert(host); }
  void OnRestart(Moment, const std::string& host) override { down_.erase(host); }
  void AtEnd(Moment at, bool) override {
    std::set<std::string> sites;
    for (const auto& [key, due] : open_) sites.insert(key.first);
    for (const std::string& site : sites) Late(at, site);
  }

 private:
  void Late(Moment at, const std::string& site) {
    if (down_.count(site) > 0) return;
    for (auto it = open_.lower_bound({site, Fence{}}); it != open_.end() && it->first.first == site;
         ++it) {
      if (at.milliseconds > it->second.milliseconds + kTurnMs) {
        Violated(at, site + " still has hold " + ToText(it->first.second) + " that was due at " +
                         std::to_string(it->second.milliseconds));
      }
    }
  }

  std::map<std::pair<std::string, Fence>, Moment> open_;
  std::set<std::string> down_;
};

}  // namespace

std::unique_ptr<Checker> CheckDeadlines(const CheckedWorld&) {
  return std::make_unique<Deadlines>();
}

}  // namespace muster::sim
