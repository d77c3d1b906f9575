// One gathering per question; it answers when all sites have, or when their time is up.
#include "meta/inspections.h"

#include <algorithm>

#include "meta/figures.h"
#include "meta/job_view.h"

namespace muster::meta {
namespace {

void AnswerBookings(Federation& f, Turn& t, const InspectPending& pending, schemas::Rows& rows) {
  for (const std::string& name : pending.sites) {
    const Site& site = f.sites.at(name);
    schemas::GanttSite row;
    row.name = name;
    row.stale = !pending.views.contains(name);
    if (site.bookings) {
      row.nodes = site.bookings->nodes;
      row.bookings = site.bookings->bookings;
      row.age_s = static_cast<double>(t.plan.milliseconds - site.bookings_at.milliseconds) / 1000;
    }
    rows.gantt.push_back(std::move(row));
  }
  rows.basis = BasisOf(f, pending.sites, t.plan);
}

void Answer(Federation& f, Turn& t, const InspectPending& pending) {
  const Asker asker{pending.user, pending.link, pending.number};
  schemas::Rows rows;
  rows.as_of = t.plan;
  if (pending.kind == schemas::InspectKind::kBookings) {
    AnswerBookings(f, t, pending, rows);
  } else {
    const auto view = pending.views.find(pending.sites[0]);
    if (view == pending.views.end()) {
      return Refuse(f, t, asker,
                    {.code = "unreachable",
                     .message = pending.sites[0] + " has not answered",
                     .help = "its output is kept there; try again"});
    }
    const auto& output = std::get<schemas::OutputView>(view->second);
    rows.output.push_back({pending.part, output.known, output.data, output.next, output.ended});
  }
  Reply(f, t, asker.user, asker.link, asker.number, std::move(rows));
}

void Finish(Federation& f, Turn& t, std::map<uint64_t, InspectPending>::iterator it) {
  const InspectPending done = std::move(it->second);
  f.inspections.erase(it);
  Answer(f, t, done);
}

void Begin(Federation& f, Turn& t, InspectPending pending, const schemas::Inspect& what) {
  const uint64_t id = ++f.last_owner;
  pending.until = t.boot() + f.options.values.answer_wait;
  for (const std::string& name : pending.sites) {
    Site& site = f.sites.at(name);
    if (!site.Listens()) continue;
    pending.out.insert(name);
    schemas::Inspect message = what;
    message.inspection = id;
    Say(f, t, site, std::move(message));
  }
  const auto it = f.inspections.emplace(id, std::move(pending)).first;
  if (it->second.out.empty()) Finish(f, t, it);
}

bool TooMany(Federation& f, Turn& t, const Asker& asker) {
  const auto out =
      std::count_if(f.inspections.begin(), f.inspections.end(),
                    [&](const auto& other) { return other.second.user == asker.user; });
  if (static_cast<size_t>(out) < schemas::kAsksPerUser) return false;
  Refuse(f, t, asker,
         {.code = "busy", .message = std::to_string(out) + " questions are out already"});
  return true;
}

}  // namespace

void AskBookings(Federation& f, Turn& t, const Asker& asker, std::vector<std::string> sites) {
  if (TooMany(f, t, asker)) return;
  InspectPending pending{.user = asker.user, .link = asker.link, .number = asker.number};
  pending.kind = schemas::InspectKind::kBookings;
  pending.sites = std::move(sites);
  Begin(f, t, std::move(pending), {.kind = schemas::InspectKind::kBookings});
}

void AskOutput(Federation& f, Turn& t, const Asker& asker, const schemas::Get& get) {
  if (get.requests.size() != 1) {
    return Refuse(f, t, asker, {.code = "usage", .message = "output of one job at a time"});
  }
  const RequestId id = get.requests[0];
  const Request* request = f.requests.Find(id);
  if (!request) return Refuse(f, t, asker, NoSuchJob(id, ""));
  const std::string& owner = request->record.requester.user;
  if (owner != asker.user && !IsOperator(f, asker.user)) {
    return Refuse(f, t, asker,
                  {.code = "denied",
                   .message = "job " + std::to_string(id.value) + " belongs to " + owner +
                              "; you are " + asker.user + ", role user"});
  }
  const uint32_t part = get.part == 0 ? 1 : get.part;
  if (part > request->record.spec.parts.size()) {
    return Refuse(f, t, asker,
                  {.code = "not-found",
                   .message = "job " + std::to_string(id.value) + " has " +
                              std::to_string(request->record.spec.parts.size()) +
                              " parts; no part " + std::to_string(part)});
  }
  InspectPending pending{.user = asker.user, .link = asker.link, .number = asker.number};
  pending.kind = schemas::InspectKind::kOutput;
  pending.part = std::to_string(id.value) + "." + std::to_string(part);
  const std::optional<PartPlaceNow> place = PlaceOf(f, *request, part);
  if (!place) {
    schemas::Rows rows;
    rows.as_of = t.plan;
    // Nothing ran and nothing will, or nothing has yet.
    rows.output.push_back({pending.part, false, "", 0, request->Ended()});
    return Reply(f, t, asker.user, asker.link, asker.number, std::move(rows));
  }
  if (TooMany(f, t, asker)) return;
  pending.sites = {place->site};
  Begin(f, t, std::move(pending),
        {.kind = schemas::InspectKind::kOutput,
         .request = id,
         .fence = place->fence,
         .part = part,
         .error_stream = get.error_stream,
         .offset = get.offset});
}

void OnView(Federation& f, Turn& t, Site& site, const schemas::View& view) {
  const auto it = f.inspections.find(view.inspection);
  if (it == f.inspections.end() || !it->second.out.contains(site.name)) return;
  InspectPending& pending = it->second;
  const bool bookings = std::holds_alternative<schemas::BookingsView>(view.what);
  if (bookings != (pending.kind == schemas::InspectKind::kBookings)) return;
  pending.out.erase(site.name);
  if (bookings) {
    site.bookings = std::get<schemas::BookingsView>(view.what);
    site.bookings_at = t.plan;
  }
  pending.views[site.name] = view.what;
  if (pending.out.empty()) Finish(f, t, it);
}

void EndInspectionsOf(Federation& f, Turn& t, const std::string& site) {
  for (auto it = f.inspections.begin(); it != f.inspections.end();) {
    const auto next = std::next(it);
    if (it->second.out.erase(site) > 0 && it->second.out.empty()) Finish(f, t, it);
    it = next;
  }
}

void EndOverdueInspections(Federation& f, Turn& t) {
  for (auto it = f.inspections.begin(); it != f.inspections.end();) {
    const auto next = std::next(it);
    if (it->second.until <= t.boot()) Finish(f, t, it);
    it = next;
  }
}

std::optional<BootInstant> NextInspectionEnd(const Federation& f) {
  std::optional<BootInstant> next;
  for (const auto& [id, pending] : f.inspections) {
    if (!next || pending.until < *next) next = pending.until;
  }
  return next;
}

}  // namespace muster::meta
