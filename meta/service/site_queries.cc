// One gathering per question; it is answered at once if none of its sites listens.
#include "meta/service/site_queries.h"

#include <algorithm>
#include <set>

#include "meta/forecast/run_facts.h"
#include "meta/requests/beyond_balance.h"
#include "meta/requests/credentials.h"
#include "meta/requests/figures.h"
#include "meta/requests/horizon.h"
#include "meta/requests/job_view.h"
#include "meta/requests/members.h"
#include "meta/requests/reservations.h"
#include "meta/requests/spanning_limits.h"
#include "meta/requests/validate.h"
#include "meta/search/asking.h"
#include "meta/search/candidates.h"
#include "meta/service/priority.h"
#include "meta/sites/say.h"
#include "partitioner/split.h"

namespace muster::meta {
namespace {

double AgeOf(const Turn& t, Moment at) {
  return static_cast<double>(t.plan.milliseconds - at.milliseconds) / 1000;
}

void AnswerBookings(ServiceLayer& f, Turn& t, const SiteQueries::Gathering& query,
                    schemas::Rows& rows) {
  for (const std::string& name : query.question.sites) {
    schemas::GanttSite row;
    row.name = name;
    row.stale = !query.answers.contains(name);
    if (const auto* seen = f.views.BookingsOf(name)) {
      row.nodes = seen->view.nodes;
      row.bookings = seen->view.bookings;
      row.age_s = AgeOf(t, seen->at);
    }
    rows.gantt.push_back(std::move(row));
  }
}

void AnswerNodes(ServiceLayer& f, Turn& t, const SiteQueries::Gathering& query,
                 schemas::Rows& rows) {
  for (const std::string& name : query.question.sites) {
    schemas::NodesOfSite row;
    row.name = name;
    row.stale = !query.answers.contains(name);
    if (const auto* seen = f.views.NodesOf(name)) {
      row.nodes = seen->view.nodes;
      row.age_s = AgeOf(t, seen->at);
    }
    rows.nodes.push_back(std::move(row));
  }
}

void AnswerSlots(const SiteQueries::Gathering& query, schemas::Rows& rows) {
  for (const auto& [name, view] : query.answers) {
    for (schemas::SlotRow slot : std::get<schemas::SlotsView>(view).slots) {
      slot.site = name;
      rows.slots.push_back(std::move(slot));
    }
  }
  std::stable_sort(rows.slots.begin(), rows.slots.end(),
                   [](const auto& a, const auto& b) { return a.start_from < b.start_from; });
}

void AnswerRanks(const ServiceLayer& f, const Turn& t, const SiteQueries::Gathering& query,
                 schemas::Rows& rows) {
  std::vector<schemas::RankRow> ranks;
  for (const auto& [name, view] : query.answers) {
    for (schemas::RankRow row : std::get<schemas::RanksView>(view).ranks) {
      row.site = name;
      ranks.push_back(std::move(row));
    }
  }
  if (!query.question.request) {
    rows.ranks = std::move(ranks);
  } else if (const Request* request = f.requests.Find(*query.question.request)) {
    rows.priority = PriorityOf(f, t, *request);
    rows.priority->at_sites = std::move(ranks);
  }
}

// The built-in limit of the federation on open jobs.
schemas::LimitRow OpenLimit(const ServiceLayer& f, const std::string& user) {
  std::string most = std::to_string(f.options.open_requests_per_user);
  for (size_t at = most.size(); at > 3; at -= 3) most.insert(at - 3, ",");
  return {.site = "*",
          .who = user,
          .what = "jobs",
          .used = static_cast<int64_t>(f.requests.OpenOf(user).size()),
          .limit = most,
          .when = "always",
          .if_exceeded = "refused"};
}

// The limits of the federation that bind the user, under each account and QoS that it may name.
std::vector<schemas::LimitRow> OwnLimits(const ServiceLayer& f, const Turn& t,
                                         const std::string& user) {
  std::vector<schemas::LimitRow> out{OpenLimit(f, user)};
  Credentials who{.user = user, .groups = GroupsNow(f, user, t.plan)};
  std::vector<std::string> accounts = AccountsOf(f.options.credentials, who);
  if (accounts.empty()) accounts.emplace_back();
  std::set<std::pair<const policy::Limit*, std::string>> seen;
  for (const std::string& account : accounts) {
    who.account = account;
    who.qos.clear();
    std::vector<std::string> qos = QosOf(f.options.credentials, who);
    qos.emplace_back();
    for (const std::string& name : qos) {
      who.qos = name;
      for (const Queue& queue : f.options.queues) {
        who.queue = queue.name;
        for (const LimitStands& one : LimitsOf(f, who, t.plan)) {
          if (!seen.insert({one.limit, one.consumer}).second) continue;
          const bool open = one.limit->on == policy::Limit::On::kOpen;
          out.push_back({.site = "*",
                         .who = one.consumer,
                         .what = one.limit->on == policy::Limit::On::kRunning
                                     ? one.limit->resource
                                     : std::string(open ? "open jobs" : "promised jobs"),
                         .used = one.used,
                         .limit = std::to_string(one.limit->items),
                         .when = one.limit->when,
                         .if_exceeded = open ? "refused"
                                        : one.limit->on == policy::Limit::On::kPromised
                                            ? "waits"
                                            : "later start"});
        }
      }
    }
  }
  return out;
}

// Names of the nodes at one site, without the site's name.
std::vector<std::string> NodesAt(const std::string& site, const std::vector<std::string>& nodes) {
  std::vector<std::string> out;
  for (const std::string& name : nodes) {
    if (name.starts_with(site + "/")) out.push_back(name.substr(site.size() + 1));
  }
  return out;
}

// Asks the sites; returns the gathering at once if no site has to be awaited.
std::optional<SiteQueries::Gathering> AskSites(ServiceLayer& f, Turn& t, const Asker& asker,
                                               SiteQuery query, const schemas::Inspect& what) {
  const uint64_t id = f.prover.NewOwner();
  query.kind = what.kind;
  const std::vector<std::string> sites = query.sites;
  const BootInstant until = t.boot() + f.options.values.answer_wait;
  f.inspections.Begin(id, ClientOf(asker), std::move(query), until);
  for (const std::string& name : sites) {
    Site& site = f.sites.at(name);
    if (!site.Listens()) continue;
    f.inspections.Ask(id, name);
    schemas::Inspect message = what;
    message.inspection = id;
    if (message.steer) message.steer->nodes = NodesAt(name, message.steer->nodes);
    Say(f, t, site, std::move(message));
  }
  return f.inspections.TakeComplete(id);
}

void Begin(ServiceLayer& f, Turn& t, const Asker& asker, SiteQuery query,
           const schemas::Inspect& what) {
  const auto done = AskSites(f, t, asker, std::move(query), what);
  if (done) AnswerInspection(f, t, *done);
}

bool TooMany(ServiceLayer& f, Turn& t, const Asker& asker) {
  const size_t out = f.inspections.CountOf(asker.user);
  if (out < schemas::kAsksPerUser) return false;
  Refuse(f, t, asker,
         {.code = "busy", .message = std::to_string(out) + " questions are out already"});
  return true;
}

}  // namespace

void AnswerInspection(ServiceLayer& f, Turn& t, const SiteQueries::Gathering& query) {
  const Asker asker = AskerOf(query.client);
  schemas::Rows rows;
  rows.as_of = t.plan;
  // A question about output or local jobs has one site, and needs its answer.
  const bool alone =
      query.question.kind == schemas::InspectKind::kOutput ||
      query.question.kind == schemas::InspectKind::kLocal ||
      query.question.kind == schemas::InspectKind::kShares ||
      (query.question.kind == schemas::InspectKind::kRanks && !query.question.request);
  if (alone && query.answers.empty()) {
    return Refuse(f, t, asker,
                  {.code = "unreachable",
                   .message = query.question.sites[0] + " has not answered",
                   .help = "what is asked for is kept there; try again"});
  }
  switch (query.question.kind) {
    case schemas::InspectKind::kBookings:
      AnswerBookings(f, t, query, rows);
      break;
    case schemas::InspectKind::kNodes:
      AnswerNodes(f, t, query, rows);
      break;
    case schemas::InspectKind::kSlots:
      AnswerSlots(query, rows);
      break;
    case schemas::InspectKind::kLocal:
      rows.jobs = std::get<schemas::LocalView>(query.answers.begin()->second).jobs;
      break;
    case schemas::InspectKind::kOutput: {
      const auto& output = std::get<schemas::OutputView>(query.answers.begin()->second);
      rows.output.push_back(
          {query.question.part, output.known, output.data, output.next, output.ended});
      break;
    }
    case schemas::InspectKind::kLimits:
      rows.limits = OwnLimits(f, t, query.client.user);
      for (const auto& [site, view] : query.answers) {
        const auto& limits = std::get<schemas::LimitsView>(view).limits;
        rows.limits.insert(rows.limits.end(), limits.begin(), limits.end());
      }
      break;
    case schemas::InspectKind::kShares:
      rows.shares = std::get<schemas::SharesView>(query.answers.begin()->second).shares;
      break;
    case schemas::InspectKind::kRanks:
      AnswerRanks(f, t, query, rows);
      break;
    case schemas::InspectKind::kSnapshot:
    case schemas::InspectKind::kOrder:  // asked for by forecasts
    case schemas::InspectKind::kMoves:
    case schemas::InspectKind::kExplain:
      break;  // answered by meta/service/node_operations.cc and meta/service/explain.cc
  }
  rows.basis = BasisOf(f, query.question.sites, t.plan);
  Reply(f, t, asker.user, asker.link, asker.number, std::move(rows));
}

std::optional<SiteQueries::Gathering> AskMoves(ServiceLayer& f, Turn& t, const Asker& asker,
                                               const schemas::Act& act,
                                               std::vector<std::string> sites,
                                               schemas::Steer steer) {
  if (TooMany(f, t, asker)) return std::nullopt;
  return AskSites(f, t, asker, {.sites = std::move(sites), .act = act},
                  {.kind = schemas::InspectKind::kMoves, .steer = std::move(steer)});
}

void AskLimits(ServiceLayer& f, Turn& t, const Asker& asker, std::vector<std::string> sites) {
  if (TooMany(f, t, asker)) return;
  schemas::Inspect what{.kind = schemas::InspectKind::kLimits};
  what.user = asker.user;
  what.groups = GroupsNow(f, asker.user, t.plan);
  Begin(f, t, asker, {.sites = std::move(sites)}, what);
}

void AskBookings(ServiceLayer& f, Turn& t, const Asker& asker, std::vector<std::string> sites) {
  if (TooMany(f, t, asker)) return;
  Begin(f, t, asker, {.sites = std::move(sites)}, {.kind = schemas::InspectKind::kBookings});
}

void AskNodes(ServiceLayer& f, Turn& t, const Asker& asker, std::vector<std::string> sites) {
  if (TooMany(f, t, asker)) return;
  Begin(f, t, asker, {.sites = std::move(sites)}, {.kind = schemas::InspectKind::kNodes});
}

void AskSlots(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Get& get) {
  if (!get.spec || get.spec->parts.size() != 1) {
    return Refuse(f, t, asker,
                  {.code = "usage",
                   .message = "free windows are shown for a request of one part",
                   .help = "as in muster slots -l 2:ncpus=4 -t 20m"});
  }
  schemas::RequestSpec spec = *get.spec;
  NameProperties(f, spec);
  FillDuration(f, spec, asker.user);
  auto wrong = CheckCounts(f, asker.user, t.plan);
  if (!wrong) wrong = CheckRequest(f, spec, t.plan, false);
  if (!wrong) wrong = EnterCredentials(f, spec, asker.user, t.plan);
  if (!wrong) wrong = EnterReservation(f, spec, asker.user, t.plan);
  if (wrong) {
    wrong->changed.clear();
    return Refuse(f, t, asker, std::move(*wrong));
  }
  if (auto never = NeverRuns(f, spec, asker.user, t.plan)) {
    never->changed.clear();
    return Refuse(f, t, asker, std::move(*never));
  }
  const IntervalSet allowed = StartsFrom(f, t, spec, asker.user, false);
  std::vector<std::string> up = UpSites(f, spec, 0);
  if (up.empty()) {
    const auto sites = partitioner::EligibleSites(spec.parts[0], f.site_names);
    const schemas::Reason why = SilentReason(f, sites, t.plan);
    const bool silent = why.code == schemas::ReasonCode::kSilent;
    return Refuse(f, t, asker, {.code = silent ? "unreachable" : "disk-full", .message = why.text});
  }
  if (allowed.empty()) {
    return Refuse(f, t, asker, NoStarts(f, t, spec, asker.user));
  }
  if (const auto kept = WhyNoRoomBeyondBalances(f, spec, asker.user)) {
    return Refuse(f, t, asker,
                  {.code = "busy",
                   .message = "no site promises " + asker.user + " a start just now",
                   .detail = kept->text});
  }
  std::erase_if(up,
                [&](const std::string& site) { return KeepsRoomFrom(f, spec, asker.user, site); });
  if (TooMany(f, t, asker)) return;
  schemas::Inspect what{.kind = schemas::InspectKind::kSlots};
  schemas::ProposalEntry entry;
  entry.parts = {partitioner::DemandOf(spec, 1, Span{0})};
  SayWho(entry, f, spec, asker.user, t.plan);
  entry.allowed = allowed;
  entry.asked = allowed.intervals()[0].begin;
  entry.want_starts = true;
  what.entry = std::move(entry);
  what.until = get.until.value_or(t.NowCeiling() + Span{86400});
  Begin(f, t, asker, {.sites = up}, what);
}

void AskLocals(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Get& get) {
  if (get.sites.size() != 1) {
    return Refuse(f, t, asker, {.code = "usage", .message = "jobs of one site at a time"});
  }
  if (TooMany(f, t, asker)) return;
  Begin(f, t, asker, {.sites = get.sites},
        {.kind = schemas::InspectKind::kLocal, .locals = get.locals});
}

void AskSiteShares(ServiceLayer& f, Turn& t, const Asker& asker, std::string site) {
  if (TooMany(f, t, asker)) return;
  Begin(f, t, asker, {.sites = {std::move(site)}}, {.kind = schemas::InspectKind::kShares});
}

void AskRanks(ServiceLayer& f, Turn& t, const Asker& asker, std::string site) {
  if (TooMany(f, t, asker)) return;
  Begin(f, t, asker, {.sites = {std::move(site)}}, {.kind = schemas::InspectKind::kRanks});
}

bool AskPlaces(ServiceLayer& f, Turn& t, const Asker& asker, const Request& request) {
  if (!request.record().attempt || HasStarted(request)) return false;
  const auto attempt = f.attempts.find(*request.record().attempt);
  if (attempt == f.attempts.end()) return false;
  std::vector<std::string> sites;
  for (const std::string& name : attempt->second.record().members) {
    const Site& site = f.sites.at(name);
    if (site.Listens() && site.Can(schemas::kOrdersByPoints)) sites.push_back(name);
  }
  if (sites.empty()) return false;
  if (TooMany(f, t, asker)) return true;
  Begin(f, t, asker, {.sites = std::move(sites), .request = request.id()},
        {.kind = schemas::InspectKind::kRanks, .fence = attempt->first});
  return true;
}

// Output of a job submitted at the site itself. Only the site knows the owner, so here only
// operators may read it.
void AskLocalOutput(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Get& get) {
  if (get.sites.size() != 1 || get.locals.size() != 1) {
    return Refuse(f, t, asker, {.code = "usage", .message = "output of one job at a time"});
  }
  if (!IsOperator(f, asker.user)) {
    return Refuse(
        f, t, asker,
        {.code = "denied",
         .message = "output of jobs that were submitted at " + get.sites[0] + " is read there",
         .help = "muster --via " + get.sites[0] + " logs"});
  }
  if (TooMany(f, t, asker)) return;
  const std::string part = get.sites[0] + "/" + std::to_string(get.locals[0]) + "." +
                           std::to_string(std::max<uint32_t>(get.part, 1));
  Begin(f, t, asker, {.sites = get.sites, .part = part},
        {.kind = schemas::InspectKind::kOutput,
         .part = std::max<uint32_t>(get.part, 1),
         .error_stream = get.error_stream,
         .offset = get.offset,
         .locals = get.locals});
}

void AskOutput(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Get& get) {
  if (!get.locals.empty()) return AskLocalOutput(f, t, asker, get);
  if (get.requests.size() != 1) {
    return Refuse(f, t, asker, {.code = "usage", .message = "output of one job at a time"});
  }
  const RequestId id = get.requests[0];
  const Request* request = f.requests.Find(id);
  if (!request) return Refuse(f, t, asker, NoSuchJob(id, ""));
  const std::string& owner = request->record().requester.user;
  if (owner != asker.user && !IsOperator(f, asker.user)) {
    return Refuse(f, t, asker,
                  {.code = "denied",
                   .message = "job " + ToText(id) + " belongs to " + owner + "; you are " +
                              asker.user + ", role user"});
  }
  const uint32_t part = get.part == 0 ? 1 : get.part;
  if (part > request->record().spec.parts.size()) {
    return Refuse(f, t, asker,
                  {.code = "not-found",
                   .message = "job " + ToText(id) + " has " +
                              std::to_string(request->record().spec.parts.size()) +
                              " parts; no part " + std::to_string(part)});
  }
  const std::string shown = ToText(id) + "." + std::to_string(part);
  const std::optional<PartPlaceNow> place = PlaceOf(f, *request, part);
  if (!place) {
    schemas::Rows rows;
    rows.as_of = t.plan;
    // Nothing has run yet, or nothing ever will.
    rows.output.push_back({shown, false, "", 0, request->Ended()});
    return Reply(f, t, asker.user, asker.link, asker.number, std::move(rows));
  }
  if (TooMany(f, t, asker)) return;
  Begin(f, t, asker, {.sites = {place->site}, .part = shown},
        {.kind = schemas::InspectKind::kOutput,
         .request = id,
         .fence = place->fence,
         .part = part,
         .error_stream = get.error_stream,
         .offset = get.offset});
}

std::optional<BootInstant> NextInspectionEnd(const ServiceLayer& f) {
  return f.inspections.NextEnd();
}

}  // namespace muster::meta
