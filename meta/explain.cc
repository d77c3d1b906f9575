// One inspection per part that has a place; the answer when all are in, or their time is up.
#include "meta/explain.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "meta/array_jobs.h"
#include "meta/attempts.h"
#include "meta/endings.h"
#include "meta/figures.h"
#include "meta/gates.h"
#include "meta/placing.h"
#include "partitioner/split.h"
#include "schemas/limits.h"
#include "verifier/attempt_table.h"

namespace muster::meta {
namespace {

const Attempt* Bound(const Federation& f, const Request& request) {
  if (!request.record.attempt) return nullptr;
  const auto it = f.attempts.find(*request.record.attempt);
  if (it == f.attempts.end() || !verifier::Binds(it->second.record.state)) return nullptr;
  return &it->second;
}

// What has started has no earlier start.
bool StartsYet(const Request& request) {
  const schemas::RequestState state = request.record.state;
  return state == schemas::RequestState::kWaiting || state == schemas::RequestState::kPromised;
}

// What the request itself, or others it waits for, say about the start.
std::optional<schemas::Reason> OwnReason(const Federation& f, const Request& request,
                                         const Attempt* attempt, Moment now) {
  if (!StartsYet(request)) {
    return schemas::Reason{.code = schemas::ReasonCode::kPolicy,
                           .text = request.Ended() ? "it has ended" : "it has started"};
  }
  if (!attempt) return FiguresNow(f, request, now).no_promise_reason;
  const Instant start = attempt->record.start;
  const std::optional<Instant> opens = GateOpensAt(f, request, now);
  if (opens && *opens >= start && *opens > Instant{0}) {
    for (const schemas::Dependency& d : request.record.spec.after) {
      const Request* other = f.requests.Find(d.request);
      if (!other || other->Ended()) continue;
      return schemas::Reason{.code = schemas::ReasonCode::kDependency,
                             .subject = {.job = ToText(d.request)},
                             .until = opens,
                             .text = "starts after job " + ToText(d.request)};
    }
    return schemas::Reason{.code = schemas::ReasonCode::kPolicy,
                           .until = opens,
                           .text = "its array runs so many elements at once and no more"};
  }
  const schemas::RequestSpec& spec = request.record.spec;
  if (spec.at) {
    return schemas::Reason{
        .code = schemas::ReasonCode::kPolicy, .until = spec.at, .text = "asked for exactly (--at)"};
  }
  if (spec.from && *spec.from >= start) {
    return schemas::Reason{.code = schemas::ReasonCode::kPolicy,
                           .until = spec.from,
                           .text = "asked for not earlier (--from)"};
  }
  return std::nullopt;
}

// What would start the job earlier: a change of the part that binds, as far as the others let it.
void AddChanges(const Federation& f, const Turn& t, const Request& request, const Attempt& attempt,
                const ExplainPending& pending, schemas::ExplainRows& out) {
  const schemas::RequestSpec& spec = SpecOf(request, attempt);
  constexpr Span kWorthIt{60};
  const std::string job = ShownId(request);
  for (size_t i = 0; i < out.parts.size(); ++i) {
    const auto view = pending.views.find(static_cast<uint32_t>(i));
    if (!out.parts[i].binds || view == pending.views.end()) continue;
    bool shorter = false;
    for (const schemas::CheaperWay& way : view->second.changes) {
      Instant start = way.start;
      for (size_t other = 0; other < out.parts.size(); ++other) {
        if (other != i && out.parts[other].from) start = std::max(start, *out.parts[other].from);
      }
      if (start + kWorthIt >= attempt.record.start) continue;
      const bool of_job = !way.argv.empty() && way.argv[0] == "-t";
      shorter = shorter || of_job;
      const bool several = out.parts.size() > 1;
      schemas::ExplainChange change;
      change.text = (several && !of_job ? "part " + std::to_string(i + 1) + " " : "") + way.text;
      change.argv = {"alter", job + (several && !of_job ? "." + std::to_string(i + 1) : "")};
      change.argv.insert(change.argv.end(), way.argv.begin(), way.argv.end());
      change.starts_by = PromiseOf(f, spec, attempt.record.members, start, t.plan).starts_by->at;
      change.earlier_s = attempt.record.start - start;
      out.changes.push_back(std::move(change));
    }
    if (!shorter && !view->second.blockers.empty()) {
      out.no_help = {"A shorter duration does not help."};
    }
    return;
  }
}

void Answer(Federation& f, Turn& t, const ExplainPending& pending) {
  const Asker asker{pending.user, pending.link, pending.number};
  const Request* request = f.requests.Find(pending.request);
  if (!request) return Refuse(f, t, asker, NoSuchJob(pending.request, ""));
  const Attempt* attempt = Bound(f, *request);
  const bool to_start = StartsYet(*request);
  schemas::ExplainRows out;
  out.job = ShownId(*request);
  out.starts_by = FiguresNow(f, *request, t.plan).starts_by;
  if (attempt) out.start = attempt->record.start;
  out.reason = OwnReason(f, *request, attempt, t.plan);
  std::optional<Instant> last;
  for (size_t i = 0; attempt && to_start && i < attempt->record.part_sites.size(); ++i) {
    schemas::ExplainPart part;
    part.part = out.job + "." + std::to_string(i + 1);
    part.site = attempt->record.part_sites[i];
    const auto view = pending.views.find(static_cast<uint32_t>(i));
    if (view != pending.views.end()) {
      part.reasons = view->second.blockers;
      const schemas::VerdictEntry& verdict = view->second.verdict;
      const bool starts = verdict.kind == schemas::VerdictKind::kAccepted ||
                          verdict.kind == schemas::VerdictKind::kCountered;
      if (starts) part.from = verdict.start;
      if (!starts && verdict.reason && part.reasons.empty()) part.reasons = {*verdict.reason};
    } else {
      part.reasons = {SilentReason(f, {part.site}, t.plan)};
    }
    if (part.from && !part.reasons.empty() && (!last || *part.from > *last)) last = part.from;
    out.parts.push_back(std::move(part));
  }
  for (schemas::ExplainPart& part : out.parts) part.binds = last && part.from == last;
  if (attempt && to_start) AddChanges(f, t, *request, *attempt, pending, out);
  schemas::Rows rows;
  rows.as_of = t.plan;
  if (attempt) rows.basis = BasisOf(f, attempt->record.members, t.plan);
  rows.explain = std::move(out);
  Reply(f, t, asker.user, asker.link, asker.number, std::move(rows));
}

void Finish(Federation& f, Turn& t, std::map<uint64_t, ExplainPending>::iterator it) {
  const ExplainPending done = std::move(it->second);
  f.explains.erase(it);
  Answer(f, t, done);
}

schemas::ProposalEntry EntryOf(const Federation& f, const Turn& t, const Request& request,
                               const Attempt& attempt, uint32_t part) {
  schemas::ProposalEntry entry;
  entry.parts = {partitioner::DemandOf(request.record.spec, part + 1, WaitOf(f, attempt))};
  SayWho(entry, request);
  entry.priority = -RankOf(request).order;
  entry.allowed = IntervalSet({{t.NowCeiling(), kFarFuture}});
  entry.asked = t.NowCeiling();
  entry.want_starts = true;
  entry.ignoring = {attempt.record.fence};
  return entry;
}

}  // namespace

void OnExplain(Federation& f, Turn& t, const Asker& asker, const schemas::Get& get) {
  if (get.requests.size() != 1) {
    return Refuse(f, t, asker, {.code = "usage", .message = "explain one job at a time"});
  }
  Request* request = f.requests.Find(get.requests[0]);
  if (!request) return Refuse(f, t, asker, NoSuchJob(get.requests[0], ""));
  // Of an array the first element that has not ended is explained.
  for (const RequestId id : TargetsOf(f, *request)) {
    Request* element = f.requests.Find(id);
    if (!element || element->Ended()) continue;
    request = element;
    break;
  }
  const auto asked = std::count_if(f.explains.begin(), f.explains.end(), [&](const auto& other) {
    return other.second.user == asker.user;
  });
  if (static_cast<size_t>(asked) >= schemas::kAsksPerUser) {
    return Refuse(
        f, t, asker,
        {.code = "busy", .message = std::to_string(asked) + " questions are out already"});
  }
  const uint64_t id = ++f.last_owner;
  ExplainPending pending{.user = asker.user,
                         .link = asker.link,
                         .number = asker.number,
                         .request = request->record.id,
                         .until = t.boot() + f.options.values.answer_wait};
  const Attempt* attempt = Bound(f, *request);
  const bool to_start = StartsYet(*request);
  for (uint32_t i = 0; attempt && to_start && i < attempt->record.part_sites.size(); ++i) {
    Site& site = f.sites.at(attempt->record.part_sites[i]);
    if (!site.Up()) continue;
    const uint64_t inspection = ++f.last_owner;
    pending.out[inspection] = i;
    schemas::Inspect message{.inspection = inspection, .kind = schemas::InspectKind::kExplain};
    message.entry = EntryOf(f, t, *request, *attempt, i);
    Say(f, t, site, std::move(message));
  }
  const auto it = f.explains.emplace(id, std::move(pending)).first;
  if (it->second.out.empty()) Finish(f, t, it);
}

bool TakeExplainView(Federation& f, Turn& t, const Site& site, const schemas::View& view) {
  const auto* explain = std::get_if<schemas::ExplainView>(&view.what);
  if (!explain) return false;
  for (auto it = f.explains.begin(); it != f.explains.end(); ++it) {
    const auto out = it->second.out.find(view.inspection);
    if (out == it->second.out.end()) continue;
    const Request* request = f.requests.Find(it->second.request);
    const Attempt* attempt = request ? Bound(f, *request) : nullptr;
    const bool its_own = attempt && out->second < attempt->record.part_sites.size() &&
                         attempt->record.part_sites[out->second] == site.name;
    if (!its_own && attempt) return true;  // no business of this site's
    if (its_own) it->second.views[out->second] = *explain;
    it->second.out.erase(out);
    if (it->second.out.empty()) Finish(f, t, it);
    break;
  }
  return true;
}

void EndOverdueExplains(Federation& f, Turn& t) {
  for (auto it = f.explains.begin(); it != f.explains.end();) {
    const auto next = std::next(it);
    if (it->second.until <= t.boot()) Finish(f, t, it);
    it = next;
  }
}

}  // namespace muster::meta
