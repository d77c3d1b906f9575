// Removing an occupant moves the last one into its place.
#include "site/plan/occupants.h"

#include <algorithm>
#include <tuple>

#include "base/check.h"
#include "site/plan/row_loops.h"

namespace muster::plan {
namespace {

std::vector<Occupant> SortedByFence(std::vector<Occupant> some) {
  std::sort(some.begin(), some.end(), [](const Occupant& a, const Occupant& b) {
    return std::tie(a.fence, a.part) < std::tie(b.fence, b.part);
  });
  return some;
}

std::vector<Occupant> Sorted(std::vector<Occupant> all) {
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

size_t Occupants::Next(Instant end, size_t from) const {
  return from + FirstOf(tags_.data() + from, tags_.size() - from, TagOf(end));
}

void Occupants::Add(const Occupant& occupant) {
  all_.push_back(occupant);
  tags_.push_back(TagOf(occupant.end));
}

void Occupants::Remove(const Occupant& occupant) {
  size_t at = Next(occupant.end, 0);
  while (at < all_.size() && all_[at] != occupant) at = Next(occupant.end, at + 1);
  MUSTER_CHECK(at < all_.size());
  all_[at] = all_.back();
  tags_[at] = tags_.back();
  all_.pop_back();
  tags_.pop_back();
}

std::vector<Occupant> Occupants::EndingAt(Instant end) const {
  std::vector<Occupant> out;
  for (size_t at = Next(end, 0); at < all_.size(); at = Next(end, at + 1)) {
    if (all_[at].end == end) out.push_back(all_[at]);
  }
  return SortedByFence(std::move(out));
}

std::vector<Occupant> Occupants::Within(Instant begin, Instant end) const {
  std::vector<Occupant> out;
  for (const Occupant& one : all_) {
    if (one.end > begin && one.begin < end) out.push_back(one);
  }
  return SortedByFence(std::move(out));
}

void Occupants::Prefetch() const {
  constexpr size_t kTagsOfALine = 16;
  for (size_t i = 0; i < tags_.size(); i += kTagsOfALine) __builtin_prefetch(tags_.data() + i);
  __builtin_prefetch(all_.data() + all_.size());
}

bool Occupants::operator==(const Occupants& other) const {
  return all_.size() == other.all_.size() && Sorted(all_) == Sorted(other.all_);
}

}  // namespace muster::plan
