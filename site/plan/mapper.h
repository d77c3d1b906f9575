// The mapper: puts an order on nodes at one start, first fit in the order of its policy (OpenCCS
// Sect. 5.2). A pure function of what is booked, the order and the start (scheduling.md section 3).
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "site/plan/free_units.h"
#include "site/plan/occupancy.h"
#include "site/plan/order.h"
#include "site/plan/shape.h"
#include "site/plan/sieve.h"

namespace muster::plan {

// REQUIRES that the constructor's arguments outlive the mapper, and that occupancy and shape do not
// change.
class Mapper {
 public:
  // With sieves (by part and group) At looks only at hosts that they let through at the last start
  // that passed them. REQUIRES that At is then called for no other start.
  Mapper(const Occupancy& occupancy, const Shape& shape,
         const std::vector<std::vector<Sieve>>* sieves = nullptr);

  // The mapping at this start, if there is one. It is exact for `scatter` (a matching of chunks and
  // nodes) and for `pack`. Several kinds of chunks with `free` are placed first fit in the shape's
  // order.
  std::optional<Mapping> At(Instant start);
  // First start after `start` at which what At looks at changes; before it, At gives the same
  // result as at `start`. The first call makes the mapper remember what it looks at. REQUIRES that
  // calls of At and SameUntil never go back in time from then on.
  Instant SameUntil(Instant start);
  // The units that are free over the window of a part. REQUIRES that the part needs a partition,
  // and that the result is asked for no earlier start than At was.
  FreeUnits& UnitsFor(size_t part);

 private:
  struct Earlier {  // what an earlier part of the same order takes
    uint32_t node;
    Instant begin;
    Instant end;
    Amounts amounts;  // by dimension
  };
  bool MapPart(const PartShape& part, std::vector<Assignment>& out);
  bool MapAlone(const PartShape& part, std::vector<Assignment>& out) const;
  // The switch below which to place; none: anywhere.
  using Below = std::optional<uint32_t>;
  using Nodes = std::span<const uint32_t>;
  bool MapThere(const PartShape& part, Below below, std::vector<Assignment>& out);
  bool MapFree(const PartShape& part, Below below, std::vector<Assignment>& out);
  bool MapScatter(const PartShape& part, Below below, std::vector<Assignment>& out);
  bool GiveWay(const PartShape& part, const std::vector<Nodes>& hosts, size_t group,
               std::vector<size_t>& owner);
  bool MapPartition(const PartShape& part, std::vector<Assignment>& out);
  // choices.cc
  bool MapByChoice(const PartShape& part, std::vector<Assignment>& out);
  std::vector<uint32_t> SwitchesWithRoom(const PartShape& part);
  // The group's hosts in the order in which they are tried, given the part's assignments so far.
  // `room` stores them unless they are simply all hosts.
  Nodes InOrder(const PartShape& part, const Group& group, Below below,
                const std::vector<Assignment>& so_far, std::vector<uint32_t>& room);
  void ByLeftOver(const PartShape& part, const Group& group, std::vector<uint32_t>& nodes);
  void BySwitch(const PartShape& part, const Group& group, const std::vector<Assignment>& so_far,
                std::vector<uint32_t>& nodes);
  int64_t Fit(const PartShape& part, const Group& group, uint32_t node);
  void Look(const PartShape& part, uint32_t node);
  int64_t FreeOver(const PartShape& part, uint32_t node, uint32_t dimension);
  int64_t FreeBesideEarlier(const PartShape& part, uint32_t node, uint32_t dimension,
                            std::vector<Instant> cuts);
  void Remember(const PartShape& part, const std::vector<Assignment>& assigned);

  const Occupancy& occupancy_;
  const Shape& shape_;
  const std::vector<std::vector<Sieve>>* sieves_;
  Instant start_;
  std::vector<Earlier> earlier_;
  std::map<size_t, FreeUnits> units_;  // by part
  std::vector<int64_t> free_;          // by node and dimension, valid where seen_
  std::vector<bool> seen_;
  // The free amount over a part's window, and the start before which it does not change.
  struct Window {
    int64_t free = 0;
    Instant until{INT64_MIN};
  };
  bool remembers_ = false;
  std::vector<Window> windows_;  // by part, node and dimension
  Instant same_until_ = kFarFuture;
};

// Turns assignments of groups into those of the chunks that they stand for, ascending by chunk.
void ToChunks(const PartShape& part, std::vector<Assignment>& assigned);

// The amounts that a mapping blocks: per part, per node, by dimension. An exclusive part blocks all
// that its nodes have.
std::vector<std::vector<NodeUse>> UsesOf(const Order& order, const Mapping& mapping,
                                         const Occupancy& occupancy);

}  // namespace muster::plan
