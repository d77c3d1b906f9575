// Copy on write per node: one thread owns a plan and its copies, so the count of owners is exact.
#include "site/plan/occupancy.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/check.h"

namespace muster::plan {

using rusv::Kind;
using rusv::Rusv;

namespace {

bool ByFence(const Occupant& a, const Occupant& b) {
  return std::tie(a.fence, a.part) < std::tie(b.fence, b.part);
}

}  // namespace

Occupancy::Occupancy(std::shared_ptr<const machine::Machine> machine,
                     std::shared_ptr<const Rules> rules)
    : machine_(std::move(machine)), accounts_(std::move(rules)) {
  for (uint32_t n = 0; n < machine_->node_count(); ++n) {
    auto usage = std::make_shared<NodeUsage>();
    for (uint32_t d = 0; d < dimensions(); ++d)
      usage->used.emplace_back(Kind::kUsed, Capacity(n, d));
    nodes_.push_back(std::move(usage));
  }
  for (uint32_t r = 0; r < share(); ++r) system_.emplace_back(Kind::kUsed, machine_->Total(r));
}

Occupancy::NodeUsage& Occupancy::Mutable(uint32_t node) {
  std::shared_ptr<NodeUsage>& usage = nodes_[node];
  if (usage.use_count() > 1) usage = std::make_shared<NodeUsage>(*usage);
  return *usage;
}

void Occupancy::Add(const std::vector<Use>& uses) {
  for (const Use& use : uses) {
    const rusv::Slot slot{std::max(use.begin, forgotten_), use.end, use.amount};
    if (slot.start >= slot.stop || use.amount == 0) continue;
    Rusv& used = Mutable(use.node).used[use.dimension];
    used.Increment(slot);
    if (used.FreeIn(slot.start, slot.stop) < 0) overbooked_ = true;
  }
  ChangeSystem(uses, &Rusv::Increment);
}

// Nodes of a part are booked over the same span, so the machine's vectors change once for all of
// them.
void Occupancy::ChangeSystem(const std::vector<Use>& uses,
                             void (Rusv::*change)(const rusv::Slot&)) {
  std::map<std::tuple<uint32_t, Instant, Instant>, int64_t> sums;
  for (const Use& use : uses) {
    if (use.dimension < share()) sums[{use.dimension, use.begin, use.end}] += use.amount;
  }
  for (const auto& [key, amount] : sums) {
    const auto& [resource, begin, end] = key;
    (system_[resource].*change)({std::max(begin, forgotten_), end, amount});
  }
}

void Occupancy::Remove(const std::vector<Use>& uses) {
  for (const Use& use : uses) {
    const rusv::Slot slot{std::max(use.begin, forgotten_), use.end, use.amount};
    if (slot.start >= slot.stop || use.amount == 0) continue;
    Mutable(use.node).used[use.dimension].Decrement(slot);
  }
  ChangeSystem(uses, &Rusv::Decrement);
  if (!overbooked_) return;
  overbooked_ = std::any_of(nodes_.begin(), nodes_.end(), [this](const auto& usage) {
    return std::any_of(usage->used.begin(), usage->used.end(), [this](const Rusv& used) {
      return used.FirstShort(0, forgotten_) < kFarFuture;
    });
  });
}

void Occupancy::AddOccupant(uint32_t node, const Occupant& occupant) {
  std::vector<Occupant>& all = Mutable(node).occupants;
  all.insert(std::upper_bound(all.begin(), all.end(), occupant), occupant);
}

void Occupancy::RemoveOccupant(uint32_t node, const Occupant& occupant) {
  std::vector<Occupant>& all = Mutable(node).occupants;
  const auto it = std::lower_bound(all.begin(), all.end(), occupant);
  MUSTER_CHECK(it != all.end() && *it == occupant);
  all.erase(it);
}

std::vector<Occupant> Occupancy::Within(uint32_t node, Instant begin, Instant end) const {
  const std::vector<Occupant>& all = nodes_[node]->occupants;
  auto it = std::partition_point(all.begin(), all.end(),
                                 [begin](const Occupant& o) { return o.end <= begin; });
  std::vector<Occupant> out;
  for (; it != all.end(); ++it) {
    if (it->begin < end) out.push_back(*it);
  }
  std::sort(out.begin(), out.end(), ByFence);
  return out;
}

std::vector<Occupant> Occupancy::EndingAt(uint32_t node, Instant end) const {
  const std::vector<Occupant>& all = nodes_[node]->occupants;
  auto it = std::partition_point(all.begin(), all.end(),
                                 [end](const Occupant& o) { return o.end < end; });
  std::vector<Occupant> out;
  for (; it != all.end() && it->end == end; ++it) out.push_back(*it);
  std::sort(out.begin(), out.end(), ByFence);
  return out;
}

void Occupancy::ForgetBefore(Instant t) {
  if (t <= forgotten_) return;
  forgotten_ = t;
  for (uint32_t n = 0; n < nodes_.size(); ++n) {
    for (Rusv& used : Mutable(n).used) used.ForgetBefore(t);
  }
  for (Rusv& used : system_) used.ForgetBefore(t);
  accounts_.ForgetBefore(t);
}

bool Occupancy::operator==(const Occupancy& other) const {
  return nodes_.size() == other.nodes_.size() && system_ == other.system_ &&
         accounts_ == other.accounts_ &&
         std::equal(nodes_.begin(), nodes_.end(), other.nodes_.begin(),
                    [](const auto& a, const auto& b) { return *a == *b; });
}

}  // namespace muster::plan
