// The ways in which an order may be placed: which nodes each part may have, how many of its chunks
// each of them gets, and how long it is booked there. A way is what one choice of groups leaves, so
// that it is searched like an order without node sets. Maui Sect. IV (node sets), scheduling.md
// (node sets).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "site/machine/machine.h"
#include "site/plan/order.h"

namespace muster::plan {

// Most combinations of groups of the parts of one order: each is searched by itself.
inline constexpr size_t kMostWays = 256;

// In which order a part's hosts are tried: as the site says; the slowest first; or, below few
// switches.
enum class Prefer : uint8_t { kAsSiteSays, kSlowest, kFewSwitches };

// Why an even part (Part::even) may fit nowhere though there is room.
inline constexpr char kEqualShares[] =
    "a part has as much of one of its nodes as of any other here: another number of chunks, of one "
    "kind, or all on one node (pack), or whole nodes (excl)";

struct PartWay {
  using Nodes = std::shared_ptr<const std::vector<bool>>;  // by node
  using Speeds = std::shared_ptr<const std::vector<int64_t>>;

  Nodes only;                  // the nodes that it may have; null: any
  int64_t speed = kFullSpeed;  // of the slowest of them; its length is that of this speed
  bool one_switch = false;     // all below one switch
  Prefer prefer = Prefer::kAsSiteSays;
  std::string group;  // for people: "speed=80%"; "": no group was chosen
  Speeds values;      // by node: what its loss is counted in; null: the nodes' speeds
  // How its chunks lie, if not as the part says: of an even part, `sets` of its chunk on each node,
  // or all chunks on one.
  std::optional<Place> place = {};
  uint32_t sets = 1;
};

struct Way {
  std::vector<PartWay> parts;
  // As in SetCandidate.
  std::vector<uint32_t> wish;
  uint32_t level = 0;
  std::vector<int64_t> value;
};

struct Ways {
  std::vector<Way> all;
  Span wait;                // how much later than the earliest start what is wished for may be
  std::optional<Why> none;  // set if there is no way on this machine
  bool has_groups = false;  // a part has a set whose groups are chosen here
};

// `limits`: by node; empty: there are none. REQUIRES: the order makes sense (CheckOrder). Which
// nodes are in use does not matter.
Ways WaysOf(const Order& order, const machine::Machine& machine,
            const std::vector<TimeLimit>& limits = {});

// By how much longer the part is booked at this speed; < 0: shorter.
Span SlowerBy(const Part& part, int64_t speed);
// What a way makes of the parts of an order; empty if nothing.
std::vector<Chosen> ChosenBy(const Order& order, const Way& way);

}  // namespace muster::plan
