// G2: on every node at every second the booked amounts of live holds stay within what the node has,
// where a hold and the one it replaces count as their maximum. An interval sweep over the records
// of the ledgers, sharing no code with the planner.
#include <algorithm>
#include <map>
#include <set>

#include "sim/checkers/checker.h"
#include "sim/checkers/lent_room.h"
#include "sim/checkers/pauses.h"

namespace muster::sim {
namespace {

using schemas::HoldRecord;
using schemas::HoldState;
using schemas::PartState;

struct Booking {
  Interval span;
  ResourceSet amounts;
  Fence fence;
  bool late = false;   // began late (BeganLate), so it lasts longer than planned
  bool waits = false;  // it starts nothing until a late part on its node has ended
};

// True for a reservation, where the jobs inside of it wait, and for a co-allocated part that has
// not started, which waits within its tail.
bool Waits(const HoldRecord& hold, const schemas::PartRecord& part) {
  return hold.order.reserves || (hold.order.members.size() > 1 && !part.started_at);
}

// When a part's booking ends, in whole seconds. Before its start: as planned, after its tail. While
// it runs: after its run time less the next booking's turnover, which covers the rest (protocol.md
// section 4), and not before the planned end. After its end: at its end. A reservation ends as
// planned, however late it was opened.
Instant EndOf(const schemas::PartDemand& demand, const schemas::PartRecord& part,
              const HoldRecord& hold, Span turnover) {
  if (part.state == PartState::kEnded && part.ended_at) return part.ended_at->Floor();
  const Span runs =
      demand.duration - part.saved + part.place.slower + part.extended + PausedFor(part.paused);
  const Instant planned = hold.start + demand.offset + runs;
  if (const auto lent = EndOfLentRoom(hold, planned, turnover)) return *lent;
  if (part.started_at && hold.order.reserves) return planned;
  if (part.started_at) return std::max(planned, part.started_at->Floor() + runs - turnover);
  return planned + demand.tail;
}

class CapacityCheck : public Checker {
 public:
  explicit CapacityCheck(const CheckedWorld& world) {
    for (const site::Options& site : world.sites) {
      turnover_[site.name] = site.facts.turnover;
      if (site.units.geometry) shaped_.insert(site.name);
      for (const site::Node& node : site.nodes) capacity_[{site.name, node.name}] = node.resources;
    }
  }
  std::string Name() const override { return "G2"; }

  void OnSiteWrites(Moment at, const std::string& site, const SiteWrites& writes) override {
    std::set<std::string> touched;
    for (const auto& write : writes) {
      if (write.key.rfind("hold/", 0) != 0) continue;
      if (!write.value) continue;
      const auto& hold = std::get<HoldRecord>(*write.value);
      const std::pair key(site, hold.order.fence);
      Remove(site, hold.order.fence);
      inside_.erase(key);
      if (hold.order.replaces) replaces_[key] = *hold.order.replaces;
      const bool gone = hold.state == HoldState::kClosed || hold.state == HoldState::kNone;
      if (hold.order.reserves) {
        std::set<Fence>& live = reservations_[{site, hold.order.request}];
        gone ? void(live.erase(hold.order.fence)) : void(live.insert(hold.order.fence));
      }
      // A hold counts as late as long as it lives, even if its record gets another cause later.
      if (BeganLate(hold)) late_.insert(key);
      if (gone) late_.erase(key);
      if (gone) continue;
      if (hold.order.inside) {
        inside_[key] = hold;
      } else {
        Add(at.Floor(), site, hold, touched);
      }
    }
    AddWhatIsLeft(at.Floor(), site, touched);
    for (const std::string& node : touched) Sweep(at, site, node);
  }

 private:
  // A job inside of a reservation uses what the reservation has booked (CheckPlans checks that). A
  // job that goes on after its reservation is over holds its nodes by itself, so it is added here.
  void AddWhatIsLeft(Instant now, const std::string& site, std::set<std::string>& touched) {
    for (auto it = inside_.lower_bound({site, Fence{}});
         it != inside_.end() && it->first.first == site;) {
      const auto& hold = it->second;
      if (reservations_[{site, *hold.order.inside}].empty()) {
        Add(now, site, hold, touched);
        it = inside_.erase(it);
      } else {
        ++it;
      }
    }
  }

