// To book or revoke changes three things together: the vectors of the nodes, the vectors of the
// whole machine, and the rows of bounds (node_rows.h).
#include "site/plan/occupancy.h"

#include <algorithm>
#include <utility>

namespace muster::plan {

using rusv::Rusv;

Occupancy::Occupancy(std::shared_ptr<const machine::Machine> machine,
                     std::shared_ptr<const Rules> rules)
    : NodeUsage(std::move(machine)), rows_(this->machine()), accounts_(std::move(rules)) {
  for (uint32_t r = 0; r < share(); ++r) {
    system_.push_back(EmptySystemVector(this->machine().Total(r)));
  }
}

// Prefetches what all nodes of a booking need before the first one changes, since they lie far
// apart in memory.
void Occupancy::Prefetch(const std::vector<Use>& uses) const {
  for (const Use& use : uses) {
    Of(use.node, use.dimension).Prefetch();
    if (use.dimension == share()) OccupantsOf(use.node).Prefetch();
  }
}

void Occupancy::Add(const std::vector<Use>& uses) {
  lent_.clear();
  Prefetch(uses);
  for (const Use& use : uses) {
    const rusv::Slot slot{std::max(use.begin, forgotten()), use.end, use.amount};
    if (slot.start >= slot.stop || use.amount == 0) continue;
    Rusv& used = Used(use.node, use.dimension);
    used.Increment(slot);
    if (used.FreeIn(slot.start, slot.stop) < 0) overbooked_ = true;
  }
  ChangeAll(uses, true);
}

// Nodes of a part are booked over the same span, so the machine's vectors and the rows change once
// for all of them.
void Occupancy::ChangeAll(const std::vector<Use>& uses, bool add) {
  std::vector<bool> done(uses.size(), false);
  std::vector<NodeRows::Amount> amounts;
  std::vector<int64_t> sums(share());
  for (size_t i = 0; i < uses.size(); ++i) {
    if (done[i]) continue;
    amounts.clear();
    std::fill(sums.begin(), sums.end(), 0);
    for (size_t j = i; j < uses.size(); ++j) {
      const Use& use = uses[j];
      if (done[j] || use.begin != uses[i].begin || use.end != uses[i].end) continue;
      done[j] = true;
      if (use.dimension >= share()) continue;
      sums[use.dimension] += use.amount;
      amounts.push_back({use.node, use.dimension, use.amount});
    }
    const Instant begin = std::max(uses[i].begin, forgotten());
    const Instant end = uses[i].end;
    if (begin >= end) continue;
    for (uint32_t r = 0; r < share(); ++r) {
      if (sums[r] == 0) continue;
      if (add) {
        system_[r].Increment({begin, end, sums[r]});
      } else {
        system_[r].Decrement({begin, end, sums[r]});
      }
    }
    if (add) {
      rows_.Take(amounts, begin, end);
    } else {
      rows_.Give(amounts, begin, end);
    }
  }
}

void Occupancy::Remove(const std::vector<Use>& uses, bool for_good) {
  Prefetch(uses);
  for (const Use& use : uses) {
    const rusv::Slot slot{std::max(use.begin, forgotten()), use.end, use.amount};
    if (slot.start >= slot.stop || use.amount == 0) continue;
    Used(use.node, use.dimension).Decrement(slot);
  }
  ChangeAll(uses, false);
  if (!uses.empty()) {
    Interval all{kFarFuture, forgotten()};
    std::vector<uint32_t> nodes;
    for (const Use& use : uses) {
      all = {std::min(all.begin, use.begin), std::max(all.end, use.end)};
      if (nodes.empty() || nodes.back() != use.node) nodes.push_back(use.node);
    }
    if (for_good) {
      Release(all, std::move(nodes));
    } else {
      lent_ = std::move(nodes);
    }
  }
  if (overbooked_) overbooked_ = IsOverbooked();
}

// Rows go on counting from the whole amount, since they are only an upper bound.
void Occupancy::SetDefect(uint32_t node, uint32_t resource, int64_t items) {
  Rusv& used = Used(node, resource);
  const int64_t more = items - (Whole(node, resource) - used.avl());
  used.SetDefect(items);
  system_[resource].SetDefect(machine().Total(resource) - system_[resource].avl() + more);
  if (used.FirstShort(0, forgotten()) < kFarFuture) overbooked_ = true;
  frontier_.Forget();
}

void Occupancy::Release(const Interval& booked, std::vector<uint32_t> nodes) const {
  const Interval left{std::max(booked.begin, forgotten()), booked.end};
  if (left.begin >= left.end) return;
  std::vector<MostFree> most(nodes.size());
  MostFree of_all{};
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (uint32_t r = 0; r < of_all.size() && r < share(); ++r) {
      const Rusv& used = Of(nodes[i], r);
      most[i][r] = used.avl() - used.MinIn(left.begin, left.end);
      of_all[r] = std::max(of_all[r], most[i][r]);
    }
  }
  starts_.Release(left, nodes, most);
  frontier_.Release(left, std::move(nodes), of_all);
}

void Occupancy::ForgetBefore(Instant t) {
  if (t <= forgotten()) return;
  NodeUsage::ForgetBefore(t);
  for (SystemVector& used : system_) used.ForgetBefore(t);
  rows_.ForgetBefore(t);
  accounts_.ForgetBefore(t);
}

bool Occupancy::operator==(const Occupancy& other) const {
  return NodeUsage::operator==(other) && system_ == other.system_ && accounts_ == other.accounts_;
}

}  // namespace muster::plan
