// Two step functions, the site's profile and the meta's own takings, searched together by one
// forward walk.
#include "partitioner/shadow.h"

#include <algorithm>
#include <utility>

namespace muster::partitioner {
namespace {

constexpr Instant kBegin{-kFarFuture.seconds};
constexpr Span kDay{86400};

}  // namespace

void Shadow::SetCapacity(const schemas::Capacity& capacity) {
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
  profile_.clear();
  profile_[kBegin] = total_;
  for (const schemas::ProfileStep& step : capacity.profile) {
    ResourceSet free;
    for (const ResourceSet& of_class : step.free) free += of_class;
    // The first step counts from the past on: what is before now is never asked.
    const Instant from = &step == &capacity.profile.front() ? kBegin : step.from;
    profile_[from] = indexed(free);
  }
  if (same_names) return;
  own_.clear();
  own_[kBegin] = Amounts(names_.size(), 0);
  for (const auto& [fence, bookings] : bookings_) {
    for (const Booking& booking : bookings) Add(booking, 1);
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

void Shadow::Free(const Fence& fence) {
  const auto it = bookings_.find(fence);
  if (it == bookings_.end()) return;
  for (const Booking& booking : it->second) Add(booking, -1);
  bookings_.erase(it);
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

std::optional<Instant> Shadow::EarliestFit(const ResourceSet& amounts, Instant from, Span length,
                                           Instant until) const {
  const std::optional<Amounts> need = Indexed(amounts);
  if (!known_ || !need) return std::nullopt;
  auto free = std::prev(profile_.upper_bound(from));
  auto own = own_.upper_bound(from);
  if (own != own_.begin()) --own;
  Instant step = from;
  std::optional<Instant> fits_since;
  while (true) {
    const bool own_holds = own != own_.end() && own->first <= step;
    bool fits = true;
    for (size_t i = 0; i < names_.size() && fits; ++i) {
      const int64_t taken = own_holds ? own->second[i] : 0;
      fits = free->second[i] - taken >= (*need)[i];
    }
    if (!fits) {
      fits_since.reset();
    } else if (!fits_since) {
      if (step >= until) return std::nullopt;
      fits_since = step;
    }
    const auto next_free = std::next(free);
    const auto next_own = own_holds ? std::next(own) : own;
    Instant next = kFarFuture;
    if (next_free != profile_.end()) next = std::min(next, next_free->first);
    if (next_own != own_.end()) next = std::min(next, next_own->first);
    if (fits_since && (next >= kFarFuture || next - *fits_since >= length)) return fits_since;
    if (next >= kFarFuture || (!fits_since && next >= until)) return std::nullopt;
    step = next;
    if (next_free != profile_.end() && next_free->first == next) free = next_free;
    if (next_own != own_.end() && next_own->first == next) own = next_own;
  }
}

std::vector<Shadow::FreeStep> Shadow::FreeFrom(Instant from) const {
  std::vector<FreeStep> out;
  if (!known_) return out;
  auto free = std::prev(profile_.upper_bound(from));
  auto own = own_.upper_bound(from);
  if (own != own_.begin()) --own;
  for (Instant step = from; step < kFarFuture;) {
    const bool own_holds = own != own_.end() && own->first <= step;
    FreeStep& now = out.emplace_back(FreeStep{step, free->second});
    for (size_t i = 0; own_holds && i < names_.size(); ++i) now.free[i] -= own->second[i];
    const auto next_free = std::next(free);
    const auto next_own = own_holds ? std::next(own) : own;
    step = kFarFuture;
    if (next_free != profile_.end()) step = std::min(step, next_free->first);
    if (next_own != own_.end()) step = std::min(step, next_own->first);
    if (next_free != profile_.end() && next_free->first == step) free = next_free;
    if (next_own != own_.end() && next_own->first == step) own = next_own;
  }
  return out;
}

double Shadow::Load(Instant from) const {
  double most = 0;
  const Instant until = from + kDay;
  for (size_t i = 0; i < names_.size(); ++i) {
    if (total_[i] <= 0) continue;
    double booked = 0;
    for (auto it = own_.begin(); it != own_.end() && it->first < until; ++it) {
      const auto next = std::next(it);
      const Instant begin = std::max(it->first, from);
      const Instant end = std::min(next == own_.end() ? until : next->first, until);
      if (begin < end) {
        booked += static_cast<double>(it->second[i]) * static_cast<double>((end - begin).seconds);
      }
    }
    most = std::max(most,
                    booked / (static_cast<double>(total_[i]) * static_cast<double>(kDay.seconds)));
  }
  return most;
}

}  // namespace muster::partitioner
