// Figures carry their basis with its age, so a silent site makes them visibly stale (G6).
#include "meta/requests/figures.h"

#include <algorithm>
#include <set>

#include "base/units.h"
#include "meta/requests/array_jobs.h"
#include "meta/requests/attempt_facts.h"
#include "meta/requests/site_speeds.h"
#include "partitioner/split.h"
#include "verifier/attempt_table.h"

namespace muster::meta {

using schemas::Figures;

std::vector<schemas::Basis> BasisOf(const RequestsLayer& f, const std::vector<std::string>& sites,
                                    Moment now) {
  std::vector<schemas::Basis> out;
  for (const std::string& name : sites) {
    const Site& site = f.sites.at(name);
    if (site.heard.milliseconds == 0) continue;
    const int64_t age = std::max<int64_t>(0, now.milliseconds - site.heard.milliseconds);
    out.push_back({name, site.heard, static_cast<double>(age) / 1000, site.plan});
  }
  return out;
}

Span LateOf(const RequestsLayer& f, const std::vector<std::string>& members) {
  if (members.size() > 1) return Span{f.options.values.start_wait.milliseconds / 1000};
  const Site& site = f.sites.at(members[0]);
  return site.capacity ? site.capacity->start_slack : Span{0};
}

Figures PromiseOf(const RequestsLayer& f, const schemas::RequestSpec& spec,
                  const std::vector<std::string>& members, Instant start, Moment now) {
  Figures out;
  // A request starts with its first parts and ends with its last.
  const Span late = LateOf(f, members);
  const bool firm = std::all_of(members.begin(), members.end(), [&f](const std::string& name) {
    const Site& site = f.sites.at(name);
    return !site.capacity || site.capacity->firm;
  });
  out.starts_by = schemas::StartsBy{start + partitioner::FirstOffset(spec) + late, firm, true};
  out.ends_by = start + partitioner::LastOffset(spec) + late + LengthAt(f, spec, members);
  out.basis = BasisOf(f, members, now);
  return out;
}

Figures PromiseOf(const RequestsLayer& f, const schemas::RequestSpec& spec, const Attempt& attempt,
                  Moment now) {
  if (attempt.record().only_lent) {
    Figures none;
    none.no_promise_reason =
        schemas::Reason{.code = schemas::ReasonCode::kPolicy,
                        .subject = {.site = attempt.record().members.front()},
                        .text = "it has lent room alone, from which it may be recalled"};
    none.basis = BasisOf(f, attempt.record().members, now);
    return none;
  }
  Figures out = PromiseOf(f, spec, attempt.record().members, attempt.record().start, now);
  const Instant last = attempt.record().start + partitioner::LastOffset(spec);
  const Span length = BookedLength(f, spec, attempt);
  out.ends_by = last + LateOf(f, attempt.record().members) + length;
  if (attempt.Several() || !attempt.record().gated) return out;
  const Span late = WaitOf(f, attempt);
  out.starts_by->at = attempt.record().start + partitioner::FirstOffset(spec) + late;
  out.ends_by = last + late + length;
  return out;
}

schemas::Reason SilentReason(const RequestsLayer& f, const std::vector<std::string>& sites,
                             Moment now) {
  schemas::Reason reason{.code = schemas::ReasonCode::kSilent};
  if (sites.empty()) {
    reason.text = "none of its sites is listed any more";
    return reason;
  }
  reason.subject.site = sites[0];
  // The reason names the site heard last: it may be back first.
  const Site* last = nullptr;
  for (const std::string& name : sites) {
    const Site& site = f.sites.at(name);
    if (site.heard.milliseconds != 0 && (!last || site.heard > last->heard)) last = &site;
  }
  if (last) {
    reason.subject.site = last->name;
    if (last->link.state() == schemas::SiteState::kQuarantined) {
      reason.text = last->name + " is quarantined";
    } else if (last->Up() && last->disk_low) {
      reason.code = schemas::ReasonCode::kPolicy;
      reason.text = "the disk of " + last->name + " is nearly full; it takes no new work";
    } else if (last->Up()) {
      reason.text = last->name + " has not answered in time";
    } else if (last->Listens()) {
      reason.text = last->name + " is catching up";
    } else {
      const int64_t age = std::max<int64_t>(0, now.milliseconds - last->heard.milliseconds);
      reason.text = last->name + " has been silent for " + DurationText(Span{age / 1000});
    }
    return reason;
  }
  std::string names;
  for (size_t i = 0; i < sites.size(); ++i) {
    if (i > 0) names += i + 1 == sites.size() ? " and " : ", ";
    names += sites[i];
  }
  reason.text = names + (sites.size() == 1 ? " has" : " have") + " not been heard yet";
  return reason;
}

schemas::Reason ParkedReason() {
  return {.code = schemas::ReasonCode::kPolicy, .text = "held; muster release lets it start"};
}

std::optional<Instant> BlockDueFor(const RequestsLayer& f, const std::string& site) {
  const std::optional<Instant> last = f.sites.at(site).committed.LastBlockStart();
  if (!last) return std::nullopt;
  return room::BlockDueAt(last, *f.options.threshold);
}

schemas::Reason QueueReason(const RequestsLayer& f, const Request& request, Moment now) {
  schemas::Reason out =
      request.record().reason.value_or(schemas::Reason{.code = schemas::ReasonCode::kPolicy});
  for (const std::string& name : f.room.queues().SitesOf(request.id())) {
    if (!f.sites.at(name).Up()) continue;
    const Instant due = std::max(BlockDueFor(f, name).value_or(Instant{0}), now.Ceiling());
    if (!out.until || due < *out.until) out.until = due;
  }
  return out;
}

namespace {

// Figures of a request that is no array, or of an ended array.
Figures OwnFigures(const RequestsLayer& f, const Request& request, Moment now) {
  const schemas::RequestRecord& r = request.record();
  if (r.attempt) {
    const auto it = f.attempts.find(*r.attempt);
    if (it != f.attempts.end() && verifier::Binds(it->second.state())) {
      return PromiseOf(f, SpecOf(request, it->second), it->second, now);
    }
  }
  Figures out;
  if (request.Ended()) return out;
  out.no_promise_reason = r.reason;
  const bool silent = r.reason && r.reason->code == schemas::ReasonCode::kSilent;
  if (silent && request.state() == schemas::RequestState::kWaiting &&
      f.sites.contains(r.reason->subject.site)) {
    out.no_promise_reason = SilentReason(f, {r.reason->subject.site}, now);
  }
  if (f.room.InQueue(r.id)) out.no_promise_reason = QueueReason(f, request, now);
  for (const schemas::PartSpec& part : r.spec.parts) {
    const std::vector<std::string> sites = partitioner::EligibleSites(part, f.site_names);
    const bool any_up = std::any_of(sites.begin(), sites.end(),
                                    [&](const std::string& name) { return f.sites.at(name).Up(); });
    if (!any_up && !sites.empty() && request.Wanted()) {
      out.no_promise_reason = SilentReason(f, sites, now);
      break;
    }
  }
  return out;
}

// Over the unfinished elements of an array: the first promised start of one that has not started,
// or the reason why there is none, and the last promised end if all have a promise.
Figures ArrayFigures(const RequestsLayer& f, const Request& array, Moment now) {
  Figures out;
  std::set<std::string> sites;
  bool all_promised = true;
  ForEachElement(f, array.id(), [&](const Request& element) {
    if (element.Ended()) return;
    const Figures one = OwnFigures(f, element, now);
    for (const schemas::Basis& basis : one.basis) sites.insert(basis.site);
    if (!one.starts_by) {
      all_promised = false;
      if (!out.no_promise_reason) out.no_promise_reason = one.no_promise_reason;
      return;
    }
    const bool to_start = element.state() == schemas::RequestState::kPromised;
    if (to_start && (!out.starts_by || one.starts_by->at < out.starts_by->at)) {
      out.starts_by = one.starts_by;
    }
    if (!out.ends_by || *one.ends_by > *out.ends_by) out.ends_by = one.ends_by;
  });
  if (!all_promised) out.ends_by.reset();
  if (out.starts_by) out.no_promise_reason.reset();
  out.basis = BasisOf(f, {sites.begin(), sites.end()}, now);
  return out;
}

}  // namespace

Figures FiguresNow(const RequestsLayer& f, const Request& request, Moment now) {
  const bool elements_tell = request.record().spec.array && !request.Ended();
  return elements_tell ? ArrayFigures(f, request, now) : OwnFigures(f, request, now);
}

void TellFigures(RequestsLayer& f, Request& request, Figures figures,
                 std::optional<schemas::Cause> cause, Moment now) {
  const std::vector<schemas::FigureChange>& history = request.record().history;
  if (!history.empty()) {
    const Figures& last = history.back().figures;
    if (last.starts_by == figures.starts_by && last.ends_by == figures.ends_by &&
        last.no_promise_reason == figures.no_promise_reason) {
      return;
    }
  }
  f.requests.Edit(request).history.push_back({now, std::move(figures), std::move(cause)});
}

}  // namespace muster::meta
