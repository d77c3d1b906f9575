// Progress: when a run ends calmly, each request has ended with an outcome, or is promised,
// starting or running, or has a reason. No promise is more than an hour in the past.
#include <map>
#include <set>

#include "sim/checkers/checker.h"

namespace muster::sim {
namespace {

using schemas::RequestRecord;
using schemas::RequestState;

class Progress : public Checker {
 public:
  explicit Progress(CheckedWorld world) : world_(std::move(world)) {}
  std::string Name() const override { return "progress"; }

  void OnMetaWrites(Moment, const MetaWrites& writes) override {
    for (const auto& write : writes) {
      if (!write.value) continue;
      if (const auto* request = std::get_if<RequestRecord>(&*write.value))
        last_[request->id] = *request;
      const auto* attempt = std::get_if<schemas::AttemptRecord>(&*write.value);
      if (attempt && world_.HasLiar(attempt->members)) with_liar_.insert(attempt->request);
    }
  }

  void AtEnd(Moment at, bool calm) override {
    if (!calm) return;
    for (const auto& [id, request] : last_) {
      if (with_liar_.contains(id)) continue;
      if (request.state == RequestState::kEnded) {
        if (!request.outcome) Violated(at, "request " + ToText(id) + " ended without an outcome");
        continue;
      }
      const bool promised = request.state == RequestState::kPromised ||
                            request.state == RequestState::kStarting ||
                            request.state == RequestState::kRunning;
      if (request.spec.array) continue;  // its elements are judged instead
      if (!promised && !request.reason) {
        Violated(at, "request " + ToText(id) + " waits in state " +
                         std::to_string(static_cast<int>(request.state)) + " without a reason");
      }
      const auto figure = LastFigure(request);
      if (request.state == RequestState::kPromised && figure && *figure + Span{3600} < at.Floor()) {
        Violated(at, "request " + ToText(id) + " is still promised for a past second");
      }
    }
  }

 private:
  static std::optional<Instant> LastFigure(const RequestRecord& request) {
    if (request.history.empty() || !request.history.back().figures.starts_by) return std::nullopt;
    return request.history.back().figures.starts_by->at;
  }

  CheckedWorld world_;
  std::set<RequestId> with_liar_;  // requests that were ever placed at a lying site
  std::map<RequestId, RequestRecord> last_;
};

}  // namespace

std::unique_ptr<Checker> CheckProgress(const CheckedWorld& world) {
  return std::make_unique<Progress>(world);
}

}  // namespace muster::sim
