// Two step functions, the site's profile and the meta's own takings, searched together by one
// forward walk.
#include "partitioner/shadow.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "schemas/limits.h"

namespace muster::partitioner {
namespace {

constexpr Instant kBegin{-kFarFuture.seconds};

// Of these steps within kLoadSpan from `from`, in units times seconds.
double Sum(const std::map<Instant, std::vector<int64_t>>& steps, size_t resource, Instant from) {
  const Instant until = from + Shadow::kLoadSpan;
  double out = 0;
  auto it = steps.upper_bound(from);
  if (it != steps.begin()) --it;
  for (; it != steps.end() && it->first < until; ++it) {
    const auto next = std::next(it);
    const Instant begin = std::max(it->first, from);
    const Instant end = std::min(next == steps.end() ? until : next->first, until);
    out += static_cast<double>(it->second[resource]) * static_cast<double>((end - begin).seconds);
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
  known_ = true;
  const auto indexed = [this](const ResourceSet& set) {
    Amounts out;
    for (const std::string& name : names_) out.push_back(set.Get(name));
    return out;
  };
  total_ = indexed(total);
  const std::map<Instant, Amounts> before = std::exchange(profile_, {});
  profile_[kBegin] = total_;
  for (const schemas::ProfileStep& step : capacity.profile) {
    ResourceSet free;
    for (const ResourceSet& of_class : step.free) free += of_class;
    // The first step counts from the past on: what is before now is never asked.
    const Instant from = &step == &capacity.profile.front() ? kBegin : step.from;
    profile_[from] = indexed(free);
  }
  const size_t steps = capacity.profile.size();
  const bool merged = steps >= schemas::kProfileSteps;
  exact_until_ = merged ? capacity.profile[steps - 2].from : kFarFuture;
  if (same_names) return !before.empty() && IsMore(profile_, before);
  own_.clear();
  own_[kBegin] = Amounts(names_.size(), 0);
  for (const auto& [fence, bookings] : bookings_) {
    for (const Booking& booking : bookings) Add(booking, 1);
  }
  return true;
}

// Whether one of the steps of `now` is above `before` at its beginning or at an edge of that within
// it. REQUIRES: both have a first step at kBegin, of the same names.
bool Shadow::IsMore(const std::map<Instant, Amounts>& now,
                    const std::map<Instant, Amounts>& before) {
  auto a = now.begin();
  auto b = before.begin();
  while (true) {
    for (size_t i = 0; i < a->second.size(); ++i) {
      if (a->second[i] > b->second[i]) return true;
    }
    const auto next_a = std::next(a);
    const auto next_b = std::next(b);
    if (next_a == now.end() && next_b == before.end()) return false;
    const bool both = next_a != now.end() && next_b != before.end();
    const bool step_a = next_b == before.end() || (both && next_a->first <= next_b->first);
    const bool step_b = next_a == now.end() || (both && next_b->first <= next_a->first);
    if (step_a) a = next_a;
    if (step_b) b = next_b;
  }
}

std::map<Instant, Shadow::Amounts>::iterator Shadow::Split(Instant at) {
  auto it = own_.upper_bound(at);
  if (it == own_.begin()) return own_.emplace(at, Amounts(names_.size(), 0)).first;
  --it;
  if (it->first == at) return it;
  return own_.emplace(at, it->second).first;
}

void Shadow::Add(const Booking& booking, int64_t sign) {
  if (booking.span.begin >= booking.span.end) return;
  const auto first = Split(booking.span.begin);
  const auto last = Split(booking.span.end);
  for (auto it = first; it != last; ++it) {
    for (size_t i = 0; i < names_.size(); ++i) {
      it->second[i] += sign * booking.amounts.Get(names_[i]);
    }
  }
  for (const Instant edge : {booking.span.end, booking.span.begin}) {
    const auto it = own_.find(edge);
    if (it != own_.begin() && std::prev(it)->second == it->second) own_.erase(it);
  }
}

void Shadow::Book(const Fence& fence, std::vector<Booking> bookings) {
  Free(fence);
  for (const Booking& booking : bookings) Add(booking, 1);
  bookings_[fence] = std::move(bookings);
}

bool Shadow::Free(const Fence& fence) {
  const auto it = bookings_.find(fence);
  if (it == bookings_.end()) return false;
  for (const Booking& booking : it->second) Add(booking, -1);
  bookings_.erase(it);
  return true;
}

void Shadow::Forget(Instant before) {
  auto it = own_.upper_bound(before);
  if (it == own_.begin()) return;
  --it;
  // The step that holds at `before` stays, as the first one; bookings that lie across it can still
  // be freed, since freeing splits again and only steps from here on are ever asked.
  own_.erase(own_.begin(), it);
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
  Walk(const Shadow& shadow, Instant from)
      : shadow_(shadow),
        at_(from),
        free_(std::prev(shadow.profile_.upper_bound(from))),
        own_(shadow.own_.upper_bound(from)) {
    if (own_ != shadow.own_.begin()) --own_;
    LookAhead();
  }
  // This step is [at, end).
  Instant at() const { return at_; }
  Instant end() const { return end_; }
  bool last() const { return end_ >= kFarFuture; }
  int64_t Free(size_t i) const { return free_->second[i] - (own_holds_ ? own_->second[i] : 0); }
  bool Fits(const Amounts& need) const {
    for (size_t i = 0; i < need.size(); ++i) {
      if (Free(i) < need[i]) return false;
    }
    return true;
  }
  // REQUIRES: not the last step.
  void Next() {
    at_ = end_;
    if (next_free_ != shadow_.profile_.end() && next_free_->first == at_) free_ = next_free_;
    if (next_own_ != shadow_.own_.end() && next_own_->first == at_) own_ = next_own_;
    LookAhead();
  }

 private:
  void LookAhead() {
    own_holds_ = own_ != shadow_.own_.end() && own_->first <= at_;
    next_free_ = std::next(free_);
    next_own_ = own_holds_ ? std::next(own_) : own_;
    end_ = kFarFuture;
    if (next_free_ != shadow_.profile_.end()) end_ = std::min(end_, next_free_->first);
    if (next_own_ != shadow_.own_.end()) end_ = std::min(end_, next_own_->first);
  }

  using Steps = std::map<Instant, Amounts>::const_iterator;
  const Shadow& shadow_;
  Instant at_;
  Instant end_;
  Steps free_;
  Steps own_;
  Steps next_free_;
  Steps next_own_;
  bool own_holds_ = false;
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

Shadow Shadow::Without(const Fence& fence) const {
  Shadow out;
  out.known_ = known_;
  out.names_ = names_;
  out.total_ = total_;
  out.profile_ = profile_;
  out.exact_until_ = exact_until_;
  out.own_ = own_;
  const auto it = bookings_.find(fence);
  if (it == bookings_.end()) return out;
  for (const Booking& booking : it->second) out.Add(booking, -1);
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
