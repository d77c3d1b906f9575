// Nobody loses by joining: what gave way to users at home has no later figure than before and is
// elsewhere; and no booking of a promised request of one part is given back for another place
// before a site has committed that. scheduling.md section 16.
#include <map>
#include <set>
#include <vector>

#include "meta/requests/trials.h"
#include "sim/checkers/checker.h"

namespace muster::sim {
namespace {

using schemas::AttemptRecord;
using schemas::HoldRecord;
using schemas::HoldState;
using schemas::RequestRecord;
using schemas::RequestState;

class HomeCheck : public Checker {
 public:
  explicit HomeCheck(CheckedWorld world) : world_(std::move(world)) {}
  std::string Name() const override { return "home"; }

  void OnMetaWrites(Moment at, const MetaWrites& writes) override {
    for (const auto& write : writes) {
      if (!write.value) continue;
      if (const auto* attempt = std::get_if<AttemptRecord>(&*write.value)) {
        if (attempt->members.size() == 1) sites_[attempt->fence] = attempt->members[0];
      }
    }
    for (const auto& write : writes) {
      if (!write.value) continue;
      const auto* request = std::get_if<RequestRecord>(&*write.value);
      if (request == nullptr) continue;
      GaveWay(at, *request);
      requests_[request->id] = *request;
    }
  }

  // A hold that replaces another one at its site is written with the end of that one.
  void OnSiteWrites(Moment at, const std::string& site, const SiteWrites& writes) override {
    if (world_.liars.contains(site)) return;
    std::vector<const HoldRecord*> given_back;
    for (const auto& write : writes) {
      const auto* hold = write.value ? std::get_if<HoldRecord>(&*write.value) : nullptr;
      if (hold == nullptr || hold->order.fence.epoch == Epoch{0}) continue;
      std::set<Fence>& committed = committed_[hold->order.request];
      if (hold->state >= HoldState::kCommitted && hold->state < HoldState::kClosed) {
        committed.insert(hold->order.fence);
      } else if (committed.erase(hold->order.fence) > 0 &&
                 hold->closed_as == schemas::ClosedAs::kReleased &&
                 hold->cause.code == schemas::CauseCode::kBackfilled) {
        given_back.push_back(hold);
      }
    }
    if (!world_.liars.empty()) return;  // what a lying site has committed is not known
    for (const HoldRecord* hold : given_back) {
      if (committed_[hold->order.request].empty()) Released(at, site, *hold);
    }
  }

 private:
  void GaveWay(Moment at, const RequestRecord& request) {
    Moment& seen = seen_[request.id];
    const auto before = requests_.find(request.id);
    for (const schemas::JobEvent& event : request.events) {
      if (event.code != "moved" || event.text != meta::kGivesWay || event.at <= seen) continue;
      seen = event.at;
      if (before != requests_.end()) Moved(at, before->second, request);
    }
  }

  void Moved(Moment at, const RequestRecord& before, const RequestRecord& after) {
    const std::string who = "request " + ToText(after.id);
    const auto told = [](const RequestRecord& request) {
      std::optional<Instant> out;
      for (const schemas::FigureChange& change : request.history) {
        if (change.figures.starts_by) out = change.figures.starts_by->at;
      }
      return out;
    };
    const auto was = told(before);
    const auto is = told(after);
    // A site may have moved its hold later for a reason of its own in the same turn.
    const bool excused = !after.history.empty() && after.history.back().cause &&
                         after.history.back().cause->code != schemas::CauseCode::kHome;
    if (was && is && *is > *was && !excused) {
      Violated(at, who + " gave way and starts later: promised by " + std::to_string(was->seconds) +
                       ", now by " + std::to_string(is->seconds));
    }
    if (!before.attempt || !after.attempt) return;
    const auto here = sites_.find(*before.attempt);
    const auto there = sites_.find(*after.attempt);
    const bool known = here != sites_.end() && there != sites_.end();
    if (known && here->second == there->second) {
      Violated(at, who + " gave way at " + here->second + " and is there still");
    }
  }

  // The only booking that was left of its request was given back.
  void Released(Moment at, const std::string& site, const HoldRecord& hold) {
    const auto request = requests_.find(hold.order.request);
    if (request == requests_.end() || hold.order.members.size() > 1) return;
    const RequestRecord& record = request->second;
    if (record.state != RequestState::kPromised || record.attempt != hold.order.fence) return;
    if (record.parked || record.outcome) return;
    Violated(at, "request " + ToText(record.id) + " is promised at " + site +
                     ", and that was given back before another site had committed a place");
  }

  CheckedWorld world_;
  std::map<RequestId, RequestRecord> requests_;
  std::map<RequestId, Moment> seen_;                // the last time that each gave way
  std::map<Fence, std::string> sites_;              // of attempts at one site
  std::map<RequestId, std::set<Fence>> committed_;  // live holds, all sites
};

}  // namespace

std::unique_ptr<Checker> CheckHome(const CheckedWorld& world) {
  return std::make_unique<HomeCheck>(world);
}

}  // namespace muster::sim
