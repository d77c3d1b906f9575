// Arrays of jobs as a whole: how their elements stand, and how many of them may run at once. Kept
// beside the elements' own records, and rebuilt from them. cli.md section 3 (submit -a).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/interval.h"
#include "base/time.h"
#include "schemas/meta_records.h"

namespace muster::meta {

// Indexes of an array, ascending. REQUIRES: step > 0.
inline uint64_t ElementsOf(const schemas::ArraySpec& a) { return (a.last - a.first) / a.step + 1; }

class Arrays {
 public:
  // How an element stands now; replaces what was counted of it before.
  void Count(const schemas::RequestRecord& element);
  // Nothing is left of the array.
  void Erase(RequestId array) { all_.erase(array); }

  // Counts as of the last Count; failures and sites are the caller's.
  schemas::ArrayView CountsOf(RequestId array) const;
  // All elements that were counted have ended.
  bool AllEnded(RequestId array) const;
  // The first elements that ended badly, at most kFailuresShown.
  std::set<RequestId> FailuresOf(RequestId array) const;

  // An element that is permitted, or will be as soon as a site committed, has one of the places of
  // its array.
  void Take(RequestId element) { all_[element.array()].taken.insert(element); }
  void GiveBack(RequestId element);
  bool Has(RequestId element) const;
  uint64_t Taken(RequestId array) const;

  // An element whose place in time waits for one of the array's places (its attempt is gated).
  void SetGated(RequestId element, bool gated);
  std::vector<RequestId> Gated(RequestId array, size_t limit) const;  // the first ones

  // From when to when an element that was given a place in time runs at most; none: it has no
  // place.
  void SetSpan(RequestId element, std::optional<Interval> span);
  // When all that is left of the array will have ended; none while an unfinished element has no
  // place in time.
  std::optional<Instant> LastEnd(RequestId array) const;
  // From when on, by these spans, fewer than `at_once` other elements can still run. Of one that
  // has a place in time, only those before it count, and those that have one of the array's places.
  Instant FreeFrom(RequestId element, uint64_t at_once) const;

 private:
  enum class Stand : uint8_t {
    kWaiting,
    kPromised,
    kRunning,
    kUnknown,
    kDone,
    kFailed,
    kCancelled,
  };
  static constexpr size_t kStands = 7;
  static Stand StandOf(const schemas::RequestRecord& element);

  struct Array {
    std::map<RequestId, Stand> stands;
    std::array<uint64_t, kStands> counts{};
    std::set<RequestId> failures;
    std::set<RequestId> taken;
    std::set<RequestId> gated;
    std::map<RequestId, Interval> span_of;
    std::multiset<Instant> ends;
    std::set<std::pair<Instant, RequestId>> begins;
  };
  const Array* Find(RequestId id) const;

  std::map<RequestId, Array> all_;
};

}  // namespace muster::meta