  void Add(Instant now, const std::string& site, const HoldRecord& hold,
           std::set<std::string>& touched) {
    for (size_t i = 0; i < hold.parts.size(); ++i) {
      const auto& demand = hold.order.parts[i];
      Interval span{hold.start + demand.offset - turnover_[site],
                    EndOf(demand, hold.parts[i], hold, turnover_[site])};
      // A resized part may have got its present sets only now; its earlier sets were checked
      // earlier.
      if (!hold.parts[i].counts.empty()) span.begin = std::max(span.begin, now);
      if (span.begin >= span.end) continue;
      const bool alone = demand.exclusive || shaped_.contains(site);
      for (const auto& chunk : hold.parts[i].place.chunks) {
        ResourceSet amounts = chunk.resources;
        if (alone) amounts = capacity_[{site, chunk.node}];
        const bool late = hold.parts[i].started_at && late_.contains({site, hold.order.fence});
        Booking booking{span, amounts, hold.order.fence, late, Waits(hold, hold.parts[i])};
        auto& list = booked_[{site, chunk.node}];
        // Several chunk sets of one exclusive part on one node are one booking of that node.
        const bool again = alone && std::any_of(list.begin(), list.end(), [&](const Booking& b) {
                             return b.fence == booking.fence && b.span == booking.span;
                           });
        if (!again) list.push_back(std::move(booking));
        touched.insert(chunk.node);
      }
    }
  }

  void Remove(const std::string& site, const Fence& fence) {
    for (auto it = booked_.lower_bound({site, ""}); it != booked_.end() && it->first.first == site;
         ++it) {
      std::erase_if(it->second, [&](const Booking& b) { return b.fence == fence; });
    }
  }

  // The first hold of the replacement chain that ends with `fence`.
  Fence First(const std::string& site, Fence fence) const {
    for (auto it = replaces_.find({site, fence}); it != replaces_.end();
         it = replaces_.find({site, fence})) {
      fence = it->second;
    }
    return fence;
  }

  // Amounts booked at second t, holds that replace each other counted as their maximum.
  ResourceSet BookedAt(const std::string& site, const std::vector<Booking>& list, Instant t) const {
    const auto there = [t](const Booking& b) { return b.span.begin <= t && t < b.span.end; };
    const bool late =
        std::any_of(list.begin(), list.end(), [&](const Booking& b) { return there(b) && b.late; });
    std::map<Fence, ResourceSet> of;
    for (const Booking& b : list) {
      if (there(b) && !(late && b.waits)) of[b.fence] += b.amounts;
    }
    // At most one hold of a replacement chain is ever permitted.
    std::map<Fence, ResourceSet> chains;
    for (const auto& [fence, amounts] : of) {
      ResourceSet& larger = chains[First(site, fence)];
      for (const auto& [name, amount] : amounts.entries()) {
        larger.Set(name, std::max(larger.Get(name), amount));
      }
    }
    ResourceSet sum;
    for (const auto& [first, amounts] : chains) sum += amounts;
    return sum;
  }

  void Sweep(Moment at, const std::string& site, const std::string& node) {
    const std::vector<Booking>& list = booked_[{site, node}];
    const ResourceSet& has = capacity_[{site, node}];
    for (const Booking& b : list) {  // looks where bookings begin, not where a late one ends
      if (b.span.end <= at.Floor()) continue;
      const ResourceSet sum = BookedAt(site, list, b.span.begin);
      if (!sum.FitsIn(has)) {
        std::string who;
        for (const Booking& other : list) {
          if (other.span.begin > b.span.begin || b.span.begin >= other.span.end) continue;
          who += " " + ToText(other.fence) + " " + ToText(IntervalSet({other.span}));
        }
        Violated(at, site + "/" + node + " is booked with " + ToText(sum) + " of " + ToText(has) +
                         " at second " + std::to_string(b.span.begin.seconds) + ":" + who);
      }
    }
  }

  std::map<std::string, Span> turnover_;
  std::set<std::string> shaped_;  // sites where every part has whole nodes
  std::map<std::pair<std::string, std::string>, ResourceSet> capacity_;
  std::map<std::pair<std::string, std::string>, std::vector<Booking>> booked_;
  std::map<std::pair<std::string, Fence>, Fence> replaces_;
  std::map<std::pair<std::string, RequestId>, std::set<Fence>> reservations_;  // their live holds
  std::map<std::pair<std::string, Fence>, HoldRecord> inside_;  // jobs inside of a live reservation
  std::set<std::pair<std::string, Fence>> late_;                // live holds that began late
};

}  // namespace

std::unique_ptr<Checker> CheckCapacity(const CheckedWorld& world) {
  return std::make_unique<CapacityCheck>(world);
}

}  // namespace muster::sim
