// A pass over those that are promised and may have an earlier start: when one is due, and how far
// it has come. It goes by rank; what becomes free meanwhile owes another one.
#pragma once

#include <optional>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "meta/requests/request_table.h"

namespace muster::meta {

class MovePass {
 public:
  // Something may start earlier than before.
  void Owe() { owed_ = true; }
  // Whether any wait for a block. A start that was a gap's is bound by those who wait, and so may
  // be earlier when they do no more: a pass is owed then.
  void NoteQueued(bool any) {
    if (queued_ && !any) Owe();
    queued_ = any;
  }

  // True while a pass is under way; begins the one that is owed, over all promised requests for
  // which `looks` holds, 100 ms after it is first seen to be owed and not before `apart` after the
  // last one began. Parts that ran together end together, and their sites tell so one after the
  // other: they are one occasion.
  bool Begin(const RequestTable& requests, BootInstant now, BootSpan apart,
             bool (*looks)(const Request&));
  bool running() const { return !left_.empty(); }
  // The next request of the pass; none, and the pass has ended, after the last.
  std::optional<RequestId> Next();
  // A search was begun. With the last of `most` the pass ends, and those behind are owed the next
  // one, which begins with them.
  void Sought(size_t most);

  // When the next pass begins; none if none is owed, or one is under way.
  std::optional<BootInstant> NextPass() const;

 private:
  bool owed_ = false;
  bool queued_ = false;
  bool seen_ = false;            // that it is owed: when it begins is settled
  std::vector<RequestId> left_;  // of the pass under way, the last first
  size_t sought_ = 0;
  std::optional<RequestId> behind_;  // the first that the last pass left out
  BootInstant not_before_;
};

// The two passes of moves (meta/search/moves.h).
struct MovePasses {
  MovePass at_once;  // to starts that come at once
  MovePass later;    // to starts at other sites that are clearly earlier

  // Room may have become free somewhere.
  void Owe() {
    at_once.Owe();
    later.Owe();
  }
};

}  // namespace muster::meta
