// Each turn continues each pass by a bounded piece.
#include "meta/search/moves.h"

#include <algorithm>

#include "meta/requests/horizon.h"
#include "meta/requests/start_conditions.h"
#include "meta/search/joint_moves.h"
#include "meta/search/move_gain.h"
#include "meta/search/relocation.h"
#include "meta/search/replacement.h"
#include "verifier/attempt_table.h"

namespace muster::meta {
namespace {

constexpr size_t kLooks = 64;     // requests looked at per turn
constexpr size_t kSearches = 16;  // searches begun per pass

bool IsAnybody(const Request&) { return true; }
bool IsOfOnePart(const Request& request) { return request.record().spec.parts.size() == 1; }

bool MayMove(SearchLayer& f, const Turn& t, const Request& request, const Attempt& attempt,
             Gain gain) {
  if (IsOfOnePart(request)) return MayGoElsewhere(f, t, request, attempt, gain);
  return MayMoveJointly(f, t, request, attempt);
}

void GoOn(SearchLayer& f, Turn& t, MovePass& pass, Gain gain) {
  for (size_t looked = 0; looked < kLooks; ++looked) {
    const std::optional<RequestId> next = pass.Next();
    if (!next) return;
    Request* request = f.requests.Find(*next);
    const Attempt* attempt = request ? Movable(f, t, *request) : nullptr;
    if (attempt == nullptr) continue;
    request->nearest = NearestStart(f, t, *request);
    if (!MayMove(f, t, *request, *attempt, gain)) continue;
    // The offers are used up, whatever the search finds.
    f.attempts.at(attempt->fence()).offers.clear();
    SeekElsewhere(f, *request);
    pass.Sought(kSearches);
  }
  // Continue without delay: room that is free now may be gone later.
  if (pass.running()) t.WakeBy(t.boot());
}

bool IsUp(const SearchLayer& f, const Attempt& attempt) {
  return std::all_of(attempt.record().members.begin(), attempt.record().members.end(),
                     [&f](const std::string& site) { return f.sites.at(site).Up(); });
}

}  // namespace

void SeekMoves(SearchLayer& f, Turn& t) {
  const bool queued = f.block || f.room.queues().size() > 0;
  f.moves.at_once.NoteQueued(queued);
  f.moves.later.NoteQueued(queued);
  if (f.moves.at_once.Begin(f.requests, t.boot(), kPassApart, IsAnybody)) {
    GoOn(f, t, f.moves.at_once, Gain::kAtOnce);
  }
  if (f.moves.later.Begin(f.requests, t.boot(), f.options.rechoice.every, IsOfOnePart)) {
    GoOn(f, t, f.moves.later, Gain::kClear);
  }
}

std::optional<BootInstant> NextMove(const SearchLayer& f) {
  const std::optional<BootInstant> at_once = f.moves.at_once.NextPass();
  const std::optional<BootInstant> later = f.moves.later.NextPass();
  if (!at_once || !later) return at_once ? at_once : later;
  return std::min(*at_once, *later);
}

const Attempt* Movable(const SearchLayer& f, const Turn& t, const Request& request) {
  const schemas::RequestSpec& spec = request.record().spec;
  if (request.state() != schemas::RequestState::kPromised || !request.Wanted()) return nullptr;
  if (request.seeking || request.replacing || request.before()) return nullptr;
  if (f.searches.IsAsked(request.id())) return nullptr;
  if (spec.reserves || spec.inside || spec.at) return nullptr;
  if (!request.record().attempt) return nullptr;
  const auto it = f.attempts.find(*request.record().attempt);
  if (it == f.attempts.end()) return nullptr;
  const Attempt& attempt = it->second;
  if (!verifier::Binds(attempt.state()) || attempt.released || attempt.endangered ||
      attempt.record().superseded_by) {
    return nullptr;
  }
  // An attempt at its start barrier does not move. Behind the barrier, a single-site attempt whose
  // start failed still waits and may move.
  const schemas::AttemptState barrier = schemas::AttemptState::kBarrier;
  if (attempt.Several() ? attempt.state() >= barrier : attempt.state() == barrier) {
    return nullptr;
  }
  // If nobody can tell when the gate opens, no other start is better.
  if (!GateOpensAt(f, request, t.plan)) return nullptr;
  return IsUp(f, attempt) ? &attempt : nullptr;
}

}  // namespace muster::meta
