// The record follows only what the site reports that a running part got.
#include "meta/service/altered_running.h"

#include <algorithm>
#include <utility>

#include "base/units.h"
#include "meta/attempts/shadows.h"
#include "meta/requests/figures.h"
#include "meta/requests/request_outcome.h"
#include "meta/requests/reservations.h"
#include "meta/requests/site_speeds.h"
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

// The alteration that awaits the answer to this order; null if there is none any more.
Altering* Waiting(ServiceLayer& f, uint64_t order) {
  for (const uint64_t number : f.alters.numbers()) {
    Altering* altering = f.alters.FindQuestion(number);
    if (altering->orders.contains(order)) return altering;
  }
  return nullptr;
}

}  // namespace

std::optional<Refused> AlterRunning(ServiceLayer& f, Turn& t, uint64_t number, Request& request,
                                    const schemas::RequestSpec& next) {
  const auto change = ChangeOfRunning(request.record().spec, next);
  if (!change) return Cannot(request);
  const std::string text = ChangeText(request.record().spec, next);
  Altering& altering = *f.alters.FindQuestion(number);
  if (altering.only_try) {
    DecideAltered(f, number, request.id(), text);
    return std::nullopt;
  }
  const Attempt& attempt = f.attempts.at(*request.record().attempt);
  for (const std::string& name : attempt.record().members) {
    if (f.sites.at(name).Up()) continue;
    return Refused{.code = "unreachable",
                   .message = SilentReason(f, {name}, t.plan).text,
                   .changed = "nothing was changed"};
  }
  const auto tell = [&](uint32_t part, Steer steer) {
    // For an operator, a site allows an extension beyond its bound.
    const std::string& user = f.alters.Find(number)->client.user;
    steer.who = (IsOperator(f, user) ? "operator:" : "user:") + user;
    steer.fence = attempt.fence();
    steer.part = part;
    altering.orders.insert(
        GiveSteer(f, t, attempt.record().part_sites[part - 1], std::move(steer)));
  };
  for (uint32_t part = 1; change->longer > Span{0} && part <= attempt.record().part_sites.size();
       ++part) {
    const std::string& site = attempt.record().part_sites[part - 1];
    const Span longer = LengthAt(f, next, site) - LengthAt(f, request.record().spec, site);
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
  if (request && steered.done && steer.part > 0 &&
      steer.part <= request->record().spec.parts.size()) {
    schemas::RequestSpec& spec = f.requests.Edit(*request).spec;
    // All parts have one duration; the answer for the first part changes it.
    if (steer.verb == SteerVerb::kExtend && steer.part == 1) {
      const std::string& site = it->second.record().part_sites[0];
      spec.duration = ReferenceOf(f, spec, site, LengthAt(f, spec, site) + steer.span);
      t.moved.insert(request->id());
      for (const std::string& name : it->second.record().members) {
        const schemas::MirrorRecord* hold = f.sites.at(name).mirror.Find(steer.fence);
        if (hold) BookShadow(f, it->second, name, hold->start);
      }
      TellFigures(f, *request, FiguresNow(f, *request, t.plan),
                  schemas::Cause{schemas::CauseCode::kUser, {}, steer.who}, t.plan);
    }
    std::vector<schemas::Chunk>& chunks = spec.parts[steer.part - 1].chunks;
    for (size_t i = 0; i < chunks.size() && i < steer.counts.size(); ++i) {
      chunks[i].count = static_cast<uint32_t>(steer.counts[i]);
    }
    AddEvent(f, t, *request, "altered", steered.text, "", steer.part);
    TellThoseInside(f, *request);
  }
  Altering* altering = Waiting(f, steer.order);
  if (!altering || !request) return;
  altering->orders.erase(steer.order);
  std::string& note = altering->answered[request->id()];
  note += (note.empty() ? "" : "; ") + std::string(steered.done ? "" : "not done: ") + steered.text;
  if (!altering->orders.empty()) return;
  const std::string all = note;
  if (steered.done) {
    NoteAltered(f, t, request->id(), all);
  } else {
    NoteNotAltered(f, t, request->id(),
                   {.code = "conflict", .message = all, .changed = "nothing was changed"});
  }
}

}  // namespace muster::meta
