// What the meta has committed at one site, as far as extraction and the gap rule need it: when the
// plan ends, and when the last block entry starts. scheduling.md section 1 (Extraction, Gap rule).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/ids.h"
#include "base/time.h"

namespace muster::room {

class CommittedPlan {
 public:
  // Sets the entry of a fence, replacing an earlier one. `of_block`: the request left the waiting
  // room with a block, unlike gap fillers and requests promised at submission.
  void Set(const Fence& fence, Instant start, Instant end, bool of_block);
  // True if the fence had an entry.
  bool Erase(const Fence& fence);

  // Last end of all committed entries; none if there are none.
  std::optional<Instant> End() const;
  // Last start of all block entries. Gap fillers do not count.
  std::optional<Instant> LastBlockStart() const;

 private:
  struct Entry {
    Instant start;
    Instant end;
    bool of_block = false;
  };
  std::map<Fence, Entry> entries_;
  std::set<std::pair<Instant, Fence>> ends_;
  std::set<std::pair<Instant, Fence>> block_starts_;
};

// When a block is due for a site whose last block entry starts at `last`: at once if there is none.
inline Instant BlockDueAt(std::optional<Instant> last, Span threshold) {
  return last ? *last - threshold + Span{1} : Instant{0};
}

}  // namespace muster::room
