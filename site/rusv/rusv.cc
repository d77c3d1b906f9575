// Changing a vector: split at the ends of the slot, change what lies between, join neighbours that
// became equal. The six overlap cases of OpenCCS Fig. 3 all reduce to that.
#include "site/rusv/rusv.h"

#include <algorithm>

#include "base/check.h"

namespace muster::rusv {

void Rusv::SetDefect(int64_t defect) {
  MUSTER_CHECK(kind_ == Kind::kUsed && defect >= 0 && defect <= max_avl_);
  defect_ = defect;
}

int64_t Rusv::Clamp(int64_t items) const {
  return kind_ == Kind::kUsed ? std::max<int64_t>(items, 0) : std::min(items, avl());
}

std::vector<Slot> Rusv::Slots() const {
  std::vector<Slot> out;
  for (size_t i = 0; i < starts_.size(); ++i) {
    if (items_[i] == Rest()) continue;
    const Instant stop = i + 1 < starts_.size() ? Instant{starts_[i + 1]} : kFarFuture;
    out.push_back({{starts_[i]}, stop, items_[i]});
  }
  return out;
}

size_t Rusv::EdgesUpTo(int64_t t) const {
  // Without branches: which half it is cannot be predicted, and this is where searches spend their
  // time.
  const int64_t* base = starts_.data();
  size_t left = starts_.size();
  while (left > 1) {
    const size_t half = left / 2;
    base += base[half - 1] <= t ? half : 0;
    left -= half;
  }
  const size_t before = static_cast<size_t>(base - starts_.data());
  return left == 1 && *base <= t ? before + 1 : before;
}

size_t Rusv::SplitAt(int64_t t) {
  const size_t at = EdgesUpTo(t);
  if (at > 0 && starts_[at - 1] == t) return at - 1;
  const int64_t before = at > 0 ? items_[at - 1] : Rest();
  starts_.insert(starts_.begin() + static_cast<long>(at), t);
  items_.insert(items_.begin() + static_cast<long>(at), before);
  return at;
}

void Rusv::Join(size_t first, size_t last) {
  size_t write = first;
  size_t read = first;
  for (; read <= last && read < starts_.size(); ++read) {
    if (items_[read] == (write > 0 ? items_[write - 1] : Rest())) continue;
    starts_[write] = starts_[read];
    items_[write] = items_[read];
    ++write;
  }
  starts_.erase(starts_.begin() + static_cast<long>(write),
                starts_.begin() + static_cast<long>(read));
  items_.erase(items_.begin() + static_cast<long>(write), items_.begin() + static_cast<long>(read));
}

void Rusv::Summarise(size_t first) {
  const size_t groups = (starts_.size() + kGroup - 1) / kGroup;
  group_max_.resize(groups);
  group_min_.resize(groups);
  for (size_t group = first / kGroup; group < groups; ++group) {
    const auto begin = items_.begin() + static_cast<long>(group * kGroup);
    const auto end =
        items_.begin() + static_cast<long>(std::min(items_.size(), (group + 1) * kGroup));
    int64_t high = *begin;
    int64_t low = *begin;
    for (auto it = begin + 1; it != end; ++it) {
      high = std::max(high, *it);
      low = std::min(low, *it);
    }
    group_max_[group] = high;
    group_min_[group] = low;
  }
}

void Rusv::Change(const Slot& slot, int64_t by) {
  if (slot.start >= slot.stop || by == 0) return;
  const size_t first = SplitAt(slot.start.seconds);
  const size_t last = slot.stop >= kFarFuture ? starts_.size() : SplitAt(slot.stop.seconds);
  for (size_t i = first; i < last; ++i) items_[i] = Clamp(items_[i] + by);
  Join(first, last);
  Summarise(first > 0 ? first - 1 : 0);
}

void Rusv::Increment(const Slot& slot) { Change(slot, slot.items); }

void Rusv::Decrement(const Slot& slot) { Change(slot, -slot.items); }

void Rusv::Add(const Rusv& other) {
  for (const Slot& slot : other.Slots()) Increment(slot);
}

void Rusv::Subtract(const Rusv& other) {
  for (const Slot& slot : other.Slots()) Decrement(slot);
}

void Rusv::Append(int64_t start, int64_t items) {
  if (items == (items_.empty() ? Rest() : items_.back())) return;
  starts_.push_back(start);
  items_.push_back(items);
}

Rusv Rusv::Inverse() const {
  Rusv out(kind_ == Kind::kUsed ? Kind::kFree : Kind::kUsed, avl());
  for (size_t i = 0; i < starts_.size(); ++i) {
    out.Append(starts_[i], std::max<int64_t>(avl() - items_[i], 0));
  }
  out.Summarise(0);
  return out;
}

void Rusv::ForgetBefore(Instant t) {
  if (starts_.empty() || starts_.front() >= t.seconds) return;
  const size_t first = SplitAt(t.seconds);
  starts_.erase(starts_.begin(), starts_.begin() + static_cast<long>(first));
  items_.erase(items_.begin(), items_.begin() + static_cast<long>(first));
  Join(0, 0);
  Summarise(0);
}

// Walks the edges of both vectors in order and appends what `pick` makes of the two values.
Rusv Combine(const Rusv& a, const Rusv& b, int64_t (*pick)(int64_t, int64_t), Rusv into) {
  size_t i = 0;
  size_t j = 0;
  while (i < a.starts_.size() || j < b.starts_.size()) {
    int64_t t = INT64_MAX;
    if (i < a.starts_.size()) t = a.starts_[i];
    if (j < b.starts_.size()) t = std::min(t, b.starts_[j]);
    if (i < a.starts_.size() && a.starts_[i] == t) ++i;
    if (j < b.starts_.size() && b.starts_[j] == t) ++j;
    const int64_t of_a = i > 0 ? a.items_[i - 1] : a.Rest();
    const int64_t of_b = j > 0 ? b.items_[j - 1] : b.Rest();
    into.Append(t, into.Clamp(pick(of_a, of_b)));
  }
  into.Summarise(0);
  return into;
}

Rusv MinFree(const Rusv& system, const Rusv& limit) {
  MUSTER_CHECK(system.kind() == Kind::kUsed && limit.kind() == Kind::kFree);
  Rusv used(Kind::kUsed, system.avl());
  for (const Slot& slot : limit.Slots()) {
    used.Increment({slot.start, slot.stop, std::max<int64_t>(system.avl() - slot.items, 0)});
  }
  return Max(system, used);
}

Rusv Intersect(const Rusv& a, const Rusv& b) {
  MUSTER_CHECK(a.kind() == Kind::kFree && b.kind() == Kind::kFree);
  const auto pick = [](int64_t x, int64_t y) { return std::min(x, y); };
  return Combine(a, b, pick, Rusv(Kind::kFree, std::min(a.avl(), b.avl())));
}

Rusv Max(const Rusv& a, const Rusv& b) {
  MUSTER_CHECK(a.kind() == b.kind());
  const auto pick = [](int64_t x, int64_t y) { return std::max(x, y); };
  return Combine(a, b, pick, Rusv(a.kind(), a.avl()));
}

Rusv Min(const Rusv& a, const Rusv& b) {
  MUSTER_CHECK(a.kind() == b.kind());
  const auto pick = [](int64_t x, int64_t y) { return std::min(x, y); };
  return Combine(a, b, pick, Rusv(a.kind(), a.avl()));
}

}  // namespace muster::rusv
