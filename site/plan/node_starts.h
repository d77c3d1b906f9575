// From when on each node, by itself, could take one set: for every kind of set and class of length,
// an instant before which it surely cannot. Booking keeps that true; what is given back lowers it,
// for just those lengths that fit in what is free around it. So a search asks a few single nodes
// (the authority, node_usage.h) instead of passing over what all of them have. One set is found
// exactly; for several, the start is a bound.
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

// Copying is cheap: what is known of a kind is shared until one copy changes it.
class NodeStarts {
 public:
  struct Asked {
    const Group& group;
    bool exclusive;
    bool one_a_node;  // else as many as there is room for
    Span length;      // of the booked window
    Instant from;     // where the window may begin
    Instant until;
    // Nodes of which something is out for now: nothing that is known of them holds.
    const std::vector<uint32_t>& lent;
  };
  struct First {
    // No window begins in [from, start) at which the nodes could take all sets, each by itself;
    // `until` if there is none before.
    Instant start;
    // For one set: the first host, by its place in the group, that takes it in that window.
    size_t host = SIZE_MAX;
  };
  // None if it would cost more than to look at all nodes: mostly if windows were asked about before
  // that begin earlier, so that what is found out cannot be kept.
  std::optional<First> Find(const NodeUsage& usage, const Asked& asked);

  // Something was given back that was booked then, on these nodes.
  // REQUIRES what each node has free then.
  void Release(const Interval& booked, const std::vector<uint32_t>& nodes,
               const std::vector<MostFree>& most);

 private:
  // Seconds since the origin of its kind.
  using Offset = int32_t;
  static constexpr Offset kNever = INT32_MAX;
  static constexpr size_t kRun = 64;  // hosts that have a least bound together

  // Of one length, by host: no window of it begins between the base of the kind and the bound.
  struct Row {
    int64_t length = 0;
    std::vector<Offset> bounds;
    std::vector<Offset> least;  // by run of hosts
    void Set(size_t host, Offset bound);
    // The host with the least bound, of such the first. REQUIRES there are hosts.
    size_t Lowest() const;
  };
  struct Kind {
    using Needs = std::vector<std::pair<uint32_t, int64_t>>;
    Needs asked;  // of a set
    bool exclusive = false;
    HostList hosts;
    Needs needs;                 // what of a node that takes, scarcest first
    std::vector<int32_t> place;  // by node: which host, or -1
    int64_t most = 0;            // sets that an empty host has room for
    int64_t origin = 0;
    int64_t base = 0;                        // nothing is known of windows that begin earlier
    uint64_t stamp = 0;                      // releases before it are counted
    uint64_t used = 0;                       // when it was asked for last
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
  bool grown_ = false;  // there are more bounds than when room was made last
};

}  // namespace muster::plan
