// Each turn continues each pass by a bounded piece.
#include "meta/search/moves.h"

#include <algorithm>

#include "meta/requests/horizon.h"
#include "meta/search/giving_way.h"
#include "meta/search/joint_moves.h"
#include "meta/search/movable.h"
#include "meta/search/move_gain.h"
#include "meta/search/relocation.h"
#include "meta/search/replacement.h"

namespace muster::meta {
namespace {

constexpr size_t kLooks = 64;     // requests looked at per turn
constexpr size_t kSearches = 16;  // searches begun per pass

bool IsAnybody(const Request&) { return true; }

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
  SeekRoomAtHome(f, t);
}

std::optional<BootInstant> NextMove(const SearchLayer& f) {
  std::optional<BootInstant> out;
  for (const MovePass* pass : {&f.moves.at_once, &f.moves.later, &f.moves.home}) {
    if (pass == &f.moves.home && !f.options.home_first) continue;
    const std::optional<BootInstant> next = pass->NextPass();
    if (next) out = std::min(out.value_or(*next), *next);
  }
  return out;
}

}  // namespace muster::meta
