// What every node has free, time-major: stretches of time, each with one row of what nodes have
// free as it begins, one of the least and one of the most they have while it lasts, and the changes
// in between; blocks of stretches have a least and a most as well. So a few passes over rows give
// the window minimum of all nodes, or rule out all starts in a block, and a search asks single
// nodes (the authority, occupancy.h) only where it may succeed. An upper bound: amounts are counted
// in units of their resource, rounded in favour of the node; exact where all are multiples of it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/time.h"
#include "site/machine/machine.h"
#include "site/plan/common_rows.h"
#include "site/plan/row_steps.h"

namespace muster::plan {

// Copying is cheap: stretches are shared until one copy changes them.
class NodeRows {
 public:
  // One number a node that has the resource, in units.
  using Row = std::vector<int16_t>;
  // Some of a resource of a node.
  struct Amount {
    uint32_t node = 0;
    uint32_t resource = 0;
    int64_t amount = 0;
  };

  // A stretch has about `steps` changes, by default what is fast for the number of nodes.
  explicit NodeRows(const machine::Machine& machine, size_t steps = 0);

  // Takes these amounts in [begin, end), or gives them back. REQUIRES begin < end, amounts >= 0.
  void Take(const std::vector<Amount>& amounts, Instant begin, Instant end) {
    Change(amounts, begin, end, -1);
  }
  void Give(const std::vector<Amount>& amounts, Instant begin, Instant end) {
    Change(amounts, begin, end, 1);
  }
  // Drops what ended before `t`; nothing earlier is asked or changed from then on.
  void ForgetBefore(Instant t);

  // False once so much was taken of a node that rows cannot count it: they say nothing then.
  bool usable() const { return usable_; }
  // Is all that is taken of the resource whole units? Then whatever a node gets back is seen here.
  bool Exact(uint32_t resource) const { return inexact_[resource] == 0; }
  // Is the resource on every node? Then places in rows are nodes.
  bool Everywhere(uint32_t resource) const {
    return widths_[resource] == static_cast<uint32_t>(node_count_);
  }
  // One of a resource's amount in units, which may be a fraction.
  double InUnits(uint32_t resource, int64_t amount) const {
    return static_cast<double>(amount) / static_cast<double>(int64_t{1} << shifts_[resource]);
  }
  // The place of a node in the rows of a resource that it has.
  uint32_t PlaceOf(uint32_t node, uint32_t resource) const {
    return Everywhere(resource) ? node : places_[resource][node];
  }
  // What the empty nodes have, rounded up.
  const Row& Empty(uint32_t resource) const { return empty_[resource]; }

  // Fills `least` with what nodes have free of this resource all over [begin, end): no node has
  // more. REQUIRES begin < end.
  void Least(uint32_t resource, Instant begin, Instant end, Row& least, Row& scratch) const;
  // What bounds windows that begin at `begin` or soon after it.
  // REQUIRES length > 0. Valid until something changes.
  void FindCommon(Instant begin, Span length, CommonRows& common) const;
  // Where the places of a resource lie in these rows.
  size_t OffsetOf(uint32_t resource) const { return offsets_[resource]; }

  // Some of a resource is given back to a node.
  struct Given {
    Instant at;
    uint32_t node;
    uint32_t which;  // of the resources asked for
    int16_t least;   // bounds what it has free all over the window that begins then, in units
    bool whole;      // the window ends within the stretch, so `least` is all there is to know
  };
  // By step of a stretch. Reused from call to call.
  struct Levels {
    Row free;                     // from the step on
    std::vector<uint32_t> later;  // the next step of the same place, if there is one
    std::vector<uint32_t> last;   // by place, between calls none
    int16_t LeastFrom(const RowSteps& steps, size_t step, int64_t end) const;
  };
  // Starts after `after` and before `until`, of windows that are so long.
  struct Wanted {
    Instant after;
    Instant until;
    Span length;
  };
  // Where some of these resources is given back, in order.
  void GivenWithin(const std::vector<uint32_t>& resources, const Wanted& wanted,
                   std::vector<Given>& out, Levels& levels) const;

 private:
  // From `start` to the start of the next one. The rows of all resources lie behind each other, and
  // places count over all of them.
  struct Stretch {
    int64_t start = 0;
    Row before;  // just before `start`
    Row least;   // in all of it
    Row most;    // at any time of it
    RowSteps steps;
  };
  // Rows of its stretches count without `more`: what is to be added to all of them.
  struct Block {
    std::vector<int64_t> starts;
    std::vector<std::shared_ptr<Stretch>> stretches;
    Row more;
    Row least;
    Row most;
    // The last one that starts at or before t.
    size_t Find(int64_t t) const;
  };

  void Change(const std::vector<Amount>& amounts, Instant begin, Instant end, int sign);
  static void Prefetch(const Block& block, const PlaceChanges& changes, int64_t begin, int64_t end);
  void ChangeBlock(size_t at, const PlaceChanges& changes, int64_t begin, int64_t end, int sign);
  void ChangeRow(Row& row, const PlaceChanges& changes, int sign);
  void ChangeAll(Stretch& stretch, const PlaceChanges& changes, int sign);
  Block& Mutable(size_t at);
  static Stretch& Mutable(Block& block, size_t at);
  size_t Find(int64_t t) const;
  void FindExtremes(Stretch& stretch, const PlaceChanges& changes);
  static void FindExtremes(Stretch& stretch);
  static void FindExtremes(Block& block, const PlaceChanges& changes, size_t first, size_t last,
                           int sign);
  static void FindExtremes(Block& block);
  void SplitOrJoin(Block& block, size_t at) const;
  void SplitOrJoin(size_t at);
  // What lies in [begin, end) of the stretch lowers `least`, or with `fill` is what it begins with.
  void LowerWithin(const Block& block, const Stretch& stretch, uint32_t resource, int64_t begin,
                   int64_t end, bool fill, Row& least, Row& now) const;
  void LowerTo(const Row& row, uint32_t resource, Row& least) const;
  void LowerTo(const Row& row, const Row& more, uint32_t resource, Row& least) const;
  void FindLevels(const Block& block, const Stretch& stretch, Levels& levels) const;
  void GivenIn(const RowSteps& steps, const Levels& levels, int64_t ends,
               const std::vector<uint32_t>& resources, const Wanted& wanted,
               std::vector<Given>& out) const;
  int64_t EndOf(size_t block) const;

  size_t node_count_;
  bool usable_ = true;
  size_t most_steps_;  // of a stretch, beyond which it is split
  uint32_t width_ = 0;
  std::vector<int> shifts_;                    // by resource: a unit is 1 << shift
  std::vector<uint32_t> offsets_;              // by resource: where its rows begin
  std::vector<uint32_t> widths_;               // by resource: nodes that have it
  std::vector<std::vector<uint32_t>> places_;  // by resource, node; empty if on every node
  std::vector<std::vector<uint32_t>> nodes_;   // by resource, place
  std::vector<Row> empty_;
  std::vector<int64_t> inexact_;  // by resource: what was taken that is not whole units
  std::vector<int64_t> starts_;   // of the blocks
  std::vector<std::shared_ptr<Block>> blocks_;
  // Between calls of FindExtremes nothing: by place.
  Row now_;
  std::vector<uint8_t> asked_;
};

}  // namespace muster::plan
