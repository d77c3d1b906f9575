// State of the search for each request, beyond its record: number of tries, what sites said,
// whether they are being asked. Volatile: after a restart every search begins anew.
//
// Four facts about a search are kept elsewhere because lower rooms need them. `Request::seeking` is
// the attempt that is held; it may be an adopted hold that no search asked for.
// `Request::replacing` is the place to be replaced; it gets no permit while another attempt is in
// HOLDING for it. The trial comes with `Request::before`, the request as the store has it.
// `Request::nearest` is the earliest start for which the user has notice; orders carry it. IsAsked
// is independent of these: while answers are out a hold may be adopted, or the user may park the
// request.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "meta/search/fruitless_look.h"
#include "schemas/proposal.h"

namespace muster::meta {

struct SearchState {
  size_t tries = 0;           // placing tries since the last promise or giving up
  Instant best_slot;          // t* of kMeetTries
  bool asks_fresh = false;    // the next try asks sites instead of using shadows
  bool left_queue = false;    // left its queue with a block; placed alone until it waits again
  bool gap_refused = false;   // the gap that the shadows named was refused
  uint64_t gap_since = 0;     // number of releases (GapPass) when a gap was last sought for it
  uint32_t moves_failed = 0;  // joint moves that could not be held, in a row
  // Sites that refused a move of one part which their shadows had shown. The next guess goes by
  // another site; when none is left, all count again.
  std::vector<std::string> guessed_wrong;
  std::vector<std::pair<size_t, std::string>> never;  // (part, site) pairs that can never work
  std::optional<FruitlessLook> fruitless;  // the newest for a start earlier than the promised one
  // What parts must cost less than: sought dearer, the account had too little for all together.
  std::map<size_t, int64_t> below;
  std::optional<schemas::Reason> too_dear;  // what was missing then
  // Verdicts of earlier rounds on a request of one part, valid until heard_until.
  std::map<std::string, schemas::VerdictEntry> heard;
  BootInstant heard_until;
};

// Invariant: at most one state per request, and none of a request that is not on record or was
// never sought; those whose sites are asked now are on record. Each change below affects only the
// facts it names.
class Searches {
 public:
  // The initial state if the request was never sought.
  const SearchState& Of(RequestId id) const;
  bool SaidNever(RequestId id, size_t part, const std::string& site) const;

  // Resets the tries. The next try uses shadows first. The request no longer counts as one that
  // left its queue. Called when the request was bound, lost its place, entered its queue, or gave
  // up.
  void StartOver(RequestId id);
  // The same, and forgets what sites refused, since that was said about another variant of the
  // request.
  void StartAsBefore(RequestId id);
  // The same, and asks the sites: the request has changed, or is sought as a variant.
  void StartAsAnother(RequestId id);
  // StartOver for a request that was bound; its failed moves are forgotten, too.
  void Bound(RequestId id);

  // Sites are asked about the request, in a wave, a search or a block.
  bool IsAsked(RequestId id) const { return asked_.contains(id); }
  // EndAsking: the sites have answered or will not.
  void Ask(RequestId id) { asked_.insert(id); }
  void EndAsking(RequestId id) { asked_.erase(id); }

  void AskFresh(RequestId id) { all_[id].asks_fresh = true; }
  // The request left its queue with a block, or is back in the queue.
  void LeaveQueue(RequestId id, bool left = true) { all_[id].left_queue = left; }
  // The request is placed alone, by fresh answers of its sites, until it waits again.
  void MeetAlone(RequestId id);

  // Counts a try. Returns the number of tries.
  size_t CountTry(RequestId id) { return ++all_[id].tries; }
  void ForgetTries(RequestId id) { all_[id].tries = 0; }
  void NoteSlot(RequestId id, Instant start) { all_[id].best_slot = start; }
  uint32_t CountFailedMove(RequestId id) { return ++all_[id].moves_failed; }
  // Notes a site that refused what its shadow had shown. The next guess goes by another site.
  void NoteWrongGuess(RequestId id, const std::string& site);
  bool GuessedWrong(RequestId id, const std::string& site) const;
  void ForgetWrongGuesses(RequestId id) { all_[id].guessed_wrong.clear(); }

  // The next place has this part where it costs less. ForgetPrices: parts may cost what they may.
  void SeekBelow(RequestId id, size_t part, int64_t price, schemas::Reason why);
  void ForgetPrices(RequestId id);
  void ForgetAllPrices();

  void Learn(RequestId id, size_t part, const std::string& site);
  // The site may be another by now: what it said can never be is forgotten.
  void ForgetNever(const std::string& site);
  // Notes a look that found no earlier place for now. It is forgotten together with the sites'
  // refusals, after an alteration, and, for all requests, when the configuration has changed.
  void NoteFruitless(RequestId id, FruitlessLook look) { all_[id].fruitless = std::move(look); }
  void ForgetFruitless(RequestId id) { all_[id].fruitless.reset(); }
  void ForgetAllFruitless();

  // Hear keeps verdicts until `until`, so that they count in the next round, too; TakeHeard removes
  // and returns them.
  void Hear(RequestId id, std::map<std::string, schemas::VerdictEntry> heard, BootInstant until);
  std::map<std::string, schemas::VerdictEntry> TakeHeard(RequestId id);

  // Notes that a gap named by the shadows was refused. True if one was refused before.
  bool RefuseGap(RequestId id) { return std::exchange(all_[id].gap_refused, true); }
  // NoteGap: a gap is sought for the request after this many releases. NoteRoomBefore: the sites
  // were asked about it behind entries that went elsewhere, so room counts as released since then.
  void NoteGap(RequestId id, uint64_t releases) { all_[id].gap_since = releases; }
  void NoteRoomBefore(RequestId id) { --all_[id].gap_since; }

  // The request is no longer on record.
  void Erase(RequestId id) {
    all_.erase(id);
    asked_.erase(id);
  }

 private:
  std::map<RequestId, SearchState> all_;
  // Apart from the states: few are asked at a time, and a look for moves wants to know of
  // everybody.
  std::set<RequestId> asked_;
};

}  // namespace muster::meta
