// Two step functions, the site's free profile and the meta's own bookings, searched together in one
// forward walk.
#include "partitioner/shadow.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "schemas/limits.h"

namespace muster::partitioner {
namespace {

constexpr Instant kBegin{-kFarFuture.seconds};

// Integral of a resource over [from, from + kLoadSpan), in units times seconds.
double Sum(const Steps& steps, size_t resource, Instant from) {
  const Instant until = from + Shadow::kLoadSpan;
  double out = 0;
  const size_t after = steps.After(from);
  for (size_t i = after > 0 ? after - 1 : 0; i < steps.size() && steps.from(i) < until; ++i) {
    const Instant begin = std::max(steps.from(i), from);
    const Instant end = i + 1 == steps.size() ? until : std::min(steps.from(i + 1), until);
    out += static_cast<double>(steps.at(i)[resource]) * static_cast<double>((end - begin).seconds);
  }
  return out;
}

}  // namespace

bool Shadow::SetCapacity(const schemas::Capacity& capacity) {
  ResourceSet total;
  for (const schemas::NodeClass& node : capacity.classes) total += node.per_node * node.up;
  std::vector<std::string> names;
  for (const auto& [name, amount] : total.entries()) names.push_back(name);
  const bool same_names = names == names_;
  names_ = std::move(names);
  const auto indexed = [this](const ResourceSet& set) {
    Amounts out;
    for (const std::string& name : names_) out.push_back(set.Get(name));
    return out;
  };
  total_ = indexed(total);
  const bool known = std::exchange(known_, true);
  const Steps before = std::exchange(profile_, Steps(kBegin, total_));
  for (const schemas::ProfileStep& step : capacity.profile) {
    ResourceSet free;
    for (const ResourceSet& of_class : step.free) free += of_class;
    // The first step is extended into the past, which is never queried.
    const Instant from = &step == &capacity.profile.front() ? kBegin : step.from;
    profile_.Set(from, indexed(free));
  }
  const size_t steps = capacity.profile.size();
  const bool merged = steps >= schemas::kProfileSteps;
  const Instant exact_before =
      std::exchange(exact_until_, merged ? capacity.profile[steps - 2].from : kFarFuture);
  if (same_names) {
    const bool more = known && IsMore(profile_, before);
    if (more || !known || exact_until_ < exact_before) ++freed_;
    return more;
  }
  ++freed_;
  own_ = Steps(kBegin, Amounts(names_.size(), 0));
  for (const auto& [fence, bookings] : bookings_) {
    for (const Booking& booking : bookings) Add(booking, 1);
  }
  return true;
}

// Whether `now` is above `before` at any time, in any amount. REQUIRES: both have a first step at
// kBegin and the same names.
bool Shadow::IsMore(const Steps& now, const Steps& before) {
  size_t a = 0;
  size_t b = 0;
  while (true) {
    for (size_t i = 0; i < now.at(a).size(); ++i) {
      if (now.at(a)[i] > before.at(b)[i]) return true;
    }
    const Instant next_a = a + 1 < now.size() ? now.from(a + 1) : kFarFuture;
    const Instant next_b = b + 1 < before.size() ? before.from(b + 1) : kFarFuture;
    if (next_a == kFarFuture && next_b == kFarFuture) return false;
    if (next_a <= next_b) ++a;
    if (next_b <= next_a) ++b;
  }
}

void Shadow::Add(const Booking& booking, int64_t sign) {
  Amounts amounts;
  for (const std::string& name : names_) amounts.push_back(sign * booking.amounts.Get(name));
  own_.Add(booking.span.begin, booking.span.end, amounts);
}

bool Shadow::Book(const Fence& fence, std::vector<Booking> bookings) {
  std::vector<Booking>& has = bookings_[fence];
  bool gives_back = bookings.size() < has.size();
  for (size_t i = 0; i < has.size() && !gives_back; ++i) {
    const Booking& now = bookings[i];
    gives_back = now.span.begin > has[i].span.begin || now.span.end < has[i].span.end ||
                 !has[i].amounts.FitsIn(now.amounts);
  }
  for (const Booking& booking : has) Add(booking, -1);
  for (const Booking& booking : bookings) Add(booking, 1);
  has = std::move(bookings);
  if (gives_back) ++freed_;
  return gives_back;
}

bool Shadow::Free(const Fence& fence) {
  const auto it = bookings_.find(fence);
  if (it == bookings_.end()) return false;
  for (const Booking& booking : it->second) Add(booking, -1);
  bookings_.erase(it);
  ++freed_;
  return true;
}

void Shadow::Forget(Instant before) {
  // Keeps the step that holds at `before` as the first one. A booking that begins before it can
  // still be freed: this leaves wrong steps before it, but only later ones are ever queried.
  const size_t after = own_.After(before);
  if (after > 1) own_.Forget(after - 1);
}

std::optional<Shadow::Amounts> Shadow::Indexed(const ResourceSet& set) const {
  Amounts out(names_.size(), 0);
  for (const auto& [name, amount] : set.entries()) {
    const auto it = std::lower_bound(names_.begin(), names_.end(), name);
    if (it == names_.end() || *it != name) return std::nullopt;
    out[static_cast<size_t>(it - names_.begin())] = amount;
  }
  return out;
}

class Shadow::Walk {
 public:
  Walk(const Shadow& shadow, Instant from) : free_(shadow.profile_), own_(shadow.own_), at_(from) {
    next_free_ = free_.After(from);
    next_own_ = own_.After(from);
    LookAhead();
  }
  // The current step is [at, end).
  Instant at() const { return at_; }
  Instant end() const { return end_; }
  bool last() const { return end_ >= kFarFuture; }
  int64_t Free(size_t i) const {
    return free_.at(next_free_ - 1)[i] - (next_own_ > 0 ? own_.at(next_own_ - 1)[i] : 0);
  }
  bool Fits(const Amounts& need) const {
    for (size_t i = 0; i < need.size(); ++i) {
      if (Free(i) < need[i]) return false;
    }
    return true;
  }
  // Moves to the next step. REQUIRES: not the last step.
  void Next() {
    at_ = end_;
    if (next_free_ < free_.size() && free_.from(next_free_) == at_) ++next_free_;
    if (next_own_ < own_.size() && own_.from(next_own_) == at_) ++next_own_;
    LookAhead();
  }

