// Each element is in exactly one count. Ends are sorted, so that LastEnd and FreeFrom need no scan
// over the elements.
#include "meta/requests/arrays.h"

#include <cstddef>
#include <iterator>
#include <utility>

#include "schemas/limits.h"

namespace muster::meta {

using schemas::Outcome;
using schemas::RequestState;

Arrays::Stand Arrays::StandOf(const schemas::RequestRecord& r) {
  switch (r.state) {
    case RequestState::kWaiting:
    case RequestState::kParked:
      return Stand::kWaiting;
    case RequestState::kPromised:
      return Stand::kPromised;
    case RequestState::kStarting:
    case RequestState::kRunning:
    case RequestState::kCancelling:
      return Stand::kRunning;
    case RequestState::kUnknown:
      return Stand::kUnknown;
    case RequestState::kEnded:
      break;
  }
  switch (r.outcome.value_or(Outcome::kLost)) {
    case Outcome::kDone:
      return Stand::kDone;
    case Outcome::kCancelled:
    case Outcome::kRefused:
      return Stand::kCancelled;
    case Outcome::kFailed:
    case Outcome::kTimeout:
    case Outcome::kLost:
      return Stand::kFailed;
  }
  return Stand::kFailed;
}

const Arrays::Array* Arrays::Find(RequestId id) const {
  const auto it = all_.find(id.array());
  return it == all_.end() ? nullptr : &it->second;
}

void Arrays::Count(const schemas::RequestRecord& element) {
  Array& array = all_[element.id.array()];
  const Stand now = StandOf(element);
  const auto [it, fresh] = array.stands.emplace(element.id, now);
  if (!fresh) {
    --array.counts[static_cast<size_t>(it->second)];
    it->second = now;
  }
  ++array.counts[static_cast<size_t>(now)];
  if (now == Stand::kFailed) {
    array.failures.insert(element.id);
  } else {
    array.failures.erase(element.id);
  }
}

schemas::ArrayView Arrays::CountsOf(RequestId id) const {
  schemas::ArrayView out;
  const Array* array = Find(id);
  if (!array) return out;
  const auto count = [&](Stand stand) { return array->counts[static_cast<size_t>(stand)]; };
  out.waiting = count(Stand::kWaiting);
  out.promised = count(Stand::kPromised);
  out.running = count(Stand::kRunning);
  out.unknown = count(Stand::kUnknown);
  out.done = count(Stand::kDone);
  out.failed = count(Stand::kFailed);
  out.cancelled = count(Stand::kCancelled);
  return out;
}

bool Arrays::AllEnded(RequestId id) const {
  const schemas::ArrayView c = CountsOf(id);
  return c.waiting + c.promised + c.running + c.unknown == 0;
}

std::set<RequestId> Arrays::FailuresOf(RequestId id) const {
  std::set<RequestId> out;
  const Array* array = Find(id);
  if (!array) return out;
  for (const RequestId element : array->failures) {
    if (out.size() == schemas::kFailuresShown) break;
    out.insert(element);
  }
  return out;
}

void Arrays::GiveBack(RequestId element) {
  const auto it = all_.find(element.array());
  if (it != all_.end()) it->second.taken.erase(element);
}

bool Arrays::Has(RequestId element) const {
  const Array* array = Find(element);
  return array && array->taken.contains(element);
}

uint64_t Arrays::Taken(RequestId id) const {
  const Array* array = Find(id);
  return array ? array->taken.size() : 0;
}

void Arrays::SetGated(RequestId element, bool gated) {
  Array& array = all_[element.array()];
  if (gated) {
    array.gated.insert(element);
  } else {
    array.gated.erase(element);
  }
}

std::vector<RequestId> Arrays::Gated(RequestId id, size_t limit) const {
  std::vector<RequestId> out;
  const Array* array = Find(id);
  if (!array) return out;
  for (const RequestId element : array->gated) {
    if (out.size() == limit) break;
    out.push_back(element);
  }
  return out;
}

std::optional<Instant> Arrays::LastEnd(RequestId id) const {
  const Array* array = Find(id);
  const schemas::ArrayView c = CountsOf(id);
  const uint64_t open = c.waiting + c.promised + c.running;
  if (!array || c.unknown > 0 || open == 0 || array->span_of.size() < open) return std::nullopt;
  return *array->ends.rbegin();
}

void Arrays::SetSpan(RequestId element, std::optional<Interval> span) {
  Array& array = all_[element.array()];
  const auto known = array.span_of.find(element);
  if (known != array.span_of.end()) {
    array.ends.erase(array.ends.find(known->second.end));
    array.begins.erase({known->second.begin, element});
    array.span_of.erase(known);
  }
  if (!span) return;
  array.span_of[element] = *span;
  array.ends.insert(span->end);
  array.begins.insert({span->begin, element});
}

Instant Arrays::FreeFrom(RequestId element, uint64_t at_once) const {
  const Array* array = Find(element);
  if (!array || at_once == 0 || array->ends.size() < at_once) return Instant{0};
  // After the at_once-th largest end, at most at_once - 1 elements still run.
  const auto nth_largest = [at_once](const std::multiset<Instant>& ends) {
    if (ends.size() < at_once) return Instant{0};
    return *std::next(ends.rbegin(), static_cast<std::ptrdiff_t>(at_once - 1));
  };
  const auto own = array->span_of.find(element);
  if (own == array->span_of.end()) return nth_largest(array->ends);
  // An element that has taken one of the array's places keeps it until its end, whenever it begins.
  // Of the others, those that begin before this one count. Elements last about equally long, so the
  // latest ends are sought among the 2 * at_once that begin last before it.
  std::multiset<Instant> before;
  for (const RequestId other : array->taken) {
    const auto span = array->span_of.find(other);
    if (other != element && span != array->span_of.end()) before.insert(span->second.end);
  }
  auto it = array->begins.find({own->second.begin, element});
  for (uint64_t looks = 2 * at_once; looks > 0 && it != array->begins.begin(); --looks) {
    --it;
    if (!array->taken.contains(it->second)) before.insert(array->span_of.at(it->second).end);
  }
  return nth_largest(before);
}

}  // namespace muster::meta
