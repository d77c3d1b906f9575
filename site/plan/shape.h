// An order compiled for one machine: resources as indices, the nodes that could host each chunk,
// and the order in which chunks are mapped. OpenCCS Sect. 5.1 (jRS) and 5.2 (N_cand, weights).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "site/machine/known_set.h"
#include "site/machine/machine.h"
#include "site/plan/order.h"
#include "site/plan/rules.h"

namespace muster::plan {

// How nodes are chosen for a part among those that have the room (OpenCCS Sect. 5.2, phase 2). No
// policy changes whether a part of one kind of chunk, a packed or a scattered one has a place.
enum class Policy : uint8_t {
  kGreedy,   // cheap nodes first
  kBestFit,  // nodes first that have least left over then
  kSwitch    // below the smallest and fullest switch that holds it, else below as few as possible
};

// Nodes in the order in which they are tried; shared by all shapes that have the same.
class HostList {
 public:
  HostList() : HostList(std::vector<uint32_t>()) {}
  explicit HostList(std::vector<uint32_t> nodes)
      : nodes_(std::make_shared<const std::vector<uint32_t>>(std::move(nodes))) {}
  auto begin() const { return nodes_->begin(); }
  auto end() const { return nodes_->end(); }
  size_t size() const { return nodes_->size(); }
  bool empty() const { return nodes_->empty(); }
  std::span<const uint32_t> nodes() const { return *nodes_; }
  uint32_t operator[](size_t at) const { return (*nodes_)[at]; }
  bool operator==(const HostList& other) const {
    return nodes_ == other.nodes_ || *nodes_ == *other.nodes_;
  }

 private:
  std::shared_ptr<const std::vector<uint32_t>> nodes_;
};

// Host lists that were made before (N_cand is built once, OpenCCS Sect. 5.4), for one machine and
// one set of usable nodes.
class HostLists {
 public:
  struct Key {
    std::vector<std::pair<uint32_t, int64_t>> needs;
    std::map<std::string, std::string> properties;
    std::vector<bool> open;  // kinds of nodes
    auto operator<=>(const Key&) const = default;
  };
  const HostList* Find(const Key& key) const;
  void Keep(Key key, HostList hosts);
  void Clear() { known_.clear(); }

 private:
  static constexpr size_t kMost = 256;
  std::map<Key, HostList> known_;
};

// What a node has free at most at any time of some interval, of the first resources: who needs more
// of one of them has no room in any window that meets the interval.
using MostFree = std::array<int64_t, 4>;

// Equal chunk sets that are placed alike. For `pack` one group stands for all chunks of the part
// together.
struct Group {
  uint32_t chunk = 0;
  int64_t count = 0;
  std::vector<std::pair<uint32_t, int64_t>> needs;  // (resource, amount > 0) of one set
  HostList hosts;  // nodes that could host one set if they were empty
};

struct PartShape {
  Span shift;   // the booked window begins at the order's start + shift
  Span length;  // and is this long
  Place place = Place::kFree;
  bool exclusive = false;
  std::vector<Group> groups;  // in mapping order: fewest hosts first, then heaviest, then as given
  std::vector<uint32_t> counts;      // sets of every chunk, as ordered
  std::vector<uint32_t> dimensions;  // the resources any group needs, ascending
  Policy policy = Policy::kGreedy;
  // All its chunks are below one of `switches`: those that could hold it if they and all their
  // nodes were free, with no switch below them that could.
  bool one_switch = false;
  std::vector<uint32_t> switches = {};
  // On a machine with a geometry: the partitions that hold it. Without forms there is none.
  std::optional<machine::Wanted> partition = {};
};

// What the machine as a whole must have free in [start + shift, start + shift + length).
struct SystemNeed {
  Span shift;
  Span length;
  uint32_t resource = 0;
  int64_t amount = 0;
};

// What an account must have free in [start + shift, start + shift + length), for starts from `from`
// on. Unlike a SystemNeed it is a constraint of its own: the mapper does not know of it.
struct AccountNeed {
  Span shift;
  Span length;
  Account account;
  int64_t amount = 0;
  Instant from{INT64_MIN};
};

struct Shape {
  std::vector<PartShape> parts;
  std::vector<SystemNeed> system;
  std::vector<AccountNeed> accounts;
  // More room never makes the mapper fail: no two parts overlap, and every part is one group or is
  // mapped exactly. Then a mapping, once found, holds for as long as it has its room, and searches
  // may leap.
  bool monotone = true;
};

// Could so much be free then?
bool MayFit(const std::vector<std::pair<uint32_t, int64_t>>& needs, const MostFree& most);

// a * b, or the largest number if that is more. REQUIRES a, b >= 0.
int64_t SaturatingProduct(int64_t a, int64_t b);

}  // namespace muster::plan
