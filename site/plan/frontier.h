// What searches have shown: before which start orders of one shape cannot begin. More bookings
// never make room, so it stays true until something is given back, and an order that asks for more,
// or for longer, cannot begin before either. Equal elements of an array, a pass of backfilling and
// the entries of a verdict need not prove it again.
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

// Copying is cheap.
class Frontier {
 public:
  // Of orders of one part and one kind of chunk: what makes them comparable.
  struct Kind {
    std::vector<std::pair<uint32_t, int64_t>> needs;
    std::map<std::string, std::string> properties;
    Place place = Place::kFree;
    bool exclusive = false;
    // Of a partition: more units may fit where fewer do not, so that only equal ones compare.
    uint32_t units = 0;
    auto operator<=>(const Kind&) const = default;
  };
  struct Asked {
    Kind kind;
    int64_t count = 0;
    Span shift;   // the booked window begins at the start + shift
    Span length;  // and is this long
  };
  // None if nothing can be shown of such orders.
  static std::optional<Asked> AskedBy(const Order& order, const Shape& shape);

  // Could a node take one set for so long in a window that meets [begin, end)?
  using Takes = std::function<bool(uint32_t node, Span length, const Interval& booked)>;
  // The starts of [from, kFarFuture) that may work. `given` are the booked windows that may work
  // for what the asker gives back itself.
  IntervalSet Open(const Asked& asked, Instant from, std::optional<Interval> given,
                   const Takes& takes);
  // A search has shown that no start in [from, until) works.
  void Learn(const Asked& asked, Instant from, Instant until, const Takes& takes);
  // Something was given back that was booked then, on these nodes, none of which has more free then
  // than `most`.
  void Release(Interval booked, std::vector<uint32_t> nodes, const MostFree& most);
  // A node came back, or what else is not a release.
  void Forget() { known_.clear(); }

 private:
  // No window of `length` for `count` sets begins in [from, until), but for those that meet what
  // was released since.
  struct Shown {
    int64_t count = 0;
    Span length;
    Instant from;
    Instant until;
    std::vector<Interval> released;  // ascending, apart from each other
  };
  struct Known {
    Kind kind;
    std::vector<Shown> shown;  // by length
    uint64_t stamp = 0;        // releases before it are counted
  };
  struct Given {
    Interval booked;
    std::vector<uint32_t> nodes;
    MostFree most;
  };
  static constexpr size_t kMostKinds = 256;
  static constexpr size_t kMostShown = 256;      // of a kind
  static constexpr size_t kMostReleased = 32;    // apart; what lies nearest is joined
  static constexpr size_t kMostReleases = 8192;  // what is older than these is not known any more

  static void AddReleased(Shown& shown, const Interval& booked);
  static Span OpenWithin(const Shown& shown, Span length);
  // The place of what is known of the kind, or would be.
  size_t PlaceOf(const Kind& kind) const;
  Known& Mutable(size_t place);
  void CatchUp(Known& known, const Takes& takes) const;

  std::vector<std::shared_ptr<Known>> known_;  // by kind; shared until one copy writes
  SharedLog<Given> releases_;                  // by stamp
};

}  // namespace muster::plan
