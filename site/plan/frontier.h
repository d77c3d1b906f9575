// What searches have shown: before which start orders of one shape cannot begin. More bookings
// never make room, so it stays true until something is given back, and an order that asks for more,
// or for longer, cannot begin before either. Equal elements of an array, a pass of backfilling and
// the entries of a verdict need not prove it again.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "site/plan/shape.h"

namespace muster::plan {

class Frontier {
 public:
  // Of orders of one part and one kind of chunk: what makes them comparable.
  struct Kind {
    std::vector<std::pair<uint32_t, int64_t>> needs;
    std::map<std::string, std::string> properties;
    Place place = Place::kFree;
    bool exclusive = false;
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

  // No start in [from, returned) works; `given` is when the first of what the asker gives back
  // itself begins.
  Instant Known(const Asked& asked, Instant from, Instant given) const;
  // A search has shown that no start in [from, until) works.
  void Learn(const Asked& asked, Instant from, Instant until);
  // Something was given back that began then.
  void Release(Instant begin);
  // A node came back, or what else is not a release.
  void Forget() { known_.clear(); }

 private:
  // No window of `length` for `count` sets begins in [from, until), but for what was released.
  struct Shown {
    int64_t count = 0;
    Span length;
    Instant from;
    Instant until;
    Instant released = kFarFuture;  // the first of it
    Instant Bound(Span of_length) const;
  };
  static constexpr size_t kMostKinds = 256;
  static constexpr size_t kMostShown = 24;  // of a kind

  std::map<Kind, std::vector<Shown>> known_;
};

}  // namespace muster::plan
