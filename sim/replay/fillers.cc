// See fillers.h.
#include "sim/replay/fillers.h"

#include <algorithm>
#include <utility>

#include "sim/replay/federation_replay.h"

namespace muster::sim {
namespace {

int64_t ProcessorsOf(const driver::StartPart& command) {
  int64_t sum = 0;
  for (const schemas::ChunkPlace& chunk : command.place.chunks) {
    sum += chunk.resources.Get("ncpus");
  }
  return sum;
}

}  // namespace

void TellMeta(const FillerRules& rules, meta::Options& meta) {
  if (!rules.IsOn()) return;
  policy::Qos& qos = meta.credentials.qos.emplace_back(policy::Qos{.name = kFiller});
  qos.grant = {kFiller};
  qos.urgency = 0;
  qos.promise = policy::PromiseTime::kStart;
  qos.recall = policy::RecallTerms{
      .way = rules.way == "checkpoint" ? policy::Recall::kCheckpoint : policy::Recall::kRequeue,
      .min_run = Span{0},
      .max_recalls = schemas::kRecallsMost};
}

FillerFigures MeasureFillers(const std::vector<ReplaySite>& sites, Interval core, double without,
                             const FillerOutcome& outcome) {
  FillerFigures out{.utilisation = without, .ended = outcome.ended, .recalls = outcome.recalls};
  double capacity = 0;
  for (const ReplaySite& site : sites) capacity += static_cast<double>(site.processors);
  capacity *= static_cast<double>((core.end - core.begin).seconds);
  double had = 0;
  double filled = 0;
  for (const FillerOutcome::Life& life : outcome.lives) {
    const auto processors = static_cast<double>(life.processors);
    had += processors * static_cast<double>((life.span.end - life.span.begin).seconds);
    const Interval inside{std::max(life.span.begin, core.begin), std::min(life.span.end, core.end)};
    if (inside.begin < inside.end) {
      filled += processors * static_cast<double>((inside.end - inside.begin).seconds);
    }
  }
  if (capacity > 0) out.utilisation += filled / capacity;
  if (had > 0) out.lost = static_cast<double>(outcome.lost) / had;
  return out;
}

Fillers::Fillers(FillerRules rules, size_t count, size_t first)
    : rules_(std::move(rules)), first_(first), next_(first), due_(rules_.IsOn() ? count : 0) {}

std::vector<size_t> Fillers::TakeDue() {
  std::vector<size_t> out;
  for (; due_ > 0; --due_) out.push_back(next_++);
  over_.resize(next_ - first_);
  return out;
}

schemas::RequestSpec Fillers::SpecOf(size_t number, const std::vector<ReplaySite>& sites) const {
  FederationJob job{.asks = rules_.runs, .runs = rules_.runs, .parts = {1}};
  schemas::RequestSpec spec = sim::SpecOf(job, sites);
  spec.qos = kFiller;
  spec.payload.argv = {"job", std::to_string(rules_.runs.seconds), std::to_string(number)};
  return spec;
}

void Fillers::Started(const driver::StartPart& command, Moment at) {
  began_[command.token] = at;
  processors_[command.token] = ProcessorsOf(command);
}

void Fillers::Gone(const driver::StartPart& command, const driver::PartEnded& ended) {
  const auto began = began_.find(command.token);
  if (began == began_.end()) return;
  const int64_t processors = processors_.at(command.token);
  outcome_.lives.push_back({{began->second.Floor(), ended.at.Floor()}, processors});
  began_.erase(began);
  processors_.erase(command.token);
  if (ended.end.by != schemas::EndedBy::kRelease) return;
  ++outcome_.recalls;
  const bool saved = ended.end.exit_code == schemas::kSavedStatus;
  const int64_t ran = ended.usage.elapsed.milliseconds / 1000;
  outcome_.lost += processors * (saved ? kFillerSaves.seconds : ran);
}

void Fillers::Ended(size_t number) {
  if (over_.at(number - first_)) return;
  over_[number - first_] = true;
  ++outcome_.ended;
  ++due_;
}

FillerOutcome Fillers::TakeOutcome(Moment at) {
  for (const auto& [token, began] : began_) {
    outcome_.lives.push_back({{began.Floor(), at.Floor()}, processors_.at(token)});
  }
  began_.clear();
  return std::move(outcome_);
}

}  // namespace muster::sim
