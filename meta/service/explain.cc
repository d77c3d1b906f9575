// Works in stages: the order of the waiting requests, the sites' answers about the parts, the
// changes. A stage begins when the one before it is complete, or its time is up.
#include "meta/service/explain.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "meta/requests/array_jobs.h"
#include "meta/requests/attempt_facts.h"
#include "meta/requests/credits.h"
#include "meta/requests/figures.h"
#include "meta/requests/horizon.h"
#include "meta/requests/site_speeds.h"
#include "meta/requests/start_conditions.h"
#include "meta/search/asking.h"
#include "meta/search/candidates.h"
#include "meta/search/meetings.h"
#include "meta/search/shadow_starts.h"
#include "meta/search/verifying.h"
#include "meta/service/explain_rows.h"
#include "meta/service/explain_ways.h"
#include "meta/sites/say.h"
#include "partitioner/split.h"
#include "schemas/limits.h"

namespace muster::meta {
namespace {

// The request as `alter` would seek it anew: its promised specification, without its place and
// without its payload.
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
  out.nearest = Instant{0};
  return out;
}

// The question to a site about one part alone, from its first allowed start on.
std::optional<schemas::ProposalEntry> EntryOf(const ServiceLayer& f, const Turn& t,
                                              const Request& subject, const Attempt* attempt,
                                              uint32_t part, const std::string& site) {
  const bool several =
      attempt ? attempt->Several() : partitioner::MembersOf(SitesOf(f, subject)).size() > 1;
  const Span tail = attempt ? WaitOf(f, *attempt) : several ? TailOf(f) : Span{0};
  schemas::ProposalEntry entry;
  entry.parts = {partitioner::DemandOf(subject.record().spec, part + 1, tail)};
  entry.parts[0].duration = AskedAt(f, subject.record().spec, site);
  SayWho(entry, f, subject);
  entry.allowed = StartsAt(f, t, subject, several, {site});
  if (entry.allowed.empty()) return std::nullopt;
  entry.asked = entry.allowed.intervals()[0].begin;
  entry.want_starts = true;
  if (subject.replacing) entry.ignoring = {*subject.replacing};
  return entry;
}

void AskAbout(ServiceLayer& f, Turn& t, uint64_t id, const Request& request, const Request& subject,
              uint32_t part, const std::string& name) {
  Site& site = f.sites.at(name);
  if (!site.Up()) return;
  auto entry = EntryOf(f, t, subject, BoundAttempt(f, request), part, name);
  if (!entry) return;
  const uint64_t inspection = f.prover.NewOwner();
  f.explains.FindQuestion(id)->inspections[inspection] = {part, name};
  f.explains.Ask(id, {part, name});
  schemas::Inspect message{.inspection = inspection, .kind = schemas::InspectKind::kExplain};
  message.entry = std::move(entry);
  message.until = PlannedStart(f, request).value_or(Instant{0});
  Say(f, t, site, std::move(message));
}

// Asks the sites of the request's parts. A request of one part is also asked about at all other
// eligible sites that are up, since a shorter duration may help there.
void AskAboutParts(ServiceLayer& f, Turn& t, uint64_t id, const Request& request) {
  Explaining& explaining = *f.explains.FindQuestion(id);
  explaining.stage = Explaining::Stage::kParts;
  explaining.stage_until = t.boot() + kPartsWait;
  const Request subject = SubjectOf(f, request);
  const std::vector<std::string> part_sites = SitesOf(f, request);
  for (uint32_t i = 0; i < part_sites.size(); ++i) {
    AskAbout(f, t, id, request, subject, i, part_sites[i]);
  }
  if (subject.record().spec.parts.size() > 1) return;
  for (const std::string& name : UpSites(f, subject.record().spec, 0)) {
    if (part_sites.empty() || name != part_sites[0]) {
      AskAbout(f, t, id, request, subject, 0, name);
    }
  }
}

// The start that the search for a way found; none unless the search proved it. A place that was
// promised costs no more where the meta moves it, so as it is it can always be paid.
std::optional<WayFound> FoundBy(const ServiceLayer& f, const Turn& t, const Request& as,
                                Way::Kind kind, const partitioner::Meeting& search) {
  const std::optional<partitioner::Met> met = search.Best(f.options.transfer);
  if (!met || !met->proved) return std::nullopt;
  const std::vector<std::string> members = partitioner::MembersOf(met->part_sites);
  const schemas::RequestSpec& spec = as.record().spec;
  Instant by = PromiseOf(f, spec, members, met->start, t.plan).starts_by->at;
  if (members.size() == 1 && !GateIsOpen(f, as, t.plan)) {
    by = met->start + partitioner::FirstOffset(spec) +
         Span{schemas::kSingleWait.milliseconds / 1000};
  }
  const bool promised = kind == Way::Kind::kAsItIs && as.replacing;
  const Span tail = members.size() > 1 ? TailOf(f) : Span{0};
  const bool unpaid = !promised && !CanPay(f, as, met->part_sites, met->start, tail, t.plan);
  return WayFound{met->part_sites, met->start, by, unpaid};
}

// The request as this way changes it.
Request AsChanged(const ServiceLayer& f, const Request& request, const Way& way) {
  const Request subject = SubjectOf(f, request);
  schemas::RequestRecord changed = subject.record();
  changed.spec = way.spec;
  return subject.As(std::move(changed));
}

// Begins searches for further ways, up to the number that may be open at once. True if all ways
// are answered, or the request no longer waits for its start.
bool AskWays(ServiceLayer& f, Turn& t, uint64_t id) {
  Explaining& explaining = *f.explains.FindQuestion(id);
  // Questions behind other requests continue each other's proposals, so they go one at a time.
  const size_t at_once = explaining.behind ? 1 : kWaysAtOnce;
  while (explaining.ways.out() < at_once) {
    const Request* request = f.requests.Find(explaining.request);
    if (!request || !StartsYet(*request)) return true;
    const std::optional<size_t> next = explaining.ways.Next();
    if (!next) return explaining.ways.Done();
    Inquiry inquiry;
    inquiry.as = AsChanged(f, *request, explaining.ways.at(*next));
    if (explaining.behind) inquiry.behind = id;
    const Inquired inquired = Inquire(f, t, inquiry);
    if (inquired.over) {
      explaining.ways.Answer(
          *next, FoundBy(f, t, *inquiry.as, explaining.ways.at(*next).kind, *inquired.over));
    } else {
      explaining.inquiries.emplace(inquired.owner, std::pair(*next, *std::move(inquiry.as)));
    }
  }
  return false;
}

void Answer(ServiceLayer& f, Turn& t, const Explanations::Gathering& explained) {
  const Asker asker = AskerOf(explained.client);
  const Request* request = f.requests.Find(explained.question.request);
  if (!request) return Refuse(f, t, asker, NoSuchJob(explained.question.request, ""));
  schemas::Rows rows;
  rows.as_of = t.plan;
  rows.basis = BasisOf(f, partitioner::MembersOf(SitesOf(f, *request)), t.plan);
  rows.explain = ExplainedRows(f, t, *request, explained);
  Reply(f, t, asker.user, asker.link, asker.number, std::move(rows));
}

void FinishExplain(ServiceLayer& f, Turn& t, uint64_t id) {
  const std::optional<Explanations::Gathering> done = f.explains.Close(id);
  if (!done) return;
  for (const auto& [owner, way] : done->question.inquiries) DropInquiry(f, owner);
  DropLine(f, id);
  Answer(f, t, *done);
}

// Makes sites plan the ways of a request in a queue behind the requests laid out before it. False
// if no ways can be asked: the request is not laid out, or comes behind more entries than a
// site is asked about at once.
bool GoBehindOthers(ServiceLayer& f, const Request& request, uint64_t id) {
  if (!f.room.InQueue(request.id())) return true;
  if (!LaidOutOf(f, request)) return false;
  std::vector<LaidOut> others = LaidOutBefore(f, request);
  if (others.size() > kVerifiedEntries) return false;
  GoBehind(f, id, std::move(others));
  f.explains.FindQuestion(id)->behind = true;
  return true;
}

void TryWays(ServiceLayer& f, Turn& t, uint64_t id) {
  Explaining& explaining = *f.explains.FindQuestion(id);
  explaining.stage = Explaining::Stage::kWays;
  for (const auto& [inspection, part] : explaining.inspections) f.explains.Miss(id, part);
  const Request* request = f.requests.Find(explaining.request);
  const bool wanted = request && StartsYet(*request) && request->Wanted();
  if (!wanted || !GoBehindOthers(f, *request, id)) return FinishExplain(f, t, id);
  const Request subject = SubjectOf(f, *request);
  const IntervalSet allowed = StartsAt(f, t, subject, false, {});
  const Instant earliest = allowed.empty() ? t.NowCeiling() : allowed.intervals()[0].begin;
  // Where other requests or other parts may decide the start, no site can tell which shorter
  // duration helps, so quarters of the duration are tried.
  const bool bound = BoundAttempt(f, *request) != nullptr;
  const bool quarters = !bound || subject.record().spec.parts.size() > 1;
  explaining.ways = WaysOf(f, t, subject, f.explains.Find(id)->answers, earliest, quarters);
  if (AskWays(f, t, id)) FinishExplain(f, t, id);
}

void GoOn(ServiceLayer& f, Turn& t, uint64_t id) {
  const Explaining& explaining = *f.explains.FindQuestion(id);
  if (explaining.stage == Explaining::Stage::kOrder) {
    const Request* request = f.requests.Find(explaining.request);
    if (!request) return FinishExplain(f, t, id);
    AskAboutParts(f, t, id, *request);
    if (!f.explains.Awaited(id).empty()) return;
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
  // For an array, the first element that has not ended is explained.
  for (const RequestId id : TargetsOf(f, *request)) {
    Request* element = f.requests.Find(id);
    if (!element || element->Ended()) continue;
    request = element;
    break;
  }
  const size_t asked = f.explains.CountOf(asker.user);
  if (asked >= schemas::kAsksPerUser) {
    return Refuse(
        f, t, asker,
        {.code = "busy", .message = std::to_string(asked) + " questions are out already"});
  }
  const uint64_t id = f.prover.NewOwner();
  Explaining& explaining = f.explains.Begin(id, ClientOf(asker), {}, t.boot() + kExplainWait);
  explaining.request = request->id();
  if (!StartsYet(*request)) return FinishExplain(f, t, id);
  explaining.stage = Explaining::Stage::kOrder;
  explaining.stage_until = t.boot() + kOrderWait;
  if (!f.room.InQueue(request->id())) GoOn(f, t, id);
}

bool TakeExplainView(ServiceLayer& f, Turn& t, const Site& site, const schemas::View& view) {
  const auto* explain = std::get_if<schemas::ExplainView>(&view.what);
  if (!explain) return false;
  for (const uint64_t id : f.explains.numbers()) {
    const auto& inspections = f.explains.Find(id)->question.inspections;
    const auto asked = inspections.find(view.inspection);
    if (asked == inspections.end()) continue;
    // A site may answer only its own questions.
    if (asked->second.second != site.name) return true;
    if (!f.explains.Take(id, asked->second, *explain)) return true;
    if (f.explains.Awaited(id).empty()) GoOn(f, t, id);
    break;
  }
  return true;
}

bool AnswerWay(ServiceLayer& f, Turn& t, const InquiryOver& over) {
  for (const uint64_t id : f.explains.numbers()) {
    Explaining& explaining = *f.explains.FindQuestion(id);
    const auto asked = explaining.inquiries.extract(over.owner);
    if (asked.empty()) continue;
    const auto& [way, as] = asked.mapped();
    explaining.ways.Answer(way, FoundBy(f, t, as, explaining.ways.at(way).kind, over.search));
    if (AskWays(f, t, id)) FinishExplain(f, t, id);
    return true;
  }
  return false;
}

namespace {

std::vector<uint64_t> AwaitingOrder(const ServiceLayer& f) {
  std::vector<uint64_t> ids = f.explains.numbers();
  std::erase_if(ids, [&f](uint64_t id) {
    return f.explains.Find(id)->question.stage != Explaining::Stage::kOrder;
  });
  return ids;
}

}  // namespace

bool AwaitsOrder(const ServiceLayer& f) { return !AwaitingOrder(f).empty(); }

void OrderIsKnown(ServiceLayer& f, Turn& t) {
  for (const uint64_t id : AwaitingOrder(f)) GoOn(f, t, id);
}

void EndOverdueExplains(ServiceLayer& f, Turn& t) {
  const std::vector<uint64_t> overdue = f.explains.Overdue(t.boot());
  for (const uint64_t id : f.explains.numbers()) {
    const Explaining& explaining = f.explains.Find(id)->question;
    if (std::binary_search(overdue.begin(), overdue.end(), id)) {
      FinishExplain(f, t, id);
    } else if (explaining.stage != Explaining::Stage::kWays && explaining.stage_until <= t.boot()) {
      GoOn(f, t, id);
    }
  }
}

std::optional<BootInstant> NextExplainEnd(const ServiceLayer& f) {
  std::optional<BootInstant> next = f.explains.NextEnd();
  for (const uint64_t id : f.explains.numbers()) {
    const Explaining& explaining = f.explains.Find(id)->question;
    if (explaining.stage != Explaining::Stage::kWays)
      next = std::min(*next, explaining.stage_until);
  }
  return next;
}

}  // namespace muster::meta
