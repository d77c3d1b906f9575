// In stages: the order of those who wait, what sites say of the parts, the changes; each begins
// when the one before it is complete, or its time is up.
#include "meta/service/explain.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "meta/attempts/attempts.h"
#include "meta/requests/array_jobs.h"
#include "meta/requests/attempt_facts.h"
#include "meta/requests/endings.h"
#include "meta/requests/figures.h"
#include "meta/requests/gates.h"
#include "meta/requests/terms.h"
#include "meta/search/meetings.h"
#include "meta/search/placing.h"
#include "meta/service/explain_rows.h"
#include "meta/service/explain_ways.h"
#include "meta/sites/say.h"
#include "partitioner/split.h"
#include "schemas/limits.h"

namespace muster::meta {
namespace {

// The request as it is promised, or waits, as one that its user alters is sought: without the place
// it has, and without what runs.
Request SubjectOf(const ServiceLayer& f, const Request& request) {
  const Attempt* attempt = BoundAttempt(f, request);
  schemas::RequestRecord record = request.record();
  if (attempt) {
    record.spec = SpecOf(request, *attempt);
  } else if (request.before()) {
    record.spec = *request.before();
  }
  record.spec.payload = {};
  record.history.clear();
  record.events.clear();
  Request out = request.As(std::move(record));
  if (attempt) out.replacing = attempt->fence();
  out.verdicts.clear();
  out.never.clear();
  out.nearest = Instant{0};
  return out;
}

// What its site is asked about a part alone, from its first allowed start on.
std::optional<schemas::ProposalEntry> EntryOf(const ServiceLayer& f, const Turn& t,
                                              const Request& subject, const Attempt* attempt,
                                              uint32_t part, const std::string& site) {
  const bool several =
      attempt ? attempt->Several() : partitioner::MembersOf(SitesOf(f, subject)).size() > 1;
  const Span tail = attempt ? WaitOf(f, *attempt) : several ? TailOf(f) : Span{0};
  schemas::ProposalEntry entry;
  entry.parts = {partitioner::DemandOf(subject.record().spec, part + 1, tail)};
  entry.parts[0].duration = LengthAt(f, subject.record().spec, site);
  SayWho(entry, subject);
  entry.priority = subject.priority;
  entry.allowed = StartsAt(f, t, subject, several, {site});
  if (entry.allowed.empty()) return std::nullopt;
  entry.asked = entry.allowed.intervals()[0].begin;
  entry.want_starts = true;
  if (subject.replacing) entry.ignoring = {*subject.replacing};
  return entry;
}

void AskAbout(ServiceLayer& f, Turn& t, Explaining& explaining, const Request& request,
              const Request& subject, uint32_t part, const std::string& name) {
  Site& site = f.sites.at(name);
  if (!site.Up()) return;
  auto entry = EntryOf(f, t, subject, BoundAttempt(f, request), part, name);
  if (!entry) return;
  const uint64_t inspection = ++f.last_owner;
  explaining.out[inspection] = {part, name};
  schemas::Inspect message{.inspection = inspection, .kind = schemas::InspectKind::kExplain};
  message.entry = std::move(entry);
  message.until = PlannedStart(f, request).value_or(Instant{0});
  Say(f, t, site, std::move(message));
}

// The sites of its parts, and of one part alone every other that could have it: for another site a
// shorter time may do.
void AskAboutParts(ServiceLayer& f, Turn& t, Explaining& explaining, const Request& request) {
  explaining.stage = Explaining::Stage::kParts;
  explaining.stage_until = t.boot() + kPartsWait;
  const Request subject = SubjectOf(f, request);
  const std::vector<std::string> part_sites = SitesOf(f, request);
  for (uint32_t i = 0; i < part_sites.size(); ++i) {
    AskAbout(f, t, explaining, request, subject, i, part_sites[i]);
  }
  if (subject.record().spec.parts.size() > 1) return;
  for (const std::string& name : UpSites(f, subject.record().spec, 0)) {
    if (part_sites.empty() || name != part_sites[0]) {
      AskAbout(f, t, explaining, request, subject, 0, name);
    }
  }
}

// Asks as many ways as may be out; true if there is nothing more to wait for.
bool AskWays(ServiceLayer& f, Turn& t, uint64_t id) {
  while (true) {
    const auto it = f.explains.find(id);
    if (it == f.explains.end()) return true;
    Explaining& explaining = it->second;
    // Questions behind others go on from each other.
    const size_t at_once = explaining.behind ? 1 : kWaysAtOnce;
    if (explaining.ways.out() >= at_once) return false;
    const Request* request = f.requests.Find(explaining.request);
    if (!request || !StartsYet(*request)) return true;
    const std::optional<size_t> next = explaining.ways.Next();
    if (!next) return explaining.ways.Done();
    const Request subject = SubjectOf(f, *request);
    schemas::RequestRecord changed = subject.record();
    changed.spec = explaining.ways.at(*next).spec;
    AskWay(f, t, {.explain = id, .way = *next, .as = subject.As(std::move(changed))});
  }
}

void Answer(ServiceLayer& f, Turn& t, const Explaining& explaining) {
  const Asker asker{explaining.user, explaining.link, explaining.number};
  const Request* request = f.requests.Find(explaining.request);
  if (!request) return Refuse(f, t, asker, NoSuchJob(explaining.request, ""));
  schemas::Rows rows;
  rows.as_of = t.plan;
  rows.basis = BasisOf(f, partitioner::MembersOf(SitesOf(f, *request)), t.plan);
  rows.explain = ExplainedRows(f, t, *request, explaining);
  Reply(f, t, asker.user, asker.link, asker.number, std::move(rows));
}

void FinishExplain(ServiceLayer& f, Turn& t, uint64_t id) {
  const auto it = f.explains.find(id);
  if (it == f.explains.end()) return;
  const Explaining done = std::move(it->second);
  f.explains.erase(it);
  DropWays(f, id);
  Answer(f, t, done);
}

// Changes of one that waits behind others are asked behind them; of one that is not laid out, or
// behind more than a site is asked about at once, none is.
bool GoBehindOthers(const ServiceLayer& f, const Request& request, Explaining& explaining) {
  if (!f.room.InQueue(request.id())) return true;
  if (!LaidOutOf(f, request)) return false;
  BehindOthers behind{.others = LaidOutBefore(f, request)};
  if (behind.others.size() > kVerifiedEntries) return false;
  explaining.behind = std::move(behind);
  return true;
}

void TryWays(ServiceLayer& f, Turn& t, uint64_t id) {
  Explaining& explaining = f.explains.at(id);
  explaining.stage = Explaining::Stage::kWays;
  explaining.out.clear();
  const Request* request = f.requests.Find(explaining.request);
  const bool wanted = request && StartsYet(*request) && request->Wanted();
  if (!wanted || !GoBehindOthers(f, *request, explaining)) return FinishExplain(f, t, id);
  const Request subject = SubjectOf(f, *request);
  const IntervalSet allowed = StartsAt(f, t, subject, false, {});
  const Instant earliest = allowed.empty() ? t.NowCeiling() : allowed.intervals()[0].begin;
  // Sites say nothing of what comes of others, or of other parts.
  const bool bound = BoundAttempt(f, *request) != nullptr;
  const bool quarters = !bound || subject.record().spec.parts.size() > 1;
  explaining.ways = WaysOf(f, t, subject, explaining.views, earliest, quarters);
  if (AskWays(f, t, id)) FinishExplain(f, t, id);
}

void GoOn(ServiceLayer& f, Turn& t, uint64_t id) {
  Explaining& explaining = f.explains.at(id);
  if (explaining.stage == Explaining::Stage::kOrder) {
    const Request* request = f.requests.Find(explaining.request);
    if (!request) return FinishExplain(f, t, id);
    AskAboutParts(f, t, explaining, *request);
    if (!explaining.out.empty()) return;
  }
  if (explaining.stage == Explaining::Stage::kParts) TryWays(f, t, id);
}

}  // namespace

void OnExplain(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Get& get) {
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
  Explaining& explaining = f.explains[id];
  explaining.user = asker.user;
  explaining.link = asker.link;
  explaining.number = asker.number;
  explaining.request = request->id();
  explaining.until = t.boot() + kExplainWait;
  if (!StartsYet(*request)) return FinishExplain(f, t, id);
  explaining.stage = Explaining::Stage::kOrder;
  explaining.stage_until = t.boot() + kOrderWait;
  if (!f.room.InQueue(request->id())) GoOn(f, t, id);
}

bool TakeExplainView(ServiceLayer& f, Turn& t, const Site& site, const schemas::View& view) {
  const auto* explain = std::get_if<schemas::ExplainView>(&view.what);
  if (!explain) return false;
  for (auto& [id, explaining] : f.explains) {
    const auto out = explaining.out.find(view.inspection);
    if (out == explaining.out.end()) continue;
    if (out->second.second != site.name) return true;  // no business of this site's
    explaining.views[out->second] = *explain;
    explaining.out.erase(out);
    if (explaining.out.empty()) GoOn(f, t, id);
    break;
  }
  return true;
}

void AnswerWay(ServiceLayer& f, Turn& t, const WayAsked& asked,
               const partitioner::Meeting& search) {
  const auto it = f.explains.find(asked.explain);
  if (it == f.explains.end()) return;
  const std::optional<partitioner::Met> met = search.Best(f.options.transfer);
  std::optional<WayFound> found;
  if (met && met->proved) {
    const std::vector<std::string> members = partitioner::MembersOf(met->part_sites);
    const schemas::RequestSpec& spec = asked.as.record().spec;
    Instant by = PromiseOf(f, spec, members, met->start, t.plan).starts_by->at;
    if (members.size() == 1 && !GateIsOpen(f, asked.as, t.plan)) {
      by = met->start + partitioner::FirstOffset(spec) +
           Span{schemas::kSingleWait.milliseconds / 1000};
    }
    found = WayFound{met->part_sites, met->start, by};
  }
  it->second.ways.Answer(asked.way, std::move(found));
  if (AskWays(f, t, asked.explain)) FinishExplain(f, t, asked.explain);
}

bool AwaitsOrder(const ServiceLayer& f) {
  return std::any_of(f.explains.begin(), f.explains.end(),
                     [](const auto& one) { return one.second.stage == Explaining::Stage::kOrder; });
}

void OrderIsKnown(ServiceLayer& f, Turn& t) {
  std::vector<uint64_t> ids;
  for (const auto& [id, explaining] : f.explains) {
    if (explaining.stage == Explaining::Stage::kOrder) ids.push_back(id);
  }
  for (const uint64_t id : ids) GoOn(f, t, id);
}

void EndOverdueExplains(ServiceLayer& f, Turn& t) {
  std::vector<uint64_t> ids;
  for (const auto& [id, explaining] : f.explains) ids.push_back(id);
  for (const uint64_t id : ids) {
    const auto it = f.explains.find(id);
    if (it == f.explains.end()) continue;
    if (it->second.until <= t.boot()) {
      FinishExplain(f, t, id);
    } else if (it->second.stage != Explaining::Stage::kWays && it->second.stage_until <= t.boot()) {
      GoOn(f, t, id);
    }
  }
}

std::optional<BootInstant> NextExplainEnd(const ServiceLayer& f) {
  std::optional<BootInstant> next;
  for (const auto& [id, explaining] : f.explains) {
    BootInstant at = explaining.until;
    if (explaining.stage != Explaining::Stage::kWays) at = std::min(at, explaining.stage_until);
    if (!next || at < *next) next = at;
  }
  return next;
}

}  // namespace muster::meta
