// What the search knows of each request beyond its record: how often it was tried, what sites said,
// whether they are being asked. It is volatile: after a start every search begins anew.
//
// Four facts about a search are not here, since lower rooms go by them: `Request::seeking`, the
// attempt that is held (an adopted hold is one, too, which no search asked for);
// `Request::replacing`, the place it shall replace, which gets no permit meanwhile; the trial with
// `Request::before`, which is what the store has; and `Request::nearest`, which orders carry.
// Whether sites are asked is no stage of them: a hold may be adopted, or its user may park the
// request, while the answers are out.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "schemas/proposal.h"

namespace muster::meta {

struct SearchState {
  size_t tries = 0;           // of placing, since it last was promised or gave up
  Instant best_slot;          // t* of kMeetTries
  bool asks_fresh = false;    // the next try rests on fresh sets, not on shadows
  bool left_queue = false;    // with a block: placed as it is, until it waits again
  bool asked = false;         // its sites are being asked, in a wave, a search or a block
  bool gap_refused = false;   // the gap that shadows named: its sites are asked for another
  uint64_t gap_since = 0;     // releases (GapPass) before it was ordered there
  uint32_t moves_failed = 0;  // joint moves that were found and could not be held
  std::vector<std::pair<size_t, std::string>> never;  // (part, site) that can never run it
  // What the sites of earlier rounds answered to a request of one part, until when that counts.
  std::map<std::string, schemas::VerdictEntry> heard;
  BootInstant heard_until;
};

// Invariant: one state for each request that was ever sought and is still on record; each of the
// changes below leaves the others' facts as they are.
class Searches {
 public:
  // Of one that was never sought: as if it were to be sought for the first time.
  const SearchState& Of(RequestId id) const;
  bool SaidNever(RequestId id, size_t part, const std::string& site) const;

  // The next try is the first, rests on shadows, and waits for a block if the request does: it was
  // bound, lost its place, entered its queue, or gave up.
  void StartOver(RequestId id);
  // The same, and what sites said of it counts no more: it was tried as another request.
  void StartAsBefore(RequestId id);
  // It is another request from now on, or is sought as one: its sites are asked what they say.
  void StartAsAnother(RequestId id);
  void Bound(RequestId id);

  // Its sites are asked; they have answered, or will not.
  void Ask(RequestId id) { all_[id].asked = true; }
  void EndAsking(RequestId id) { all_[id].asked = false; }

  void AskFresh(RequestId id) { all_[id].asks_fresh = true; }
  // It left its queue with a block, or is back in it.
  void LeaveQueue(RequestId id, bool left = true) { all_[id].left_queue = left; }
  // Placed by itself, by fresh answers of its sites, until it waits again.
  void MeetAlone(RequestId id);

  // One more try; their number.
  size_t CountTry(RequestId id) { return ++all_[id].tries; }
  void ForgetTries(RequestId id) { all_[id].tries = 0; }
  void NoteSlot(RequestId id, Instant start) { all_[id].best_slot = start; }
  uint32_t CountFailedMove(RequestId id) { return ++all_[id].moves_failed; }

  void Learn(RequestId id, size_t part, const std::string& site);

  // Answers to be counted with those of the next round, until then; and they are taken.
  void Hear(RequestId id, std::map<std::string, schemas::VerdictEntry> heard, BootInstant until);
  std::map<std::string, schemas::VerdictEntry> TakeHeard(RequestId id);

  // The gap that shadows named is refused; true if one was before.
  bool RefuseGap(RequestId id) { return std::exchange(all_[id].gap_refused, true); }
  // It is ordered into a gap after so many releases; or it was asked behind others that went
  // elsewhere, so it counts as before the last one.
  void NoteGap(RequestId id, uint64_t releases) { all_[id].gap_since = releases; }
  void NoteRoomBefore(RequestId id) { --all_[id].gap_since; }

  // It is on record no more.
  void Erase(RequestId id) { all_.erase(id); }

 private:
  std::map<RequestId, SearchState> all_;
};

}  // namespace muster::meta
