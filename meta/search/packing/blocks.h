// The forward run: simulates what becomes of the present waiting room if no request arrives and
// everything runs for its requested time. Virtual time goes from block to block as in the daemon:
// each block is extracted when due, voted on, packed, compacted and booked. Between blocks, when a
// booking ends, requests fill gaps by rank. With an infinite threshold every block is due at once.
// The run is resumable: a step is a block or a bounded piece of a gap pass. scheduling.md sections
// 1 (Extraction, Gap rule), 2 and 5 (Forward run).
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
#include "meta/waiting/block_order.h"
#include "meta/waiting/queues.h"

namespace muster::packing {

// Maximum number of chunks over all entries of a block, so that its proposals fit into messages.
// The first entry alone may have more.
inline constexpr size_t kBlockChunks = 10'000;
// Gap searches per turn of the daemon. A block due in the same second is extracted after them.
inline constexpr size_t kGapTries = 16;

// A packed block, and its entries in the order in which sites are asked: by compacted start, then
// by rank. Entries that fit nowhere are not in the order.
struct BlockLayout {
  Schedule schedule;
  std::vector<size_t> order;
};
// `at_earliest`: the FCFS* schedule of the problem, if it is known.
BlockLayout LayOutBlock(Algorithm algorithm, const Problem& problem,
                        std::optional<Schedule> at_earliest);

// A site at the begin of the run.
struct BlockSite {
  Bin bin;
  bool asked = true;                       // the site takes new work, so blocks are due for it
  std::optional<Instant> last_start = {};  // last start of a committed block entry
  std::optional<Instant> plan_end = {};    // last end of any committed entry
  std::vector<Instant> ends = {};          // when committed entries end
};

// A waiting request, as it is when first looked at.
struct BlockRequest {
  Entry entry;
  Voter voter;
  std::optional<std::string>
      shape;  // equal shapes find the same gaps; none: compared with no other
  size_t chunks = 0;
};

struct BlockTerms {
  std::optional<Span> threshold;  // none: infinite
  size_t block_max = 1000;
  std::optional<Algorithm> pin;  // none: by vote
  Voting voting;
  std::vector<Voter> came;  // arrivals since the last vote; they vote with the first block
  Span near;                // for the gap rule a first allowed start within this time is "now"
  std::optional<room::BlockOrder> order = {};     // none: by rank
  Span lead;                                      // least time before a start on several sites
  partitioner::TransferOf transfer_of = nullptr;  // as in Problem
};

class Blocks {
 public:
  // Looks up a waiting request; none if it no longer waits or can be planned nowhere.
  using Ask = std::function<std::optional<BlockRequest>(RequestId)>;

  // `queues`: a copy of the waiting room. Bins of choices are indices of `sites`.
  Blocks(Instant now, std::vector<BlockSite> sites, room::Queues queues, BlockTerms terms);

  // A place for a request, and when its sites are asked for it.
  struct Placed {
    RequestId request;
    Place place;
    Instant asked;
  };
  struct Step {
    std::vector<Placed> placed;  // in the order in which sites are asked
    size_t looked = 0;           // about how many entries were looked at
  };
  // REQUIRES: !Done().
  Step Next(const Ask& ask);
  // True if no request is left, or no block will ever be due for those that are.
  bool Done() const { return !due_ && !pass_; }

 private:
  struct SiteNow {
    bool asked = true;
    std::optional<Instant> last_start;
    std::optional<Instant> plan_end;
  };
  // A pass of the gap rule over all queued requests, by rank.
  struct Pass {
    bool all = true;  // false: only over alone_
    std::optional<room::Rank> passed;
    std::set<std::string> vain;  // shapes for which no gap was found
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

  Problem problem_;  // bins and time; entries only while a block is packed
  std::vector<SiteNow> sites_;
  std::map<std::string, size_t> index_;
  room::Queues queues_;
  BlockTerms terms_;
  std::set<Instant> ends_;
  std::map<RequestId, std::optional<BlockRequest>> known_;
  std::optional<Instant> due_;  // next block; none if none will be due
  std::optional<Pass> pass_;    // running gap pass
  // Some plan's end moved later since the last pass, so requests may now fit in gaps.
  bool longer_ = true;
  // Requests that are the only ones waiting for some site. For them any end may make "starts now"
  // possible.
  std::set<room::Rank> alone_;
  bool fewer_ = true;  // a request left since alone_ was computed
};

}  // namespace muster::packing
