// The search itself is the ordinary one. This file begins and ends it.
#include "meta/search/replacement.h"

#include <string>
#include <utility>

#include "base/units.h"
#include "meta/attempts/attempt_orders.h"
#include "meta/attempts/closing.h"
#include "meta/requests/rank.h"
#include "meta/requests/request_outcome.h"
#include "meta/requests/start_conditions.h"
#include "meta/requests/trials.h"
#include "meta/search/move_gain.h"
#include "verifier/alteration.h"

namespace muster::meta {
namespace {

using schemas::Refused;
using schemas::RequestSpec;
using schemas::RequestState;

Refused Clash(const Request& request, const std::string& why) {
  return {.code = "conflict", .message = Named(request) + " " + why};
}

// Restores the request to what it was before the search.
void GiveUp(SearchLayer& f, Turn& t, Request& request) {
  const bool elsewhere = request.TriesElsewhere();
  EndTrial(f, request);
  f.searches.StartAsBefore(request.id());
  if (!request.record().attempt) return;
  const auto it = f.attempts.find(*request.record().attempt);
  const bool lost = it == f.attempts.end() || it->second.state() == schemas::AttemptState::kClosed;
  if (!lost && it->second.endangered && request.Wanted()) {
    // C7 happened meanwhile, so another place is sought for the original request.
    request.replacing = it->first;
    if (!request.seeking) f.room.Ready(RankOf(request));
  }
  if (!lost || request.Ended() || request.Cancelling()) return;
  // The old place was released for the new one, and the new one was then lost.
  const Fence gone = *request.record().attempt;
  schemas::Cause cause{schemas::CauseCode::kUser, {}, "user:" + request.record().requester.user};
  if (elsewhere) cause = {schemas::CauseCode::kSiteSilent, {}, "meta"};
  PlaceAgain(f, t, request, cause, "placed again");
  if (it != f.attempts.end()) EraseAttempt(f, gone);
}

// Whether the unchanged request may leave `place` for this start.
bool IsWorthIt(const SearchLayer& f, const Turn& t, const Request& request, const Attempt& place,
               const std::string& site, Instant start) {
  if (!request.GivesWay()) return IsWorthAMove(f, t, request, place.record().start, start);
  return site != place.record().members[0] && start <= LastToGiveWay(f, place, site);
}

void Fails(SearchLayer& f, Turn& t, Request& request, Refused why) {
  const bool told = !request.TriesElsewhere();
  GiveUp(f, t, request);
  if (told) f.requests.Tell(NotAltered{request.id(), std::move(why)});
}

}  // namespace

void SeekAltered(SearchLayer& f, Request& request, RequestSpec next, Trial trial) {
  f.dependents.Change(request.id(), request.record().spec, next);
  f.requests.Try(request, std::move(next), trial);
  request.replacing = request.record().attempt;
  f.searches.StartAsAnother(request.id());
  f.room.Remove(request.id());
  f.room.Ready(RankOf(request));
}

void SeekElsewhere(SearchLayer& f, Request& request) {
  SeekAltered(f, request, RequestSpec(request.record().spec), {.purpose = Trial::For::kElsewhere});
}

void SeekToGiveWay(SearchLayer& f, Request& request) {
  SeekAltered(f, request, RequestSpec(request.record().spec), {.purpose = Trial::For::kGivesWay});
}

bool MayTakeAltered(SearchLayer& f, Turn& t, Request& request, const std::string& site,
                    Instant start) {
  const auto old =
      request.record().attempt ? f.attempts.find(*request.record().attempt) : f.attempts.end();
  const bool elsewhere = request.TriesElsewhere();
  if (elsewhere && old != f.attempts.end() && IsWorthIt(f, t, request, old->second, site, start)) {
    return true;
  }
  if (elsewhere || old == f.attempts.end()) {
    GiveUp(f, t, request);
    return false;
  }
  const Instant before = old->second.record().start;
  const std::string text = verifier::ChangeText(*request.before(), request.record().spec);
  if (start != before) {
    f.requests.Tell(
        AlteredStart{request.id(),
                     {.job = ShownId(request), .before = before, .after = start, .because = text}});
  }
  const Trial trial = request.trial();
  if (trial.purpose == Trial::For::kWhatIf) {
    GiveUp(f, t, request);
    f.requests.Tell(Altered{request.id(), text});
    return false;
  }
  if (start <= before || trial.may_move) return true;
  Fails(f, t, request,
        {.code = "conflict",
         .message = "this would move 1 promise, by up to " + DurationText(start - before),
         .detail = ShownId(request),
         .help = "see 'muster whatif alter …'; go ahead with --yes"});
  return false;
}

void AlterFails(SearchLayer& f, Turn& t, Request& request, Refused why) {
  if (request.before()) Fails(f, t, request, std::move(why));
}

void AlterFails(SearchLayer& f, Turn& t, Request& request, const schemas::Reason& why, bool never) {
  AlterFails(f, t, request,
             {.code = never ? "never" : "conflict",
              .message = "there is no place for " + Named(request) + " as altered",
              .detail = why.text});
}

void LeavePlace(SearchLayer& f, Turn& t, Request& request, Attempt& attempt) {
  Attempt& old = f.attempts.at(*attempt.record().replaces);
  if (old.released) return;
  if (request.state() == RequestState::kRunning || request.state() == RequestState::kStarting) {
    return StaysAsItIs(f, t, request);
  }
  schemas::Cause cause{schemas::CauseCode::kUser, {}, "user:" + request.record().requester.user};
  if (request.TriesElsewhere()) {
    const std::string& site = attempt.record().members[0];
    const schemas::MirrorRecord* hold = f.sites.at(site).mirror.Find(attempt.fence());
    // The old site may have moved the request earlier meanwhile, or be out of reach.
    const std::string& here = old.record().members[0];
    const Instant last =
        request.GivesWay() ? LastToGiveWay(f, old, site) : old.record().start - kLeastAtOnce;
    if (!f.sites.at(here).Up() || hold->start > last) {
      return AlterFails(f, t, request, Clash(request, "is as early where it is"));
    }
    cause = {schemas::CauseCode::kBackfilled, {.site = site}, "meta"};
  }
  Release(f, old, cause);
  old.gives_way = true;
  old.repeat_at = t.boot();  // sent in this turn
  f.attempts.Touch(old.fence());
  f.requests.Tell(AlterationWaits{request.id(), attempt.answers_until});
}

void StaysAsItIs(SearchLayer& f, Turn& t, Request& request) {
  AlterFails(f, t, request, Clash(request, "has started meanwhile"));
}

bool KeepsItsPlace(SearchLayer& f, const Turn& t, Request& request, std::optional<Instant> start) {
  const std::optional<Instant> place = SoundPlace(f, t, request);
  if (!place || (start && *start < *place)) return false;
  f.attempts.at(*request.replacing).moved_by = {};
  request.replacing.reset();
  return true;
}

}  // namespace muster::meta
