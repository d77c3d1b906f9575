// Rules out starts for one group of chunks. It counts how many sets each node could take alone (the
// FCN and FCJ of OpenCCS Sect. 5.2), for all nodes in one pass over rows (node_rows.h), and updates
// the counts from one start to the next. The condition is necessary, not sufficient: the mapper
// decides.
#pragma once

#include <cstdint>
#include <vector>

#include "base/time.h"
#include "site/plan/node_rows.h"
#include "site/plan/node_sets.h"
#include "site/plan/occupancy.h"
#include "site/plan/shape.h"

namespace muster::plan {

// REQUIRES that the constructor's arguments outlive the sieve and do not change, and that
// successive calls never go back in time.
class Sieve {
 public:
  // Without `by_starts` the sieve does not use the known starts of single nodes (node_starts.h).
  Sieve(const Occupancy& occupancy, const PartShape& part, const Group& group,
        bool by_starts = true);
  // Can the group's start be found from the starts of single nodes alone?
  static bool FindsOne(const Group& group);

  // Like Leap, but uses only the known starts of single nodes (node_starts.h), which costs little.
  Instant LeapByStarts(Instant t, Instant until);
  // Does LeapByStarts give the same result as Leap?
  bool IsExact() const { return by_starts_ && group_.count == 1; }
  // Returns t if the group may start at t, else a later start before which it cannot. Starts at or
  // after `until` need not be examined. REQUIRES t < until.
  Instant Leap(Instant t, Instant until = kFarFuture);
  // Upper bound of the sets that fit on a host at the last start that Leap let through. `host` is
  // its index in the group, `node` its node.
  int64_t Most(size_t host, uint32_t node) const {
    if (IsExact()) return host == host_ ? 1 : 0;
    if (how_ == How::kNotAtAll) return group_.count;
    return sets_[how_ == How::kRows ? node : host];
  }

  // For all hosts before this index Most is 0.
  size_t FirstHost() const { return IsExact() && host_ != SIZE_MAX ? host_ : 0; }

  // Exact number of sets that the node can take at t.
  int64_t Count(uint32_t node, Instant t) const {
    return SetsAt(occupancy_, part_, group_, node, t);
  }
  // Could the node host a set in a booked window of this length that begins in [from, until)?
  bool MayTake(uint32_t node, Span length, Instant from, Instant until) const;
  // Could the node host a set if it were empty?
  bool Hosts(uint32_t node) const;
  // Earliest start >= t at which the node could take more than `sets` sets.
  Instant Rise(uint32_t node, int64_t sets, Instant t) const {
    return Rise(node, sets, t, part_.length);
  }
  // The same for windows of length `length`.
  Instant Rise(uint32_t node, int64_t sets, Instant t, Span length) const;

 private:
  // How sets are counted. kFew: host by host. kRows: by rows of all nodes, if every node has the
  // resources. kHosts: by rows, stored by host.
  enum class How : uint8_t { kNotAtAll, kFew, kRows, kHosts };
  struct Need {
    uint32_t resource;
    int64_t amount;  // of one set
    // Sets per unit of the resource: `factor`, or `part` / 65,536 if `factor` is 0.
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
  const int64_t most_;  // most sets that one node may get
  How how_;
  bool by_starts_;
  Instant found_{INT64_MIN};  // last result of LeapByStarts; host_ is its host
  size_t host_ = SIZE_MAX;
  std::vector<Need> needs_;
  std::vector<uint32_t> resources_;  // of the needs, in their order
  // Starts before at_ are ruled out; at_ itself, too, if known_ and sum_ is less than the group's
  // count.
  Instant at_{INT64_MIN};
  bool known_ = false;               // sum_ and sets_ were computed for at_
  bool exact_ = false;               // all needs were counted; else sum_ and sets_ are upper bounds
  Instant looked_until_{INT64_MIN};  // bounds did not rule out the starts from at_ up to here
  int64_t sum_ = 0;
  NodeRows::Row bound_;  // like sets_: bounds for all starts before looked_until_
  NodeRows::Row sets_;   // by node for kRows, else by host
  // For kFew, by host: the start for which sets_ was counted, and the earliest at which it may
  // rise.
  std::vector<Instant> counted_;
  std::vector<Instant> rises_;
  std::vector<int32_t> place_;          // by node: index of the host, or -1; made on first use
  std::vector<NodeRows::Given> given_;  // increases up to looked_until_, in order of time
  size_t next_given_ = 0;
  NodeRows::Levels levels_;
  CommonRows common_;
  NodeRows::Row in_block_;  // like sets_: bounds for all starts in a block
  NodeRows::Row least_;
  NodeRows::Row scratch_;
};

}  // namespace muster::plan
