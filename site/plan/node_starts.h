// For every kind of set, class of window length and node: an instant before which the node alone
// surely cannot take one set. Bookings keep these bounds true. A release lowers them, for just
// those lengths that fit in what is free around it. So a search looks at a few single nodes (the
// authority, node_usage.h) instead of passing over rows of all nodes. The start of one set is found
// exactly; for several sets it is a lower bound.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/interval.h"
#include "base/time.h"
#include "site/plan/node_usage.h"
#include "site/plan/shape.h"
#include "site/plan/shared_log.h"

namespace muster::plan {

// Copying is cheap: copies share the data of a kind until one of them changes it.
class NodeStarts {
 public:
  struct Asked {
    const Group& group;
    bool exclusive;
    bool one_a_node;  // at most one set per node; else as many as fit
    Span length;      // of the booked window
    Instant from;     // the window begins in [from, until)
    Instant until;
    // Nodes with temporarily removed bookings (Occupancy::lent): their bounds do not hold.
    const std::vector<uint32_t>& lent;
  };
  struct First {
    // No window that begins in [from, start) has room for all sets, each node counted alone.
    // `until` if none that begins before `until` has.
    Instant start;
    // For one set: index in the group of the first host that takes it in that window.
    size_t host = SIZE_MAX;
  };
  // Finds the first window with room. None if the search gives up, since too many looks found room
  // before `from`: such results cannot be kept as bounds. This happens after calls for windows that
  // begin earlier.
  std::optional<First> Find(const NodeUsage& usage, const Asked& asked);

  // Resources on `nodes` were freed over `booked`. `most`: by node, what it has free there at most.
  void Release(const Interval& booked, const std::vector<uint32_t>& nodes,
               const std::vector<MostFree>& most);

 private:
  // Seconds since Kind::origin.
  using Offset = int32_t;
  static constexpr Offset kNever = INT32_MAX;
  static constexpr size_t kRun = 64;  // hosts per entry of Row::least

  // Bounds for one window length, by host: no window with room for a set begins between the base of
  // the kind and the bound.
  struct Row {
    int64_t length = 0;
    std::vector<Offset> bounds;
    std::vector<Offset> least;  // minimum over each run of kRun hosts
    void Set(size_t host, Offset bound);
    // The first of the hosts with the least bound. REQUIRES there are hosts.
    size_t Lowest() const;
  };
  struct Kind {
    using Needs = std::vector<std::pair<uint32_t, int64_t>>;
    Needs asked;  // what one set needs
    bool exclusive = false;
    HostList hosts;
    Needs needs;                 // what it takes of a node (NeedsOf), scarcest first
    std::vector<int32_t> place;  // by node: index of the host, or -1
    int64_t most = 0;            // most sets that an empty host has room for
    int64_t origin = 0;
    int64_t base = 0;                        // nothing is known of windows that begin earlier
    uint64_t stamp = 0;                      // given_ before this number is applied
    uint64_t used = 0;                       // clock_ when it was last used
    std::vector<std::shared_ptr<Row>> rows;  // by length, ascending

    Offset OffsetOf(int64_t t) const;
    int64_t TimeOf(Offset offset) const;
  };
  struct Given {
    uint32_t node;
    int64_t begin;
    int64_t end;
    MostFree most;
  };
  class Pass;

  static std::vector<std::pair<uint32_t, int64_t>> NeedsOf(const NodeUsage& usage,
                                                           const Asked& asked);
  Kind& Known(const NodeUsage& usage, const Asked& asked);
  Kind& Mutable(size_t at);
  static Row& Mutable(Kind& kind, size_t at);
  void MakeRoom();
  void CatchUp(const NodeUsage& usage, Kind& kind) const;
  static void Lower(const NodeUsage& usage, Kind& kind, const Given& given);
  Row& RowOf(Kind& kind, Span length);

  std::vector<std::shared_ptr<Kind>> known_;
  SharedLog<Given, 256> given_;  // by stamp
  uint64_t clock_ = 0;
  bool grown_ = false;  // rows were added since the last MakeRoom
};

}  // namespace muster::plan
