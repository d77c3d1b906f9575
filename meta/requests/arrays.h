// Per array: the states of its elements, and which of them take its places (the limit of elements
// that run at once). Derived from the elements' records and rebuilt on load. cli.md section 3
// (submit -a).
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

// Number of elements. REQUIRES: step > 0.
inline uint64_t ElementsOf(const schemas::ArraySpec& a) { return (a.last - a.first) / a.step + 1; }

class Arrays {
 public:
  // Counts the element's present state, in place of its earlier one.
  void Count(const schemas::RequestRecord& element);
  // Removes all data of the array.
  void Erase(RequestId array) { all_.erase(array); }

  // Counts as of the last Count; the caller fills in failures and sites.
  schemas::ArrayView CountsOf(RequestId array) const;
  // Whether all counted elements have ended.
  bool AllEnded(RequestId array) const;
  // The first elements that ended badly, at most kFailuresShown.
  std::set<RequestId> FailuresOf(RequestId array) const;

  // An element takes one of its array's places when it is permitted, or will be as soon as its site
  // has committed.
  void Take(RequestId element) { all_[element.array()].taken.insert(element); }
  void GiveBack(RequestId element);
  bool Has(RequestId element) const;
  uint64_t Taken(RequestId array) const;

  // Marks an element that has a booking but waits for one of the array's places (its attempt is
  // gated).
  void SetGated(RequestId element, bool gated);
  // The first marked elements by id, at most `limit`.
  std::vector<RequestId> Gated(RequestId array, size_t limit) const;

  // Sets the span from the booked start of an element to its latest end; nullopt: it has no
  // booking.
  void SetSpan(RequestId element, std::optional<Interval> span);
  // When the last element will have ended; nullopt while an unfinished element has no booking,
  // while one has an unknown outcome, and once all have ended.
  std::optional<Instant> LastEnd(RequestId array) const;
  // The time from which on, by these spans, fewer than `at_once` other elements can still run;
  // Instant{0} if fewer run at any time. For an element with a booking, only those others count
  // that begin before it or have one of the array's places.
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
