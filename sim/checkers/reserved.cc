// Reserved: the owner of a reservation admitted each job inside of it, and such a job starts only
// while the reservation is open. CheckPlans checks that the job fits. OpenCCS Sect. 4 (rRS) and
// 5.4.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "sim/checkers/checker.h"
#include "sim/checkers/token.h"
#include "sim/plan_checker/one_order.h"

namespace muster::sim {
namespace {

using schemas::HoldRecord;
using schemas::HoldState;
using schemas::PartState;

class ReservedCheck : public Checker {
 public:
  std::string Name() const override { return "reserved"; }

  void OnSiteWrites(Moment at, const std::string& site, const SiteWrites& writes) override {
    // A batch is one instant: a user whose permission was granted or withdrawn in it may have
    // entered.
    const std::map<Key, std::map<Fence, HoldRecord>> before = reservations_;
    for (const auto& write : writes) {
      if (!write.value) continue;
      const auto* hold = std::get_if<HoldRecord>(&*write.value);
      if (hold == nullptr || !hold->order.reserves) continue;
      auto& live = reservations_[{site, hold->order.request}];
      if (hold->state == HoldState::kClosed) {
        live.erase(hold->order.fence);
      } else {
        live[hold->order.fence] = *hold;
      }
    }
    for (const auto& write : writes) {
      if (!write.value) continue;
      const auto* hold = std::get_if<HoldRecord>(&*write.value);
      if (hold == nullptr || !hold->order.inside || hold->parts.empty()) continue;
      const Key key(site, *hold->order.inside);
      // A start ordered in time counts, even if the driver is slow or the daemon goes down
      // meanwhile.
      const bool told = std::any_of(hold->parts.begin(), hold->parts.end(), [](const auto& part) {
        return part.state == PartState::kStarting;
      });
      if (told && IsOpen(key, at.Floor())) in_time_.insert({site, hold->order.fence});
      if (!inside_.emplace(std::pair(site, hold->order.fence), key).second) continue;
      if (LetsIn(before, key, *hold) || LetsIn(reservations_, key, *hold)) continue;
      Violated(at, ToText(hold->order.fence) + " at " + site + " is inside R" +
                       ToText(*hold->order.inside) + ", which is not there or not for " +
                       hold->order.requester.user);
    }
  }

  void OnPartStarted(Moment at, const std::string& site, const std::string& token) override {
    const auto it = inside_.find({site, ReadToken(token).fence});
    if (it == inside_.end() || in_time_.contains(it->first)) return;
    if (IsOpen(it->second, at.Floor())) return;
    Violated(at, token + " started at " + site + " outside of its reservation's time");
  }

 private:
  using Key = std::pair<std::string, RequestId>;

  bool IsOpen(const Key& key, Instant now) const {
    const auto live = reservations_.find(key);
    if (live == reservations_.end()) return false;
    return std::any_of(live->second.begin(), live->second.end(), [now](const auto& one) {
      const HoldRecord& hold = one.second;
      const schemas::PartRecord& part = hold.parts.front();
      const Instant end = hold.start + hold.order.parts.front().duration + part.extended;
      return part.state == PartState::kRunning && hold.start <= now && now < end;
    });
  }

  static bool LetsIn(const std::map<Key, std::map<Fence, HoldRecord>>& reservations, const Key& key,
                     const HoldRecord& hold) {
    const auto it = reservations.find(key);
    if (it == reservations.end()) return false;
    const BookedOrder who{.user = hold.order.requester.user,
                          .groups = hold.order.requester.groups,
                          .account = hold.order.account,
                          .qos = hold.order.qos,
                          .queue = hold.order.queue};
    return std::any_of(it->second.begin(), it->second.end(), [&](const auto& one) {
      const schemas::HoldOrder& order = one.second.order;
      return order.requester.user == who.user || Allows(order.reserves->allow, who);
    });
  }

  std::map<Key, std::map<Fence, HoldRecord>> reservations_;  // live holds of reservations
  std::map<std::pair<std::string, Fence>, Key> inside_;
  // ordered to start while the reservation was open
  std::set<std::pair<std::string, Fence>> in_time_;
};

}  // namespace

std::unique_ptr<Checker> CheckReserved(const CheckedWorld&) {
  return std::make_unique<ReservedCheck>();
}

}  // namespace muster::sim
