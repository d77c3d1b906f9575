// Copies on write per node: one thread owns a plan and its copies, so the count of owners is exact.
#include "site/plan/node_usage.h"

#include <algorithm>
#include <utility>

namespace muster::plan {

using rusv::Rusv;

NodeUsage::NodeUsage(std::shared_ptr<const machine::Machine> machine)
    : machine_(std::move(machine)) {
  for (uint32_t n = 0; n < machine_->node_count(); ++n) {
    auto one = std::make_shared<One>();
    for (uint32_t d = 0; d < dimensions(); ++d) one->used.emplace_back(Whole(n, d));
    nodes_.push_back(std::move(one));
  }
}

NodeUsage::One& NodeUsage::Mutable(uint32_t node) {
  std::shared_ptr<One>& one = nodes_[node];
  if (one.use_count() > 1) one = std::make_shared<One>(*one);
  return *one;
}

bool NodeUsage::IsOverbooked() const {
  return std::any_of(nodes_.begin(), nodes_.end(), [this](const auto& one) {
    return std::any_of(one->used.begin(), one->used.end(), [this](const Rusv& used) {
      return used.FirstShort(0, forgotten_) < kFarFuture;
    });
  });
}

void NodeUsage::ForgetBefore(Instant t) {
  forgotten_ = t;
  for (uint32_t n = 0; n < nodes_.size(); ++n) {
    for (Rusv& used : Mutable(n).used) used.ForgetBefore(t);
  }
}

bool NodeUsage::operator==(const NodeUsage& other) const {
  return nodes_.size() == other.nodes_.size() &&
         std::equal(nodes_.begin(), nodes_.end(), other.nodes_.begin(),
                    [](const auto& a, const auto& b) { return *a == *b; });
}

}  // namespace muster::plan
