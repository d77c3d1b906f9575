// Rules out starts for one group of chunks by how many sets every node, alone, could take: the FCN
// and FCJ of OpenCCS Sect. 5.2, taken for all nodes in one pass over rows (node_rows.h) and then
// kept up to date from one start to the next. Necessary, not sufficient: the mapper decides.
#pragma once

#include <cstdint>
#include <vector>

#include "base/time.h"
#include "site/plan/node_rows.h"
#include "site/plan/node_sets.h"
#include "site/plan/occupancy.h"
#include "site/plan/shape.h"

namespace muster::plan {

// REQUIRES that what it is given outlives it and does not change, and that successive calls never
// go back in time.
class Sieve {
 public:
  // Unless `by_starts`, what is known of single nodes' starts is left alone.
  Sieve(const Occupancy& occupancy, const PartShape& part, const Group& group,
        bool by_starts = true);
  // Is one set of the group found by its nodes' starts alone?
  static bool FindsOne(const Group& group);

  // The same as Leap by what is known of single nodes' starts (node_starts.h); costs little.
  Instant LeapByStarts(Instant t, Instant until);
  // Does LeapByStarts say all that Leap says?
  bool IsExact() const { return by_starts_ && group_.count == 1; }
  // t if the group may start there; else a later start before which it may not. What lies at or
  // after `until` is of no interest. REQUIRES t < until.
  Instant Leap(Instant t, Instant until = kFarFuture);
  // At most that many sets fit on this host of the group, place and node, at the start that passed
  // last.
  int64_t Most(size_t host, uint32_t node) const {
    if (IsExact()) return host == host_ ? 1 : 0;
    if (how_ == How::kNotAtAll) return group_.count;
    return sets_[how_ == How::kRows ? node : host];
  }

  // No host before it takes any, by Most.
  size_t FirstHost() const { return IsExact() && host_ != SIZE_MAX ? host_ : 0; }

  // What the node could take at t, by the authority.
  int64_t Count(uint32_t node, Instant t) const {
    return SetsAt(occupancy_, part_, group_, node, t);
  }
  // Could the node host a set in a booked window of this length that begins in [from, until)?
  bool MayTake(uint32_t node, Span length, Instant from, Instant until) const;
  // Could the node host a set, by what it has?
  bool Hosts(uint32_t node) const;
  // Earliest start >= t at which the node could take more than `sets` sets.
  Instant Rise(uint32_t node, int64_t sets, Instant t) const {
    return Rise(node, sets, t, part_.length);
  }
  // The same for windows of another length.
  Instant Rise(uint32_t node, int64_t sets, Instant t, Span length) const;

 private:
  // Few hosts are asked one by one; rows are taken for all nodes where every node has the
  // resources, else by host.
  enum class How : uint8_t { kNotAtAll, kFew, kRows, kHosts };
  struct Need {
    uint32_t resource;
    int64_t amount;  // of one set
    // Sets in a unit of it: in 65,536ths, or as many as the factor says if that is not 0.
    uint16_t part = 0;
    int16_t factor = 0;
  };
  void AskFor(uint32_t resource, int64_t amount);
  void Evaluate(Instant t);
  int64_t TakeRow(const Need& need, NodeRows::Row& left, NodeRows::Row& sets);
  bool RulesOutCommon(const Need& need, Instant& until);
  Instant LeapOfFew(Instant t);
  bool SkipFrom(Instant t);
  bool NextGiven();
  Instant Walk(Instant until);
  void Recount(const NodeRows::Given& given);
  int16_t SetsOf(const NodeRows::Given& given) const;
  int64_t CountByRows(uint32_t node, int64_t enough) const;

  const Occupancy& occupancy_;
  const PartShape& part_;
  const Group& group_;
  const int64_t most_;  // sets that one node is asked for
  How how_;
  bool by_starts_;
  Instant found_{INT64_MIN};  // what LeapByStarts found last, and where
  size_t host_ = SIZE_MAX;
  std::vector<Need> needs_;
  std::vector<uint32_t> resources_;  // of the needs, in their order
  Instant at_{INT64_MIN};  // no start before it is possible, nor this one if sum_ is too small
  bool known_ = false;     // sum_ and sets_ are of at_
  bool exact_ = false;     // else no less than what is true there
  Instant looked_until_{INT64_MIN};  // starts before it are in a stretch that was not ruled out
  int64_t sum_ = 0;
  NodeRows::Row bound_;  // as sets_, for all starts before looked_until_
  NodeRows::Row sets_;   // by node for kRows, else by host
  // Of few hosts: when sets_ was counted, and the earliest start at which it may be more.
  std::vector<Instant> counted_;
  std::vector<Instant> rises_;
  std::vector<int32_t> place_;          // by node: which host, or -1; made when first needed
  std::vector<NodeRows::Given> given_;  // up to looked_until_, from at_ as it was
  size_t next_given_ = 0;
  NodeRows::Levels levels_;
  CommonRows common_;
  NodeRows::Row in_block_;  // as sets_, for all starts in a block
  NodeRows::Row least_;
  NodeRows::Row scratch_;
};

}  // namespace muster::plan
