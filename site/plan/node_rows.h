// The free amounts of every node over time, stored by time. Time is cut into stretches. Each has
// three rows (free amounts just before it, their minima and their maxima while it lasts) and the
// changes within. Blocks of stretches have minima and maxima as well. So a few passes over
// rows give the window minimum of all nodes, or rule out all starts in a block, and a search looks
// at single nodes (the authority, occupancy.h) only where it may succeed. Rows are upper bounds:
// amounts are counted in units of their resource, rounded in favour of the node; they are exact
// where all amounts are multiples of the unit.
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
  // Free units of a resource, one number per node that has it.
  using Row = std::vector<int16_t>;
  // An amount of a resource of a node.
  struct Amount {
    uint32_t node = 0;
    uint32_t resource = 0;
    int64_t amount = 0;
  };

  // A stretch has at most about `steps` changes; 0: a number that is fast for the number of nodes.
  explicit NodeRows(const machine::Machine& machine, size_t steps = 0);

  // Takes these amounts in [begin, end), or gives them back. REQUIRES begin < end, amounts >= 0.
  void Take(const std::vector<Amount>& amounts, Instant begin, Instant end) {
    Change(amounts, begin, end, -1);
  }
  void Give(const std::vector<Amount>& amounts, Instant begin, Instant end) {
    Change(amounts, begin, end, 1);
  }
  // Drops what ended before `t`. REQUIRES that nothing earlier is read or changed from then on.
  void ForgetBefore(Instant t);

  // False once a node was overbooked by more than int16_t can count: rows are then useless.
  bool usable() const { return usable_; }
  // Are all amounts taken of the resource whole units? Then rows show every amount given back.
  bool Exact(uint32_t resource) const { return inexact_[resource] == 0; }
  // Do all nodes have the resource? Then places in its rows are node numbers.
  bool Everywhere(uint32_t resource) const {
    return widths_[resource] == static_cast<uint32_t>(node_count_);
  }
  // The amount in units of the resource, possibly a fraction.
  double InUnits(uint32_t resource, int64_t amount) const {
    return static_cast<double>(amount) / static_cast<double>(int64_t{1} << shifts_[resource]);
  }
  // The place (index) of a node in the rows of a resource that it has.
  uint32_t PlaceOf(uint32_t node, uint32_t resource) const {
    return Everywhere(resource) ? node : places_[resource][node];
  }
  // Units that the empty nodes have, rounded up.
  const Row& Empty(uint32_t resource) const { return empty_[resource]; }

  // Fills `least` with upper bounds of what nodes have free of this resource throughout [begin,
  // end). REQUIRES begin < end.
  void Least(uint32_t resource, Instant begin, Instant end, Row& least, Row& scratch) const;
  // Finds bounds for windows that begin at `begin` or soon after it, valid until something changes.
  // REQUIRES length > 0.
  void FindCommon(Instant begin, Span length, CommonRows& common) const;
  // Offset of a resource's places in the rows of CommonRows.
  size_t OffsetOf(uint32_t resource) const { return offsets_[resource]; }

  // An instant at which a node gets back some of a resource.
  struct Given {
    Instant at;
    uint32_t node;
    uint32_t which;  // index in the list of resources that the caller gave
    // Upper bound, in units, of what the node has free throughout the window that begins at `at`.
    int16_t least;
    // The window ends within the stretch, so that `least` covers all of it.
    bool whole;
  };
  // Working storage by step of a stretch, reused from call to call.
  struct Levels {
    Row free;                     // units free from the step on
    std::vector<uint32_t> later;  // the next step of the same place, if there is one
    std::vector<uint32_t> last;   // by place: its last step so far; none between calls
    int16_t LeastFrom(const RowSteps& steps, size_t step, int64_t end) const;
  };
  // Windows of this length that begin after `after` and before `until`.
  struct Wanted {
    Instant after;
    Instant until;
    Span length;
  };
  // Lists where a wanted window could begin because a node gets back some of these resources, in
  // order of time.
  void GivenWithin(const std::vector<uint32_t>& resources, const Wanted& wanted,
                   std::vector<Given>& out, Levels& levels) const;

 private:
  // A stretch lasts from `start` to the start of the next one. Its rows hold all resources one
  // behind the other, and a place is an index into the whole row.
  struct Stretch {
    int64_t start = 0;
    Row before;  // just before `start`
    Row least;   // minima over the stretch
    Row most;    // maxima over the stretch
    RowSteps steps;
  };
  // A sequence of stretches. `more` must be added to all rows of its stretches. The block's own
  // `least` and `most` include it.
  struct Block {
    std::vector<int64_t> starts;
    std::vector<std::shared_ptr<Stretch>> stretches;
    Row more;
    Row least;
    Row most;
    // Index of the last stretch that starts at or before t.
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
  // Lowers `least` to the minima over [begin, end) of the stretch; with `fill`, sets it to them.
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
  size_t most_steps_;  // a stretch with more steps is split
  uint32_t width_ = 0;
  std::vector<int> shifts_;                    // by resource: a unit is 1 << shift
  std::vector<uint32_t> offsets_;              // by resource: where its rows begin
  std::vector<uint32_t> widths_;               // by resource: nodes that have it
  std::vector<std::vector<uint32_t>> places_;  // by resource, node; empty if every node has it
  std::vector<std::vector<uint32_t>> nodes_;   // by resource, place
  std::vector<Row> empty_;
  std::vector<int64_t> inexact_;  // by resource: number of taken amounts that are not whole units
  std::vector<int64_t> starts_;   // of the blocks
  std::vector<std::shared_ptr<Block>> blocks_;
  // Working storage of FindExtremes, by place; asked_ is all 0 between calls.
  Row now_;
  std::vector<uint8_t> asked_;
};

}  // namespace muster::plan
