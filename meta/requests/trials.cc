// The alteration that awaits the result gets it as AlterationNews.
#include "meta/requests/trials.h"

#include <string>
#include <utility>

#include "meta/requests/credits.h"
#include "meta/requests/points.h"
#include "meta/requests/reservations.h"
#include "meta/requests/spanning_limits.h"
#include "meta/requests/timeline.h"
#include "verifier/alteration.h"

namespace muster::meta {
namespace {

using verifier::ChangeText;

// Makes the tried specification the request's own. `lost`: the request has meanwhile lost the place
// that it was to keep.
void Take(RequestsLayer& f, Turn& t, Request& request, bool lost) {
  const std::string text = ChangeText(*request.before(), request.record().spec);
  CountWait(f, request, t.plan);
  f.requests.TakeTried(request);
  request.priority = f.requests.PriorityOf(request.record().spec.queue);
  CountOpen(f, request, t.plan);
  if (lost) AskAnew(f, request);
  AddEvent(f, t, request, "altered", text);
  // The answer shows the new figures: it is sent with this turn, after the batch.
  f.requests.Tell(Altered{request.id(), text, lost});
  TellThoseInside(f, request);
}

}  // namespace

void TakeAltered(RequestsLayer& f, Turn& t, Request& request) { Take(f, t, request, false); }

void EndTrial(RequestsLayer& f, Request& request) {
  f.dependents.Change(request.id(), request.record().spec, *request.before());
  f.requests.EndTry(request);
  request.replacing.reset();
  f.attempts.Tell(AsBefore{request.id()});
  f.room.Remove(request.id());
  if (request.seeking) f.attempts.Touch(*request.seeking);
  if (request.record().attempt) f.attempts.Touch(*request.record().attempt);
}

void EndAlteration(RequestsLayer& f, Request& request, schemas::Refused why) {
  if (!request.before()) return;
  const bool told = !request.TriesElsewhere();
  EndTrial(f, request);
  if (told) f.requests.Tell(NotAltered{request.id(), std::move(why)});
}

void SettleTrial(RequestsLayer& f, Turn& t, Request& request) {
  if (!request.before()) return;
  if (request.TriesElsewhere()) return EndTrial(f, request);
  if (request.trial().purpose == Trial::For::kWhatIf) {
    std::string text = ChangeText(*request.before(), request.record().spec);
    EndTrial(f, request);
    return f.requests.Tell(Altered{request.id(), std::move(text), true});
  }
  // The hold being sought is for the specification that the request has from now on.
  if (request.seeking) f.attempts.at(*request.seeking).altered = false;
  Take(f, t, request, true);
}

}  // namespace muster::meta
