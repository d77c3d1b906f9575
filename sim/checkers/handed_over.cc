// The order in which parts are handed over to machines that need them early: none gets nodes before
// its second on which another, which starts before it, would then lack room. protocol.md section
// 3.3.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "sim/checkers/checker.h"
#include "sim/checkers/token.h"

namespace muster::sim {
namespace {

using schemas::HoldRecord;
using schemas::HoldState;
using schemas::PartDemand;
using schemas::PartRecord;
using schemas::PartState;

struct Planned {
  Interval when;
  std::map<std::string, ResourceSet> amounts;  // by node
};

Planned PlannedOf(const HoldRecord& hold, const PartRecord& part) {
  const auto demand = std::find_if(hold.order.parts.begin(), hold.order.parts.end(),
                                   [&](const PartDemand& one) { return one.index == part.index; });
  const Instant start = hold.start + demand->offset;
  Planned out{.when = {start, start + demand->duration}};
  for (const auto& chunk : part.place.chunks) out.amounts[chunk.node] += chunk.resources;
  return out;
}

class HandedOver : public Checker {
 public:
  explicit HandedOver(const CheckedWorld& world) {
    for (const site::Options& site : world.sites) {
      for (const site::Node& node : site.nodes) capacity_[{site.name, node.name}] = node.resources;
    }
  }
  std::string Name() const override { return "handed over"; }

  void OnSiteWrites(Moment, const std::string& site, const SiteWrites& writes) override {
    for (const auto& write : writes) {
      if (write.key.rfind("hold/", 0) != 0 || !write.value) continue;
      const auto& hold = std::get<HoldRecord>(*write.value);
      const bool counts =
          hold.state == HoldState::kCommitted || hold.state == HoldState::kPermitted;
      // What is inside of a reservation, or on lent room, has its nodes from others.
      if (counts && !hold.order.reserves && !hold.order.inside && !IsLent(hold)) {
        holds_[site][hold.order.fence] = hold;
      } else {
        holds_[site].erase(hold.order.fence);
      }
    }
  }

  void OnDriverCommand(Moment at, const std::string& site,
                       const driver::Command& command) override {
    const auto* start = std::get_if<driver::StartPart>(&command);
    if (start == nullptr || at >= ToMoment(start->not_before)) return;
    if (!seen_.insert({site, start->token}).second) return;
    const Token token = ReadToken(start->token);
    const auto own = holds_[site].find(token.fence);
    if (own == holds_[site].end()) return;
    for (const PartRecord& part : own->second.parts) {
      if (part.index == token.part) Check(at, site, own->second, part);
    }
  }

 private:
  void Check(Moment at, const std::string& site, const HoldRecord& hold, const PartRecord& part) {
    const Planned own = PlannedOf(hold, part);
    for (const auto& [fence, other] : holds_[site]) {
      if (fence == hold.order.fence) continue;
      for (const PartRecord& theirs : other.parts) {
        if (theirs.state != PartState::kBooked && theirs.state != PartState::kReady) continue;
        const Planned due = PlannedOf(other, theirs);
        if (due.when.begin >= own.when.begin || due.when.end <= at.Floor()) continue;
        for (const auto& [node, amounts] : due.amounts) {
          if (!own.amounts.contains(node)) continue;
          const Instant by = due.when.begin;
          if (Fits(site, node, amounts, by, {}) ||
              !Fits(site, node, amounts, by, hold.order.fence)) {
            continue;
          }
          Violated(at, "at " + site + " " + ToText(hold.order.fence) + " has " + node + " before " +
                           ToText(fence) + ", which is due before it and has no room now");
        }
      }
    }
  }

  // Whether the node has these amounts beside what is there, but for one hold, and not planned to
  // end by `by`.
  bool Fits(const std::string& site, const std::string& node, ResourceSet amounts, Instant by,
            const Fence& but) const {
    for (const auto& [fence, hold] : holds_.at(site)) {
      if (fence == but) continue;
      for (const PartRecord& part : hold.parts) {
        if (part.state < PartState::kStarting || part.state >= PartState::kEnded) continue;
        const Planned there = PlannedOf(hold, part);
        const auto on_node = there.amounts.find(node);
        if (on_node != there.amounts.end() && there.when.end > by) amounts += on_node->second;
      }
    }
    return amounts.FitsIn(capacity_.at({site, node}));
  }

  std::map<std::pair<std::string, std::string>, ResourceSet> capacity_;  // by site and node
  std::map<std::string, std::map<Fence, HoldRecord>> holds_;             // by site
  std::set<std::pair<std::string, std::string>> seen_;                   // site and token
};

}  // namespace

std::unique_ptr<Checker> CheckHandedOver(const CheckedWorld& world) {
  return std::make_unique<HandedOver>(world);
}

}  // namespace muster::sim
