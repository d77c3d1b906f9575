// Scheduling: each switch of the packing has a reason and follows from the packing in force before,
// the packing is the pin or the vote's result, and there is no flapping within the dead bands.
// Re-choice: a request moves to another site at most once a pass, and only to an earlier start.
// scheduling.md sections 2 and 4.
#include <map>

#include "meta/requests/trials.h"
#include "meta/search/moves.h"
#include "meta/search/packing/algorithm.h"
#include "sim/checkers/checker.h"

namespace muster::sim {
namespace {

using schemas::RequestRecord;
using schemas::SchedulerRecord;
using schemas::SwitchRow;

class Scheduling : public Checker {
 public:
  std::string Name() const override { return "scheduling"; }

  void OnRestart(Moment, const std::string& host) override { restarts_ += host == "meta"; }

  void OnMetaWrites(Moment at, const MetaWrites& writes) override {
    for (const auto& write : writes) {
      if (!write.value) continue;
      if (const auto* record = std::get_if<SchedulerRecord>(&*write.value)) Judge(at, *record);
      if (const auto* request = std::get_if<RequestRecord>(&*write.value)) Moved(at, *request);
    }
  }

 private:
  void Judge(Moment at, const SchedulerRecord& record) {
    for (size_t i = 0; i < record.switches.size(); ++i) {
      const SwitchRow& row = record.switches[i];
      const SwitchRow* before = i > 0 ? &record.switches[i - 1] : nullptr;
      if (before && row.from != before->packing) {
        Violated(at, "packing " + row.packing + " came from " + row.from + ", in force was " +
                         before->packing);
      }
      if (before && row.at < before->at) Violated(at, "switches are not in the order of time");
      if (row.why.empty()) Violated(at, "packing " + row.packing + " has no reason");
      Vote(at, row);
    }
    if (record.switches.empty()) return;
    const SwitchRow& last = record.switches.back();
    const std::string pin = record.set.packing.value_or("auto");
    const std::string& expected = pin == "auto" ? last.voted : pin;
    if (last.packing != expected) {
      Violated(at, "packing " + last.packing + " is in force instead of " + expected);
    }
  }

  // Checks that the counted ratios justify the vote.
  void Vote(Moment at, const SwitchRow& row) {
    for (const std::string& name : {row.packing, row.voted}) {
      if (!packing::ParseAlgorithm(name)) Violated(at, "'" + name + "' is no packing");
    }
    if (row.requests == 0) return;
    const bool fits = row.voted == "fcfs*"   ? row.saturated_ratio <= 0.5
                      : row.voted == "ffih*" ? row.interactive_ratio >= 0.45
                                             : row.interactive_ratio <= 0.55;
    const bool saturated = row.voted == "fcfs*" || row.saturated_ratio >= 0.25;
    if (fits && saturated) return;
    Violated(at, "a vote for " + row.voted + " with " + std::to_string(row.saturated_ratio) +
                     " saturated and " + std::to_string(row.interactive_ratio) + " interactive");
  }

  void Moved(Moment at, const RequestRecord& request) {
    Moves& moves = moves_[request.id];
    for (const schemas::JobEvent& event : request.events) {
      if (event.code != "moved" || event.text != meta::kStartsElsewhere) continue;
      if (event.at <= moves.last) continue;
      moves.last = event.at;
      const int64_t waited = event.at.milliseconds - request.submitted_at.milliseconds;
      // Passes are kPassApart apart. Two more cover those at both ends of the wait, and one more
      // each restart of the meta.
      const int64_t passes = waited / meta::kPassApart.milliseconds + 2 + restarts_;
      if (++moves.count > passes) {
        Violated(at, "request " + ToText(request.id) + " went elsewhere for the " +
                         std::to_string(moves.count) + ". time");
      }
    }
    if (request.history.size() < 2) return;
    const schemas::FigureChange& last = request.history.back();
    const schemas::FigureChange& before = request.history[request.history.size() - 2];
    const bool rechosen = last.cause && last.cause->who == "meta" &&
                          (last.cause->code == schemas::CauseCode::kJoint ||
                           (last.cause->code == schemas::CauseCode::kBackfilled &&
                            !last.cause->subject.site.empty()));
    if (!rechosen || !last.figures.starts_by || !before.figures.starts_by) return;
    if (last.figures.starts_by->at > before.figures.starts_by->at) {
      Violated(at, "request " + ToText(request.id) + " was moved " +
                       (last.cause->subject.site.empty() ? std::string("jointly")
                                                         : "to " + last.cause->subject.site) +
                       " to start later");
    }
  }

  struct Moves {
    Moment last;
    int64_t count = 0;
  };

  int64_t restarts_ = 0;
  std::map<RequestId, Moves> moves_;
};

}  // namespace

std::unique_ptr<Checker> CheckScheduling(const CheckedWorld&) {
  return std::make_unique<Scheduling>();
}

}  // namespace muster::sim
