// Remembers what searches have proved: before which start orders of one shape cannot begin. More
// bookings never make room, so a proof holds until resources are released. It also holds for orders
// that ask for more or for longer. Equal elements of an array, a pass of backfilling and the
// entries of a verdict need not prove the same again.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/interval.h"
#include "base/time.h"
#include "site/plan/shape.h"
#include "site/plan/shared_log.h"

namespace muster::plan {

// Copying is cheap: copies share data until one of them writes.
class Frontier {
 public:
  // The properties that make orders of one part and one kind of chunk comparable.
  struct Kind {
    std::vector<std::pair<uint32_t, int64_t>> needs;
    std::map<std::string, std::string> properties;
    Place place = Place::kFree;
    bool exclusive = false;
    // Units of the partition; 0: the part needs no partition. More units may fit where fewer do
    // not, so only orders with equal `units` compare.
    uint32_t units = 0;
    auto operator<=>(const Kind&) const = default;
  };
  struct Asked {
    Kind kind;
    int64_t count = 0;
    Span shift;   // the booked window begins at the start + shift
    Span length;  // length of the booked window
  };
  // The properties of an order that the frontier compares; none if it cannot handle the order.
  static std::optional<Asked> AskedBy(const Order& order, const Shape& shape);

  // Could the node take one set for `length` in a window that meets `booked`?
  using Takes = std::function<bool(uint32_t node, Span length, const Interval& booked)>;
  // The starts of [from, kFarFuture) that are not ruled out. `given`: begins of booked windows that
  // may work because the booking that is being planned again is itself removed.
  IntervalSet Open(const Asked& asked, Instant from, std::optional<Interval> given,
                   const Takes& takes);
  // A search has shown that no start in [from, until) works.
  void Learn(const Asked& asked, Instant from, Instant until, const Takes& takes);
  // Resources on `nodes` were freed over `booked`; each node now has at most `most` free there.
  void Release(Interval booked, std::vector<uint32_t> nodes, const MostFree& most);
  // Drops all proofs: for changes other than a release, such as a node that comes back.
  void Forget() { known_.clear(); }

 private:
  // A proof: no window of `length` with room for `count` sets begins in [from, until), except
  // windows that meet an interval of `released`.
  struct Shown {
    int64_t count = 0;
    Span length;
    Instant from;
    Instant until;
    std::vector<Interval> released;  // since the proof; ascending, disjoint
  };
  struct Known {
    Kind kind;
    std::vector<Shown> shown;  // by length
    uint64_t stamp = 0;        // releases_ before this number are applied
  };
  struct Given {
    Interval booked;
    std::vector<uint32_t> nodes;
    MostFree most;
  };
  static constexpr size_t kMostKinds = 256;
  static constexpr size_t kMostShown = 256;      // proofs of one kind
  static constexpr size_t kMostReleased = 32;    // intervals of a proof; beyond, the two closest
                                                 // are joined
  static constexpr size_t kMostReleases = 8192;  // entries of releases_; a kind that missed older
                                                 // ones loses its proofs

  static void AddReleased(Shown& shown, const Interval& booked);
  static Span OpenWithin(const Shown& shown, Span length);
  // Index of the kind in known_, or where it would be inserted.
  size_t PlaceOf(const Kind& kind) const;
  Known& Mutable(size_t place);
  void CatchUp(Known& known, const Takes& takes) const;

  std::vector<std::shared_ptr<Known>> known_;  // by kind; shared until one copy writes
  SharedLog<Given> releases_;                  // by stamp
};

}  // namespace muster::plan
