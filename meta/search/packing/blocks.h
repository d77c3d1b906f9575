// The forward run: what becomes of a frozen waiting room if nobody comes and everything runs as
// long as it asked to. Time is virtual and goes from block to block, as it does in the daemon: when
// one is due, what leaves the queues with it, the vote on it, its packing, its compaction, what it
// books; and between blocks, at each end of something, those that fill gaps, by rank. With an
// infinite threshold every block is due at once. It is resumable: a step is a block, or a bounded
// piece of a pass over gaps. scheduling.md sections 1 (Extraction, Gap rule), 2 and 5 (Forward
// run).
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "meta/search/packing/packing.h"
#include "meta/search/packing/vote.h"
#include "meta/waiting/queues.h"

namespace muster::packing {

// A block's proposals fit into a message: in chunks of all its entries together. The first entry
// may have more.
inline constexpr size_t kBlockChunks = 10'000;
// How near "now" is for the gap rule: as near as turnover and a message let a start be.
inline constexpr Span kStartsNow{10};
// Searches for a gap in one turn of the daemon; a block that is due in the same second comes then.
inline constexpr size_t kGapTries = 16;

// A block as it is asked for: where its entries are, and in which order, by compacted start and
// then by rank. Entries that fit nowhere are left out of the order.
struct BlockLayout {
  Schedule schedule;
  std::vector<size_t> order;
};
// `at_earliest`: what FCFS* makes of the problem, if that is known.
BlockLayout LayOutBlock(Algorithm algorithm, const Problem& problem,
                        std::optional<Schedule> at_earliest);

// A site as the run begins.
struct BlockSite {
  Bin bin;
  bool asked = true;                       // it is up and takes new work: blocks are due for it
  std::optional<Instant> last_start = {};  // of block entries that are committed
  std::optional<Instant> plan_end = {};    // of all that is committed
  std::vector<Instant> ends = {};          // when what is committed gives its room back
};

// One that waits, as it is when it is first looked at.
struct BlockRequest {
  Entry entry;
  Voter voter;
  std::optional<std::string> shape;  // equal ones find the same gaps or none; none: alone
  size_t chunks = 0;
};

struct BlockTerms {
  std::optional<Span> threshold;  // none: infinite
  size_t block_max = 1000;
  std::optional<Algorithm> pin;  // none: by vote
  Voting voting;
  std::vector<Voter> came;  // since the last vote: they vote with the first block
  Span near;                // a first allowed start so soon is "now" for the gap rule
  Span lead;                // before a start on several sites
  partitioner::TransferOf transfer_of = nullptr;  // as in Problem
};

class Blocks {
 public:
  // What a request asks; none if it waits no more, or can be laid out nowhere.
  using Ask = std::function<std::optional<BlockRequest>(RequestId)>;

  // Who waits, frozen. Bins of choices are indices of `sites`.
  Blocks(Instant now, std::vector<BlockSite> sites, room::Queues queues, BlockTerms terms);

  // Where one comes to be, and when its sites are asked for that.
  struct Placed {
    RequestId request;
    Place place;
    Instant asked;
  };
  struct Step {
    std::vector<Placed> placed;  // in the order in which sites are asked
    size_t looked = 0;           // about how many entries were looked at
  };
  // REQUIRES: it is not done.
  Step Next(const Ask& ask);
  // Nobody is left, or no block will ever be due for those that are.
  bool Done() const { return !due_ && !pass_; }

 private:
  struct SiteNow {
    bool asked = true;
    std::optional<Instant> last_start;
    std::optional<Instant> plan_end;
  };
  // A pass of the gap rule, by rank.
  struct Pass {
    bool all = true;  // else only those of alone_
    std::optional<room::Rank> passed;
    std::set<std::string> vain;  // shapes for which it found none
  };

  void LookAhead();
  void GoTo(Instant now);
  void BeginPassBefore(Instant due);
  std::optional<BlockRequest>& Known(RequestId id, const Ask& ask);
  void Leave(RequestId id);
  Entry Now(Entry entry) const;
  void Book(RequestId id, const Entry& entry, Place place, bool of_block, Step& out);
  void Block(const Ask& ask, Step& out);
  void GoOnWithPass(const Ask& ask, size_t most, Step& out);
  std::optional<room::Rank> NextInPass() const;
  IntervalSet GapStarts(const Entry& entry, RequestId id, const std::vector<size_t>& bins) const;
  std::optional<Place> Gap(const Entry& entry, RequestId id) const;

  Problem problem_;  // its bins and its time, no entries
  std::vector<SiteNow> sites_;
  std::map<std::string, size_t> index_;
  room::Queues queues_;
  BlockTerms terms_;
  std::set<Instant> ends_;
  std::map<RequestId, std::optional<BlockRequest>> known_;
  std::optional<Instant> due_;  // of the next block
  std::optional<Pass> pass_;    // under way
  // Some plan got longer since the last pass, so that what fitted in no gap may now.
  bool longer_ = true;
  // Those that alone wait for some site, for whom "starts now" may come true at any end.
  std::set<room::Rank> alone_;
  bool fewer_ = true;  // somebody left since alone_ was made
};

}  // namespace muster::packing
