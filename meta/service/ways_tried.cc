// Bookkeeping only; each way is asked once.
#include "meta/service/ways_tried.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/check.h"

namespace muster::meta {
namespace {

const WayFound* Paid(const std::optional<WayFound>& found) {
  return found && !found->unpaid ? &*found : nullptr;
}

}  // namespace

void WaysTried::Add(Way way) {
  const bool there = std::any_of(ways_.begin(), ways_.end(), [&way](const Tried& tried) {
    return tried.way.kind == Way::Kind::kChange && tried.way.spec == way.spec;
  });
  if (there) return;
  if (ways_.size() == kWaysTried) {
    ++beyond_;
    return;
  }
  ways_.push_back({.way = std::move(way)});
}

std::optional<size_t> WaysTried::Next() {
  if (next_ == ways_.size()) return std::nullopt;
  ++out_;
  return next_++;
}

void WaysTried::Answer(size_t place, std::optional<WayFound> found) {
  Tried& tried = ways_.at(place);
  MUSTER_CHECK(place < next_ && !tried.answered);
  tried.answered = true;
  tried.found = std::move(found);
  --out_;
}

const WayFound* WaysTried::FoundOf(Way::Kind kind) const {
  for (const Tried& tried : ways_) {
    if (tried.way.kind == kind) return Paid(tried.found);
  }
  return nullptr;
}

std::vector<WaysTried::Helpful> WaysTried::ThatHelp(Instant before, Span saves) const {
  std::vector<Helpful> out;
  for (const Tried& tried : ways_) {
    if (tried.way.kind != Way::Kind::kChange || !Paid(tried.found)) continue;
    Instant than = before;
    for (const Tried& other : ways_) {
      const bool less = !other.way.number.empty() && other.way.number == tried.way.number &&
                        other.way.left > tried.way.left;
      if (less && Paid(other.found)) than = std::min(than, other.found->starts_by);
    }
    if (tried.found->starts_by + saves <= than) out.push_back({&tried.way, &*tried.found});
  }
  return out;
}

size_t WaysTried::unproved() const {
  return static_cast<size_t>(std::count_if(ways_.begin(), ways_.end(), [](const Tried& tried) {
    return tried.way.kind == Way::Kind::kChange && tried.answered && !tried.found;
  }));
}

size_t WaysTried::untried() const {
  return beyond_ +
         static_cast<size_t>(std::count_if(ways_.begin(), ways_.end(), [](const Tried& tried) {
           return tried.way.kind == Way::Kind::kChange && !tried.answered;
         }));
}

}  // namespace muster::meta