 private:
  void LookAhead() {
    end_ = kFarFuture;
    if (next_free_ < free_.size()) end_ = std::min(end_, free_.from(next_free_));
    if (next_own_ < own_.size()) end_ = std::min(end_, own_.from(next_own_));
  }

  const Steps& free_;
  const Steps& own_;
  Instant at_;
  Instant end_;
  size_t next_free_ = 0;  // index of the step after the current one
  size_t next_own_ = 0;
};

std::optional<Instant> Shadow::EarliestFit(const ResourceSet& amounts, Instant from, Span length,
                                           Instant until) const {
  const std::optional<Amounts> need = Indexed(amounts);
  if (!known_ || !need) return std::nullopt;
  std::optional<Instant> fits_since;
  for (Walk step(*this, from);; step.Next()) {
    if (!step.Fits(*need)) {
      fits_since.reset();
    } else if (!fits_since) {
      if (step.at() >= until) return std::nullopt;
      fits_since = step.at();
    }
    if (fits_since && (step.last() || step.end() - *fits_since >= length)) return fits_since;
    if (step.last() || (!fits_since && step.end() >= until)) return std::nullopt;
  }
}

Shadow::Starts Shadow::StartsIn(const ResourceSet& amounts, Interval within, Span length,
                                size_t most) const {
  Starts out{.starts = {}, .complete_until = within.end};
  const std::optional<Amounts> need = Indexed(amounts);
  if (!known_ || !need || within.begin >= within.end) return out;
  std::vector<Interval> starts;
  std::optional<Instant> fits_since;
  const auto close = [&](Instant end) {
    if (fits_since && *fits_since < end) starts.push_back({*fits_since, std::min(end, within.end)});
    fits_since.reset();
  };
  for (Walk step(*this, within.begin);; step.Next()) {
    const bool fits = step.Fits(*need);
    if (!fits) close(step.at() - length + Span{1});
    if (fits && !fits_since) fits_since = step.at();
    const Instant last = step.last() ? kFarFuture : step.end() - length;
    if (step.last() || (fits ? last : step.end()) >= within.end) {
      close(kFarFuture);
      break;
    }
    if (starts.size() < most) continue;
    out.complete_until = starts.back().end;
    break;
  }
  std::erase_if(starts, [&](const Interval& i) { return i.begin >= i.end; });
  if (!starts.empty()) {
    const Instant exact = std::max(exact_until_ - length, starts.front().begin) + Span{1};
    out.complete_until = std::min(out.complete_until, exact);
  }
  out.starts = IntervalSet(std::move(starts));
  return out;
}

Shadow Shadow::Without(const std::set<Fence>& fences) const {
  Shadow out;
  out.known_ = known_;
  out.names_ = names_;
  out.total_ = total_;
  out.profile_ = profile_;
  out.exact_until_ = exact_until_;
  out.own_ = own_;
  for (const Fence& fence : fences) {
    const auto it = bookings_.find(fence);
    if (it == bookings_.end()) continue;
    for (const Booking& booking : it->second) out.Add(booking, -1);
  }
  return out;
}

std::vector<Shadow::FreeStep> Shadow::FreeFrom(Instant from) const {
  std::vector<FreeStep> out;
  if (!known_) return out;
  for (Walk step(*this, from);; step.Next()) {
    FreeStep& now = out.emplace_back(FreeStep{step.at(), {}});
    for (size_t i = 0; i < names_.size(); ++i) now.free.push_back(step.Free(i));
    if (step.last()) return out;
  }
}

double Shadow::Load(Instant from) const {
  double most = 0;
  for (size_t i = 0; i < names_.size(); ++i) {
    if (total_[i] <= 0) continue;
    const double whole = static_cast<double>(total_[i]) * static_cast<double>(kLoadSpan.seconds);
    const double taken = whole - Sum(profile_, i, from) + Sum(own_, i, from);
    most = std::max(most, taken / whole);
  }
  return most;
}

}  // namespace muster::partitioner
