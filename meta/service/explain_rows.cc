// Shows only starts that searches proved or users were told, with the reasons that sites gave or
// that the request's own record has.
#include "meta/service/explain_rows.h"

#include <algorithm>
#include <utility>

#include "meta/requests/credentials.h"
#include "meta/requests/fairshare.h"
#include "meta/requests/figures.h"
#include "meta/requests/rank.h"
#include "meta/requests/spanning_limits.h"
#include "meta/requests/start_conditions.h"
#include "meta/search/packing_choice.h"
#include "meta/search/queueing.h"
#include "meta/service/explain_ways.h"
#include "partitioner/split.h"
#include "schemas/limits.h"
#include "verifier/attempt_table.h"

namespace muster::meta {
namespace {

bool StillWaits(const ServiceLayer& f, RequestId id) {
  const Request* request = f.requests.Find(id);
  return request && request->Wanted() && !request->record().attempt;
}

bool SharesASite(const LaidOut& a, const std::vector<std::string>& sites) {
  return std::any_of(a.part_sites.begin(), a.part_sites.end(), [&](const std::string& site) {
    return std::find(sites.begin(), sites.end(), site) != sites.end();
  });
}

// The reason that lies in the request itself, or in requests that it depends on; none if there is
// none.
std::optional<schemas::Reason> OwnReason(const ServiceLayer& f, const Request& request,
                                         const Attempt* attempt, Moment now) {
  if (!StartsYet(request)) {
    const bool parked = request.state() == schemas::RequestState::kParked;
    return schemas::Reason{.code = schemas::ReasonCode::kPolicy,
                           .text = request.Ended() ? "it has ended"
                                   : parked        ? "it is parked until somebody unparks it"
                                                   : "it has started"};
  }
  if (!attempt) return FiguresNow(f, request, now).no_promise_reason;
  const Instant start = attempt->record().start;
  const std::optional<Instant> opens = GateOpensAt(f, request, now);
  if (opens && *opens >= start && *opens > Instant{0}) {
    for (const schemas::Dependency& d : request.record().spec.after) {
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
  const schemas::RequestSpec& spec = request.record().spec;
  if (spec.at) {
    return schemas::Reason{
        .code = schemas::ReasonCode::kPolicy, .until = spec.at, .text = "asked for exactly (--at)"};
  }
  if (spec.from && *spec.from >= start) {
    return schemas::Reason{.code = schemas::ReasonCode::kPolicy,
                           .until = spec.from,
                           .text = "asked for not earlier (--from)"};
  }
  const auto barred =
      spec.inside ? std::nullopt
                  : WhyNotAdmitted(f, CredentialsOf(f, spec, request.record().requester.user, now));
  if (barred && *barred->until >= start) return barred;
  return WhyLimited(f, request, start, now);
}

schemas::ExplainQueued QueuedOf(const ServiceLayer& f, const Request& request) {
  const room::Queues& queues = f.room.queues();
  const room::Rank rank = RankOf(request);
  const auto standing = queues.StandingOf(rank, f.options.block_max);
  schemas::ExplainQueued out{.queue = request.record().spec.queue,
                             .place = standing.place,
                             .waiting = queues.size(queues.QueueOf(rank)),
                             .leaving = standing.leaving,
                             .block = standing.block,
                             .block_at = NextBlockAt(f),
                             .packing = std::string(packing::NameOf(PackingInForce(f))),
                             .sites = SitesOf(f, request)};
  for (const LaidOut& one : LaidOutBefore(f, request)) {
    if (!SharesASite(one, out.sites)) continue;
    ++out.ahead;
    out.nearest.push_back(ToText(one.request));
    if (out.nearest.size() > schemas::kBlockers) out.nearest.erase(out.nearest.begin());
  }
  std::reverse(out.nearest.begin(), out.nearest.end());
  return out;
}

// By when the request starts: its promise, or the bound from where it is laid out; none without
// either.
std::optional<schemas::StartsBy> StartsByOf(const ServiceLayer& f, const Turn& t,
                                            const Request& request) {
  const auto promised = FiguresNow(f, request, t.plan).starts_by;
  const LaidOut* laid_out = LaidOutOf(f, request);
  if (promised || !laid_out) return promised;
  auto bound = PromiseOf(f, request.record().spec, partitioner::MembersOf(laid_out->part_sites),
                         laid_out->start, t.plan)
                   .starts_by;
  bound->firm = false;
  return bound;
}

void AddParts(const ServiceLayer& f, const Turn& t, const Request& request,
              const Explanations::Gathering& explained, schemas::ExplainRows& out) {
  const std::vector<std::string> part_sites = SitesOf(f, request);
  std::optional<Instant> last;
  for (uint32_t i = 0; i < part_sites.size(); ++i) {
    schemas::ExplainPart part{.part = out.job + "." + std::to_string(i + 1), .site = part_sites[i]};
    const auto view = explained.answers.find({i, part.site});
    if (view != explained.answers.end()) {
      part.reasons = view->second.blockers;
      const schemas::VerdictEntry& verdict = view->second.verdict;
      const bool starts =
          verdict.kind == schemas::VerdictKind::kAccepted ||
          (verdict.kind == schemas::VerdictKind::kCountered && !verdict.starts.empty());
      if (starts) part.from = verdict.start;
      if (!starts && verdict.reason && part.reasons.empty()) part.reasons = {*verdict.reason};
    } else if (!f.sites.at(part.site).Up()) {
      part.reasons = {SilentReason(f, {part.site}, t.plan)};
    }
    if (part.from && !part.reasons.empty() && (!last || *part.from > *last)) last = part.from;
    out.parts.push_back(std::move(part));
  }
  // If a request without a place could start clearly earlier at its sites, other waiting requests
  // come before it. They determine its start, and no part binds.
  if (!BoundAttempt(f, request) && last && out.start && *last + kWaySaves <= *out.start) return;
  for (schemas::ExplainPart& part : out.parts) part.binds = last && part.from == last;
}

// Adds the ways that help, whether a shorter duration cannot help, and how many ways were not tried
// or not proved.
void AddWays(const WaysTried& ways, schemas::ExplainRows& out) {
  const WayFound* as_it_is = ways.FoundOf(Way::Kind::kAsItIs);
  const Instant told = out.starts_by ? out.starts_by->at : kFarFuture;
  // If the unchanged request gains less than kWaySaves, it does not count as moving up.
  const bool moves_up = as_it_is && as_it_is->starts_by + kWaySaves <= told;
  const Instant before = moves_up ? as_it_is->starts_by : told;
  const auto add = [&](std::string text, std::vector<std::string> argv, Instant starts_by) {
    const Span earlier = out.starts_by ? told - starts_by : Span{0};
    out.changes.push_back({std::move(text), std::move(argv), starts_by, earlier});
  };
  if (out.starts_by && moves_up) {
    add("as it is, once it is moved up", {}, as_it_is->starts_by);
  }
  for (const auto& [way, found] : ways.ThatHelp(before, kWaySaves)) {
    add(way->text, way->argv, found->starts_by);
  }
  const WayFound* shortest = ways.FoundOf(Way::Kind::kShortest);
  if (shortest && shortest->starts_by + kWaySaves > before) {
    out.no_help = {"A shorter duration does not help."};
  }
  const auto changes = [](size_t count) {
    return std::to_string(count) + (count == 1 ? " change" : " changes");
  };
  if (const size_t untried = ways.untried(); untried > 0) {
    out.more.push_back("more: " + changes(untried) + " could not be tried in time");
  }
  if (const size_t unproved = ways.unproved(); unproved > 0) {
    out.more.push_back("more: of " + changes(unproved) + " no earliest start was proved");
  }
}

// Why a placed job does not start earlier, where the reasons of its parts do not say so; none where
// they do.
std::optional<schemas::Reason> OtherReason(const ServiceLayer& f, const Turn& t,
                                           const schemas::ExplainRows& rows) {
  const bool binds = std::any_of(rows.parts.begin(), rows.parts.end(),
                                 [](const schemas::ExplainPart& part) { return part.binds; });
  const bool silent = std::any_of(
      rows.parts.begin(), rows.parts.end(),
      [](const schemas::ExplainPart& part) { return !part.from && !part.reasons.empty(); });
  if (!rows.start || silent) return std::nullopt;
  schemas::Reason reason{.code = schemas::ReasonCode::kPolicy, .until = rows.start};
  const Span lead{(f.options.values.lead.milliseconds + 999) / 1000};
  std::optional<Instant> last;
  for (const schemas::ExplainPart& part : rows.parts) {
    if (part.from && (!last || *part.from > *last)) last = part.from;
  }
  const bool together = last && *last + kWaySaves <= *rows.start;
  if (*rows.start <= t.NowCeiling() + lead + kWaySaves && (!binds || together)) {
    reason.text = "it is about to start";
  } else if (!rows.changes.empty() && rows.changes.front().argv.empty()) {
    reason.text = "room has become free for it, and it is being moved there";
  } else if (together) {
    reason.code = schemas::ReasonCode::kContended;
    reason.text = rows.parts.size() > 1 ? "its parts are ready earlier, but not at the same time"
                                        : "others come first";
  } else if (!binds) {
    const bool all_said = std::all_of(
        rows.parts.begin(), rows.parts.end(),
        [&](const schemas::ExplainPart& part) { return part.from && *part.from <= *rows.start; });
    if (!all_said) {
      reason.text = "its sites did not say in time what comes before it";
    } else if (last && *last < *rows.start) {
      reason.text = "it could start less than a minute earlier, which is no gain to move for";
    } else {
      reason.text = "what was in its way has just ended";
    }
  } else {
    return std::nullopt;
  }
  return reason;
}

}  // namespace

bool StartsYet(const Request& request) {
  const schemas::RequestState state = request.state();
  return state == schemas::RequestState::kWaiting || state == schemas::RequestState::kPromised;
}

const LaidOut* LaidOutOf(const ServiceLayer& f, const Request& request) {
  if (BoundAttempt(f, request)) return nullptr;
  const auto it = std::find_if(f.laid_out.begin(), f.laid_out.end(),
                               [&](const LaidOut& one) { return one.request == request.id(); });
  return it == f.laid_out.end() ? nullptr : &*it;
}

std::vector<LaidOut> LaidOutBefore(const ServiceLayer& f, const Request& request) {
  std::vector<LaidOut> out;
  for (const LaidOut& one : f.laid_out) {
    if (one.request == request.id()) return out;
    if (StillWaits(f, one.request)) out.push_back(one);
  }
  return {};
}

std::vector<std::string> SitesOf(const ServiceLayer& f, const Request& request) {
  if (const Attempt* attempt = BoundAttempt(f, request)) return attempt->record().part_sites;
  if (const LaidOut* laid_out = LaidOutOf(f, request)) return laid_out->part_sites;
  return {};
}

std::optional<Instant> PlannedStart(const ServiceLayer& f, const Request& request) {
  if (const Attempt* attempt = BoundAttempt(f, request)) return attempt->record().start;
  const LaidOut* laid_out = LaidOutOf(f, request);
  return laid_out ? std::optional(laid_out->start) : std::nullopt;
}

schemas::ExplainRows ExplainedRows(const ServiceLayer& f, const Turn& t, const Request& request,
                                   const Explanations::Gathering& explained) {
  const Attempt* attempt = BoundAttempt(f, request);
  schemas::ExplainRows out;
  out.job = ShownId(request);
  out.starts_by = StartsByOf(f, t, request);
  out.start = PlannedStart(f, request);
  out.reason = OwnReason(f, request, attempt, t.plan);
  if (StartsYet(request)) {
    AddParts(f, t, request, explained, out);
    AddWays(explained.question.ways, out);
    if (attempt && !out.reason) out.reason = OtherReason(f, t, out);
  }
  if (f.room.InQueue(request.id())) out.queued = QueuedOf(f, request);
  return out;
}

}  // namespace muster::meta
