// A pass by rank over the promised requests that may get an earlier start: when it is due, and how
// far it has come. A release during a pass makes another one due.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "meta/requests/request_table.h"

namespace muster::meta {

class MovePass {
 public:
  // Makes a pass due: some request may be able to start earlier.
  void Owe() { owed_ = true; }
  // Makes a pass due at `at`, when a start that is known may be worth a move. Forgotten when a pass
  // begins before, since that pass looks at the request again.
  void OweAt(BootInstant at) { owed_at_ = std::min(owed_at_.value_or(at), at); }
  // `any`: requests wait for a block. The gap rule restricts starts while requests wait, so a pass
  // becomes due when the last one has left.
  void NoteQueued(bool any) {
    if (queued_ && !any) Owe();
    queued_ = any;
  }

  // True while a pass is running. Begins a due pass over all promised requests for which `looks`
  // holds, at least 100 ms after the first call that found it due, and at least `apart` after the
  // last pass began. Thanks to the delay, parts that end together share a pass although their sites
  // report them one after the other.
  bool Begin(const RequestTable& requests, BootInstant now, BootSpan apart,
             bool (*looks)(const Request&));
  bool running() const { return !left_.empty(); }
  // Takes the next request of the pass. Taking the last one ends the pass. None if none is left.
  std::optional<RequestId> Next();
  // Counts a search that the pass began. At the `most`-th search the pass ends, and another pass
  // becomes due that begins with the remaining requests.
  void Sought(size_t most);

  // When the next pass begins. None if none is due or one is running.
  std::optional<BootInstant> NextPass() const;

 private:
  bool owed_ = false;
  std::optional<BootInstant> owed_at_;
  bool queued_ = false;
  bool seen_ = false;            // the due pass was seen, and not_before_ is set for it
  std::vector<RequestId> left_;  // requests still to come, in reverse order
  size_t sought_ = 0;
  std::optional<RequestId> behind_;  // first request that the last pass did not reach
  BootInstant not_before_;
};

// The kinds of pass (meta/search/moves.h).
struct MovePasses {
  MovePass at_once;  // for immediate starts
  MovePass later;    // for clearly earlier starts at other sites
  MovePass home;     // for room at home that others could leave (meta/search/giving_way.h)

  // Room may have become free somewhere.
  void Owe() {
    at_once.Owe();
    later.Owe();
    home.Owe();
  }
};

}  // namespace muster::meta
