// Nobody loses by joining: what gave way to users at home has no later figure than before and is
// elsewhere; and the meta gives no place back for one at another site before a site has bound that.
// scheduling.md section 16.
#include <algorithm>
#include <map>

#include "meta/requests/trials.h"
#include "sim/checkers/checker.h"

namespace muster::sim {
namespace {

using schemas::AttemptRecord;
using schemas::HoldRecord;
using schemas::HoldState;
using schemas::RequestRecord;

class HomeCheck : public Checker {
 public:
  explicit HomeCheck(CheckedWorld world) : world_(std::move(world)) {}
  std::string Name() const override { return "home"; }

  void OnMetaWrites(Moment at, const MetaWrites& writes) override {
    for (const auto& write : writes) {
      if (!write.value) continue;
      if (const auto* attempt = std::get_if<AttemptRecord>(&*write.value)) {
        if (attempt->members.size() == 1) sites_[attempt->fence] = attempt->members[0];
        GivesBack(at, *attempt);
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

  void OnSiteWrites(Moment, const std::string&, const SiteWrites& writes) override {
    for (const auto& write : writes) {
      const auto* hold = write.value ? std::get_if<HoldRecord>(&*write.value) : nullptr;
      if (hold == nullptr || hold->state < HoldState::kPrepared) continue;
      if (hold->state == HoldState::kClosed) continue;
      Fence& newest = bound_[hold->order.request];
      newest = std::max(newest, hold->order.fence);
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

  // The meta gives a place back for one at another site: by then that had bound it.
  void GivesBack(Moment at, const AttemptRecord& attempt) {
    const schemas::Cause& cause = attempt.cause;
    const bool elsewhere = cause.code == schemas::CauseCode::kBackfilled && cause.who == "meta" &&
                           !cause.subject.site.empty() && cause.subject.job.empty();
    if (!elsewhere || attempt.members.size() > 1 || !world_.liars.empty()) return;
    if (bound_[attempt.request] > attempt.fence) return;
    Violated(at, "request " + ToText(attempt.request) + " gives back its place at " +
                     attempt.members[0] + " before another site has bound one");
  }

  CheckedWorld world_;
  std::map<RequestId, RequestRecord> requests_;
  std::map<RequestId, Moment> seen_;    // the last time that each gave way
  std::map<Fence, std::string> sites_;  // of attempts at one site
  std::map<RequestId, Fence> bound_;    // the newest attempt that a site has prepared or committed
};

}  // namespace

std::unique_ptr<Checker> CheckHome(const CheckedWorld& world) {
  return std::make_unique<HomeCheck>(world);
}

}  // namespace muster::sim
