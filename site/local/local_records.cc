// See local_records.h.
#include "site/local/local_records.h"

#include <algorithm>
#include <utility>

#include "schemas/limits.h"
#include "site/holds/hold_facts.h"
#include "site/planning/environment.h"
#include "verifier/request_times.h"
#include "verifier/shown.h"
#include "verifier/start_notice.h"

namespace muster::site {

using schemas::HoldRecord;
using schemas::HoldState;
using schemas::LocalRecord;
using schemas::Outcome;
using schemas::PartRecord;
using schemas::PartShown;
using schemas::RequestSpec;
using schemas::RequestState;

LocalRecords::LocalRecords(Options told, verifier::Ledger ledger_of, Now now_at)
    : Queries(std::move(told), std::move(ledger_of), now_at) {
  for (const auto& [fence, hold] : ledger().holds()) {
    if (!verifier::IsLocal(fence) || !IsLive(hold)) continue;
    holds_[hold.order.request.value] = fence;
  }
  for (const auto& [number, job] : ledger().locals()) {
    keys_[{job.requester.user, job.key.text}] = number;
    if (job.state == RequestState::kEnded) {
      ended_.insert({job.events.empty() ? job.submitted_at : job.events.back().at, number});
      continue;
    }
    open_[job.requester.user].insert(number);
    if (!holds_.contains(number)) waiting_.insert(number);
  }
}

const LocalRecord* LocalRecords::FindLocal(uint64_t number) const {
  const auto it = ledger().locals().find(number);
  return it == ledger().locals().end() ? nullptr : &it->second;
}

std::optional<Fence> LocalRecords::PlaceOf(uint64_t number) const {
  const auto it = holds_.find(number);
  return it == holds_.end() ? std::nullopt : std::optional(it->second);
}

std::optional<uint64_t> LocalRecords::ByKey(const std::string& user, const std::string& key) const {
  const auto it = keys_.find({user, key});
  return it == keys_.end() ? std::nullopt : std::optional(it->second);
}

size_t LocalRecords::OpenJobsOf(const std::string& user) const {
  const auto it = open_.find(user);
  return it == open_.end() ? 0 : it->second.size();
}

void LocalRecords::Enter(LocalRecord job) {
  const uint64_t number = job.number;
  keys_[{job.requester.user, job.key.text}] = number;
  open_[job.requester.user].insert(number);
  EditJob(number) = std::move(job);
}

void LocalRecords::Place(uint64_t number, const Fence& fence) {
  holds_[number] = fence;
  waiting_.erase(number);
}

void LocalRecords::NoteLocal(uint64_t number, std::string code, std::string text,
                             std::string part) {
  LocalRecord& job = EditJob(number);
  if (job.events.size() >= schemas::kHistoryRows) job.events.erase(job.events.begin());
  job.events.push_back({.at = now(),
                        .code = std::move(code),
                        .part = std::move(part),
                        .site = options().name,
                        .text = std::move(text)});
  changed_.insert(number);
}

Span LocalRecords::LongestHere(const RequestSpec& spec) const {
  int64_t slowest = kMostSpeed;
  bool found = false;
  for (const Node& node : options().nodes) {
    const bool hosts = std::any_of(spec.parts.begin(), spec.parts.end(), [&](const auto& part) {
      return std::any_of(part.chunks.begin(), part.chunks.end(),
                         [&](const auto& chunk) { return chunk.resources.FitsIn(node.resources); });
    });
    if (hosts) slowest = std::min(slowest, node.speed);
    found = found || hosts;
  }
  return AtSpeed(spec.duration, found ? slowest : kFullSpeed);
}

schemas::Figures LocalRecords::LocalFigures(const RequestSpec& spec, Instant start,
                                            PlanRevision basis) const {
  const Instant late = start + options().facts.start_slack;
  return {.starts_by =
              schemas::StartsBy{late + verifier::FirstOffset(spec), options().facts.firm, true},
          .ends_by = late + verifier::LastOffset(spec) + LongestHere(spec),
          .basis = {{options().name, now(), 0, basis}}};
}

void LocalRecords::TellLocalFigures(uint64_t number, schemas::Figures figures,
                                    std::optional<schemas::Cause> cause) {
  std::vector<schemas::FigureChange>& history = EditJob(number).history;
  if (!history.empty()) {
    const schemas::Figures& last = history.back().figures;
    if (last.starts_by == figures.starts_by && last.ends_by == figures.ends_by &&
        last.no_promise_reason == figures.no_promise_reason) {
      return;
    }
    if (!cause) cause = history.back().cause;  // placed again: the cause of losing its place
    if (history.size() >= schemas::kHistoryRows) history.erase(history.begin() + 1);
  }
  history.push_back({now(), std::move(figures), std::move(cause)});
}

void LocalRecords::EndLocal(uint64_t number, Outcome outcome, std::string text) {
  LocalRecord& job = EditJob(number);
  job.state = RequestState::kEnded;
  job.outcome = outcome;
  job.spec.payload = {};
  NoteLocal(number, outcome == Outcome::kRefused ? "refused" : "ended", std::move(text));
  if (const auto asked = AskedAs({number})) Unask(*asked);
  waiting_.erase(number);
  ended_.insert({now(), number});
  auto& open = open_[job.requester.user];
  open.erase(number);
  if (open.empty()) open_.erase(job.requester.user);
}

void LocalRecords::ForgetLocals() {
  const Moment before{now().milliseconds - schemas::kRecordKeep.seconds * 1000};
  while (!ended_.empty() && ended_.begin()->first < before) {
    const uint64_t number = ended_.begin()->second;
    ended_.erase(ended_.begin());
    const LocalRecord& job = *FindLocal(number);
    keys_.erase({job.requester.user, job.key.text});
    EraseJob(number);
  }
}

// A running job may have got more time or sets since it was submitted.
RequestSpec LocalRecords::SpecNow(const LocalRecord& job) const {
  RequestSpec spec = job.spec;
  const std::optional<Fence> placed = PlaceOf(job.number);
  if (!placed) return spec;
  const HoldRecord& hold = *ledger().Find(*placed);
  Span longest;
  for (const PartRecord& part : hold.parts) {
    longest = std::max(longest, part.extended);
    const std::vector<uint64_t>& counts = part.counts;
    std::vector<schemas::Chunk>& chunks = spec.parts[part.index - 1].chunks;
    for (size_t c = 0; c < counts.size() && c < chunks.size(); ++c) {
      chunks[c].count = static_cast<uint32_t>(counts[c]);
    }
  }
  spec.duration = spec.duration + longest;
  return spec;
}

schemas::Rows LocalRecords::NewRows() const {
  schemas::Rows rows;
  rows.as_of = now();
  rows.basis = {{options().name, now(), 0, plan().revision()}};
  return rows;
}

std::vector<schemas::PartView> LocalRecords::PartsShown(const HoldRecord& hold) const {
  std::vector<schemas::PartView> views;
  for (const schemas::PartRecord& part : hold.parts) {
    const schemas::PartDemand& demand = DemandOf(hold, part.index);
    schemas::PartView view{
        .id = PartName(hold.order, part.index),
        .site = options().name,
        .state = std::max(verifier::ShownOf(hold.state), verifier::ShownOf(part.state)),
        .offset_s = demand.offset,
        .place = demand.place,
        .nodes = NodesOf(part.place),
        .chunks = verifier::ChunksNow(demand.chunks, part.counts),
        .started_at = part.started_at,
        .ended_at = part.ended_at,
        .exit_code = part.end.exit_code,
        .signal = part.end.signal,
        .ended_text = part.end.text};
    verifier::ShowSet(demand.set, part.place.slower, part.place.group, view);
    if (part.usage_final || part.usage.elapsed.milliseconds > 0) view.used = part.usage;
    if (part.end.by == schemas::EndedBy::kUnknown) view.state = PartShown::kUnknown;
    views.push_back(std::move(view));
  }
  return views;
}

schemas::JobView LocalRecords::JobShown(const LocalRecord& job, bool whole) const {
  const schemas::RequestSpec& spec = job.spec;
  schemas::JobView view{.id = options().name + "/" + std::to_string(job.number),
                        .name = spec.name,
                        .user = job.requester.user,
                        .kind = spec.request_class,
                        .state = job.state,
                        .outcome = job.outcome,
                        .submitted_at = job.submitted_at,
                        .duration_s = SpecNow(job).duration,
                        .apart = spec.apart,
                        .at = spec.at,
                        .from = spec.from,
                        .start_by = spec.start_by,
                        .deadline = spec.deadline,
                        .queue = spec.queue,
                        .rerunnable = spec.rerunnable,
                        .keep_going = spec.keep_going,
                        .slots = spec.slots,
                        .start_notice_s = verifier::StartNoticeOf(spec),
                        .end_notice = verifier::EndNoticeShown(spec)};
  if (!job.key.generated) view.once = job.key.text;
  if (!job.history.empty()) view.figures = job.history.back().figures;
  view.figures.basis = {{options().name, now(), 0, plan().revision()}};
  if (const std::optional<Fence> placed = PlaceOf(job.number)) {
    view.parts = PartsShown(*ledger().Find(*placed));
  } else if (!job.parts.empty()) {
    view.parts = job.parts;
  } else {
    const bool ended = job.state == RequestState::kEnded;
    for (size_t i = 0; i < spec.parts.size(); ++i) {
      view.parts.push_back({.id = view.id + "." + std::to_string(i + 1),
                            .site = options().name,
                            .state = ended ? PartShown::kEnded : PartShown::kSeeking,
                            .offset_s = spec.parts[i].offset,
                            .place = spec.parts[i].place,
                            .chunks = spec.parts[i].chunks});
      verifier::ShowSet(spec.parts[i].set, {}, "", view.parts.back());
    }
  }
  if (!whole) return view;
  view.history = job.history;
  view.events = job.events;
  return view;
}

schemas::LocalView LocalRecords::JobsShown(const std::vector<uint64_t>& numbers) const {
  schemas::LocalView view;
  for (const auto& [number, job] : ledger().locals()) {
    if (view.jobs.size() == schemas::kRowsPerPage) break;
    if (numbers.empty() && job.state != RequestState::kEnded) {
      view.jobs.push_back(JobShown(job, false));
    }
    if (std::find(numbers.begin(), numbers.end(), number) != numbers.end()) {
      view.jobs.push_back(JobShown(job, true));
    }
  }
  return view;
}

}  // namespace muster::site
