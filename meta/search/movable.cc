// Judges by the record and the state of its attempt.
#include "meta/search/movable.h"

#include <algorithm>

#include "meta/requests/start_conditions.h"
#include "verifier/attempt_table.h"

namespace muster::meta {
namespace {

bool IsUp(const SearchLayer& f, const Attempt& attempt) {
  return std::all_of(attempt.record().members.begin(), attempt.record().members.end(),
                     [&f](const std::string& site) { return f.sites.at(site).Up(); });
}

// Whether it runs, or is about to, on lent room: elsewhere it could not begin before that has
// ended.
bool IsLent(const SearchLayer& f, const Attempt& attempt) {
  return std::any_of(
      attempt.record().members.begin(), attempt.record().members.end(),
      [&](const std::string& site) {
        const auto* hold = f.sites.at(site).mirror.Find(attempt.fence());
        return hold && std::any_of(hold->parts.begin(), hold->parts.end(),
                                   [](const auto& part) { return part.booking.lent.has_value(); });
      });
}

}  // namespace

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
  if (IsLent(f, attempt)) return nullptr;
  // If nobody can tell when the gate opens, no other start is better.
  if (!GateOpensAt(f, request, t.plan)) return nullptr;
  return IsUp(f, attempt) ? &attempt : nullptr;
}

}  // namespace muster::meta
