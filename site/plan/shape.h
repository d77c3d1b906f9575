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

// How a part's nodes are chosen among those with enough room (OpenCCS Sect. 5.2, phase 2). For a
// part with one kind of chunk, a packed part or a scattered part, the policy never decides whether
// a mapping exists.
enum class Policy : uint8_t {
  kGreedy,   // cheap nodes first
  kBestFit,  // nodes with the least left over after placement first
  kSwitch    // below the lowest switch with room, of these the fullest; else on few switches
};

// Nodes in the order in which they are tried. Copies share the nodes.
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

// A cache of host lists for one machine and one set of usable nodes (N_cand is built once, OpenCCS
// Sect. 5.4).
class HostLists {
 public:
  struct Key {
    std::vector<std::pair<uint32_t, int64_t>> needs;
    std::map<std::string, std::string> properties;
    std::vector<bool> open;  // by kind of nodes: may they host the chunk (Hosts)
    auto operator<=>(const Key&) const = default;
  };
  const HostList* Find(const Key& key) const;
  void Keep(Key key, HostList hosts);
  void Clear() { known_.clear(); }

 private:
  static constexpr size_t kMost = 256;
  std::map<Key, HostList> known_;
};

// Upper bounds of what a node has free at any time of some interval, for the first resources by
// index. A chunk that needs more than a bound fits in no window that meets the interval.
using MostFree = std::array<int64_t, 4>;

// Equal chunk sets, placed by the same rules. A packed part has a single group with one set: all
// its chunks together.
struct Group {
  uint32_t chunk = 0;
  int64_t count = 0;
  std::vector<std::pair<uint32_t, int64_t>> needs;  // (resource, amount > 0) of one set
  HostList hosts;  // nodes that could host one set if they were empty
};

struct PartShape {
  Span shift;   // the booked window begins at the order's start + shift
  Span length;  // length of the booked window, on nodes as slow as its way allows
  Place place = Place::kFree;
  bool exclusive = false;
  std::vector<Group> groups;  // in mapping order: fewest hosts first, then heaviest, then as given
  std::vector<uint32_t> counts;      // by chunk: number of sets, as ordered
  std::vector<uint32_t> dimensions;  // the resources any group needs, ascending
  Policy policy = Policy::kGreedy;
  // If set, all chunks must be below one of `switches`: the smallest switches that could hold the
  // part if all nodes below them were free and in use.
  bool one_switch = false;
  std::vector<uint32_t> switches = {};
  bool restricted = false;  // some nodes that could host it are left out by its way (ways.h)
  uint32_t sets = 1;        // of its chunks that one set of a scattered part's group stands for
  // Set on a machine with a geometry: the partitions that can hold the part. No forms: none can.
  std::optional<machine::Wanted> partition = {};
};

// The amount that the whole machine must have free in [start + shift, start + shift + length).
struct SystemNeed {
  Span shift;
  Span length;
  uint32_t resource = 0;
  int64_t amount = 0;
};

// The amount that an account must have free in [start + shift, start + shift + length) if the start
// is >= `from`. Unlike a SystemNeed it is a separate constraint, which the mapper does not check.
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
  // True if more free room never makes the mapper fail: no two parts overlap in time, and each part
  // is one group or is mapped exactly. A mapping then stays valid for as long as its own nodes have
  // room, so searches may leap.
  bool monotone = true;
};

// False if a need exceeds its bound in `most`. Resources without a bound count as sufficient.
bool MayFit(const std::vector<std::pair<uint32_t, int64_t>>& needs, const MostFree& most);

// a * b, or the largest number if that is more. REQUIRES a, b >= 0.
int64_t SaturatingProduct(int64_t a, int64_t b);

}  // namespace muster::plan
