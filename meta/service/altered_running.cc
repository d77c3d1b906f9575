// The record of a running request changes only when a site reports that a part was changed.
#include "meta/service/altered_running.h"

#include <algorithm>
#include <utility>

#include "base/units.h"
#include "meta/attempts/shadows.h"
#include "meta/requests/credits.h"
#include "meta/requests/figures.h"
#include "meta/requests/request_outcome.h"
#include "meta/requests/reservations.h"
#include "meta/requests/site_speeds.h"
#include "meta/requests/spanning_limits.h"
#include "meta/requests/timeline.h"
#include "meta/service/alter_answers.h"
#include "meta/service/asker.h"
#include "meta/service/site_orders.h"
#include "verifier/alteration.h"

namespace muster::meta {
namespace {

using schemas::Refused;
using schemas::Steer;
using schemas::SteerVerb;
using verifier::ChangeOfRunning;
using verifier::ChangeText;

Refused Cannot(const Request& request) {
  return {.code = "conflict",
          .message = Named(request) + " runs already",
          .help = "a running job can get more time (-t) and other counts of malleable chunks",
          .changed = "nothing was changed"};
}

// The orders about this request of which `order` is still open; null if no alteration awaits it.
AlteredAtSites* Waiting(ServiceLayer& f, RequestId id, uint64_t order) {
  for (const uint64_t number : f.alters.numbers()) {
    auto& running = f.alters.FindQuestion(number)->running;
    const auto it = running.find(id);
    if (it != running.end() && it->second.open.contains(order)) return &it->second;
  }
  return nullptr;
}

// Sets no more aside than the request costs, once no order about it is open any more.
void EaseLienUnlessSteered(ServiceLayer& f, Request& request, const Attempt& attempt) {
  for (const auto& [order, record] : f.node_orders.all()) {
    if (record.steer.fence == attempt.fence()) return;
  }
  EaseLien(f, request, attempt);
}

void Append(std::string& list, const std::string& text) {
  list += (list.empty() ? "" : "; ") + text;
}

}  // namespace

std::optional<Refused> AlterRunning(ServiceLayer& f, Turn& t, uint64_t number, Request& request,
                                    const schemas::RequestSpec& next) {
  const auto change = ChangeOfRunning(request.record().spec, next);
  if (!change) return Cannot(request);
  const std::string text = ChangeText(request.record().spec, next);
  Altering& altering = *f.alters.FindQuestion(number);
  const Attempt& attempt = f.attempts.at(*request.record().attempt);
  for (const std::string& name : attempt.record().members) {
    if (f.sites.at(name).Up()) continue;
    return Refused{.code = "unreachable",
                   .message = SilentReason(f, {name}, t.plan).text,
                   .changed = "nothing was changed"};
  }
  if (const auto why = WhyNoMore(f, request, attempt, next, t.plan)) {
    return Refused{.code = "conflict", .message = why->text, .changed = "nothing was changed"};
  }
  // More than it had costs more: that must be set aside before a site gives it.
  if (const auto why = RaiseLien(f, request, attempt, next, altering.only_try, t.plan)) {
    return Refused{.code = "conflict",
                   .message = why->text,
                   .help = "muster account shows what it has",
                   .changed = "nothing was changed"};
  }
  if (altering.only_try) {
    DecideAltered(f, number, request.id(), text);
    return std::nullopt;
  }
  const auto tell = [&](uint32_t part, Steer steer) {
    // A site lets only operators extend a part beyond the bound that the site sets.
    const std::string& user = f.alters.Find(number)->client.user;
    steer.who = (IsOperator(f, user) ? "operator:" : "user:") + user;
    steer.fence = attempt.fence();
    steer.part = part;
    altering.running[request.id()].open.insert(
        GiveSteer(f, t, attempt.record().part_sites[part - 1], std::move(steer)));
  };
  for (uint32_t part = 1; change->longer > Span{0} && part <= attempt.record().part_sites.size();
       ++part) {
    const std::string& site = attempt.record().part_sites[part - 1];
    const Span longer = AskedAt(f, next, site) - AskedAt(f, request.record().spec, site);
    if (longer > Span{0}) tell(part, {.verb = SteerVerb::kExtend, .span = longer});
  }
  for (const auto& [part, counts] : change->counts) {
    tell(part, {.verb = SteerVerb::kResize, .counts = counts});
  }
  f.alters.Ask(number, request.id());
  return std::nullopt;
}

void ShareReservation(ServiceLayer& f, Turn& t, const Request& request, const std::string& user) {
  if (!request.record().attempt) return;
  const Attempt& attempt = f.attempts.at(*request.record().attempt);
  for (const std::string& name : attempt.record().members) {
    GiveSteer(f, t, name,
              {.who = "user:" + user,
               .verb = SteerVerb::kShare,
               .fence = attempt.fence(),
               .allow = request.record().spec.reserves->allow});
  }
}

void OnAlteredRunning(ServiceLayer& f, Turn& t, const Steer& steer,
                      const schemas::Steered& steered) {
  const auto it = f.attempts.find(steer.fence);
  Request* request =
      it == f.attempts.end() ? nullptr : f.requests.Find(it->second.record().request);
  if (request && !request->Ended() && steered.done && steer.part > 0 &&
      steer.part <= request->record().spec.parts.size()) {
    schemas::RequestSpec& spec = f.requests.Edit(*request).spec;
    // All parts have one duration; the answer for the first part changes it.
    if (steer.verb == SteerVerb::kExtend && steer.part == 1) {
      const std::string& site = it->second.record().part_sites[0];
      spec.duration = ReferenceOf(f, spec, site, AskedAt(f, spec, site) + steer.span);
      t.moved.insert(request->id());
      for (const std::string& name : it->second.record().members) {
        const schemas::MirrorRecord* hold = f.sites.at(name).mirror.Find(steer.fence);
        if (hold) BookShadow(f, it->second, name, hold->start);
      }
      TellFigures(f, *request, FiguresNow(f, *request, t.plan),
                  schemas::Cause{schemas::CauseCode::kUser, {}, steer.who}, t.plan);
    }
    if (steer.verb == SteerVerb::kResize) AccrueLien(f, *request, it->second, steer.part, t.plan);
    std::vector<schemas::Chunk>& chunks = spec.parts[steer.part - 1].chunks;
    for (size_t i = 0; i < chunks.size() && i < steer.counts.size(); ++i) {
      chunks[i].count = static_cast<uint32_t>(steer.counts[i]);
    }
    // What counts under limits over all sites follows.
    for (const std::string& name : it->second.record().members) {
      const schemas::MirrorRecord* hold = f.sites.at(name).mirror.Find(steer.fence);
      if (hold) CountBooking(f, *request, it->second, name, hold->start);
    }
    AddEvent(f, t, *request, "altered", steered.text, "", steer.part);
    TellThoseInside(f, *request);
  }
  // What was raised for what the sites have refused, or given in part, is free again.
  if (request) EaseLienUnlessSteered(f, *request, it->second);
  AlteredAtSites* at_sites = request ? Waiting(f, request->id(), steer.order) : nullptr;
  if (!at_sites) return;
  at_sites->open.erase(steer.order);
  Append(steered.done ? at_sites->done : at_sites->refused, steered.text);
  if (!at_sites->open.empty()) return;
  if (at_sites->refused.empty()) {
    NoteAltered(f, t, request->id(), std::string(at_sites->done));
    return;
  }
  const std::string& done = at_sites->done;
  NoteNotAltered(
      f, t, request->id(),
      {.code = "conflict",
       .message = done.empty() ? at_sites->refused
                               : "only in part: " + done + "; not done: " + at_sites->refused,
       .changed = done.empty() ? "nothing was changed" : done});
}

}  // namespace muster::meta
