// Runs come from the mirror of the attempt that each request had last.
#include "sim/whatif/past_runs.h"

#include <algorithm>
#include <utility>

#include "meta/forecast/model/futures.h"
#include "meta/forecast/run_facts.h"

namespace muster::sim {
namespace {

bool RunsItself(const schemas::RequestSpec& spec) { return !spec.array && !spec.reserves; }

// When the request was over: the last that is on record of it.
Moment GoneAt(const schemas::RequestRecord& request) {
  for (auto event = request.events.rbegin(); event != request.events.rend(); ++event) {
    const bool over = event->code == "ended" || event->code == "cancelled";
    if (over && event->part.empty()) return event->at;
  }
  return request.events.empty() ? request.submitted_at : request.events.back().at;
}

void TakePart(const schemas::MirrorPart& part, RecordedRun& run) {
  if (!part.started_at) return;
  run.started = run.started ? std::min(*run.started, *part.started_at) : *part.started_at;
  if (!part.ended_at) return;
  run.ended = run.ended ? std::max(*run.ended, *part.ended_at) : *part.ended_at;
  const int64_t ran = part.ended_at->milliseconds - part.started_at->milliseconds;
  run.ran[part.index] = Span{std::max<int64_t>(1, (ran + 500) / 1000)};
}

bool Teaches(const RecordedRun& run) {
  if (!run.request->outcome || run.ran.empty()) return false;
  const schemas::Outcome outcome = *run.request->outcome;
  return outcome == schemas::Outcome::kDone || outcome == schemas::Outcome::kFailed ||
         outcome == schemas::Outcome::kTimeout;
}

forecast::PastRun Learned(RequestId id, const RecordedRun& run) {
  const schemas::RequestRecord& request = *run.request;
  forecast::PastRun past{.job = id.value,
                         .shape = meta::KindOf(request.spec, request.requester.user),
                         .submitted = request.submitted_at,
                         .started = run.started};
  if (!run.gone) return past;
  past.ended = run.ended.value_or(*run.gone);
  if (!Teaches(run)) return past;
  Span longest;
  for (const auto& [part, ran] : run.ran) longest = std::max(longest, ran);
  past.ran = longest;
  return past;
}

}  // namespace

PastRuns::PastRuns(const MetaSnapshot& meta, uint64_t seed)
    : now_(meta.origin.wall.Floor()), seed_(seed) {
  std::map<Fence, RequestId> by_attempt;
  for (const auto& [key, record] : meta.records) {
    const auto* request = std::get_if<schemas::RequestRecord>(&record);
    if (request == nullptr) continue;
    RecordedRun& run = runs_[request->id];
    run.request = request;
    if (request->attempt) by_attempt.emplace(*request->attempt, request->id);
    if (request->state != schemas::RequestState::kEnded) continue;
    run.gone = GoneAt(*request);
    run.cancelled = request->outcome == schemas::Outcome::kCancelled;
  }
  for (const auto& [key, record] : meta.records) {
    const auto* mirror = std::get_if<schemas::MirrorRecord>(&record);
    if (mirror == nullptr) continue;
    const auto request = by_attempt.find(mirror->fence);
    if (request == by_attempt.end()) continue;
    for (const schemas::MirrorPart& part : mirror->parts) TakePart(part, runs_[request->second]);
  }
  std::vector<forecast::PastRun> past;
  for (const auto& [id, run] : runs_) {
    if (RunsItself(run.request->spec)) past.push_back(Learned(id, run));
  }
  model_ = forecast::RunModel::Recalled(std::move(past));
}

Span PastRuns::Drawn(RequestId request, const schemas::RequestSpec& spec, const std::string& user,
                     Span elapsed) const {
  const forecast::Shape shape = meta::KindOf(spec, user);
  if (shape.asked <= elapsed) return shape.asked;
  // By what is known now, as of any forecast: those that came at once with nothing known, too.
  const forecast::RunTime known = model_.Of(shape, now_);
  const forecast::Runner runner{.request = request.value,
                                .kin = forecast::KinOf(shape),
                                .run_time = known,
                                .elapsed = elapsed};
  return std::clamp(known.Quantile(forecast::DrawOf(seed_, runner, 0), elapsed), Span{1},
                    shape.asked);
}

}  // namespace muster::sim
