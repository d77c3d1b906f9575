// Those who use a site's machine without muster. A hold is on record, or moves to an earlier start,
// only once the walls of its nodes stand (protocol.md section 3.1, A1 to A6); on no node they and
// muster's parts have more than there is; `local` is a cause only where nothing was kept free, or a
// wall was refused or lost; and in the end no wall stands that no hold needs.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "sim/checkers/checker.h"
#include "site/driver/simulated/simulated_driver.h"

namespace muster::sim {
namespace {

using schemas::HoldRecord;
using schemas::HoldState;

// A wall that was asked for so short before a start may come too late for it.
constexpr BootSpan kAnswers = Seconds(15);

class OutsideCheck : public Checker {
 public:
  explicit OutsideCheck(const CheckedWorld& world) {
    for (const site::Options& site : world.sites) {
      if (site.facts.shared) sites_[site.name].facts = site.facts;
    }
  }
  std::string Name() const override { return "outside"; }

  void OnDriverCommand(Moment at, const std::string& name,
                       const driver::Command& command) override {
    const auto found = sites_.find(name);
    if (found == sites_.end()) return;
    Site& site = found->second;
    if (const auto* put = std::get_if<driver::PutWall>(&command)) {
      site.asked[put->serial] = *put;
      site.asked_at[put->wall] = at;
    }
    if (const auto* drop = std::get_if<driver::DropWall>(&command)) site.stands.erase(drop->wall);
    if (const auto* all = std::get_if<driver::Reconcile>(&command)) {
      for (const driver::PutWall& put : all->walls) site.asked[put.serial] = put;
    }
  }

  void OnDriverEvent(Moment at, const std::string& name, const driver::Event& event) override {
    const auto found = sites_.find(name);
    if (found == sites_.end()) return;
    Site& site = found->second;
    if (const auto* stood = std::get_if<driver::WallStands>(&event)) {
      const auto asked = site.asked.find(stood->serial);
      if (asked != site.asked.end()) site.stands[stood->wall] = asked->second;
    }
    if (const auto* refused = std::get_if<driver::WallRefused>(&event)) {
      site.troubled.insert(refused->wall);
    }
    if (const auto* lost = std::get_if<driver::WallLost>(&event)) {
      site.stands.erase(lost->wall);
      site.troubled.insert(lost->wall);
    }
    if (const auto* outside = std::get_if<driver::Outside>(&event)) {
      if (outside->whole) {
        for (const auto& [key, booking] : site.told) site.left.emplace_back(at, booking);
        site.told.clear();
      }
      for (const uint64_t key : outside->gone) {
        const auto told = site.told.find(key);
        if (told == site.told.end()) continue;
        site.left.emplace_back(at, told->second);  // the site may not have heard of that yet
        site.told.erase(told);
      }
      for (const auto& booking : outside->set) {
        if (!booking.soft) site.told[booking.key] = booking;
      }
      for (const driver::OutsideNode& node : outside->nodes) {
        if (node.commons) site.commons.insert(node.node);
      }
    }
  }

  void OnRestart(Moment, const std::string& name) override {
    const auto found = sites_.find(name);
    if (found == sites_.end()) return;
    found->second.asked.clear();
  }

  void OnSiteWrites(Moment at, const std::string& name, const SiteWrites& writes) override {
    const auto found = sites_.find(name);
    if (found == sites_.end()) return;
    for (const auto& write : writes) {
      if (write.key.rfind("hold/", 0) != 0) continue;
      if (!write.value) continue;
      const auto& hold = std::get<HoldRecord>(*write.value);
      Look(at, name, found->second, hold);
      found->second.holds[hold.order.fence] = hold;
    }
  }

  void OnMachine(Moment at, const std::string& name,
                 const driver::SimulatedMachine& machine) override {
    const auto found = sites_.find(name);
    if (found == sites_.end() || !machine.outsiders()) return;
    std::map<std::string, ResourceSet> ours;
    for (const auto& [token, part] : machine.parts()) {
      using Stage = driver::SimulatedPart::Stage;
      if (part.stage != Stage::kRunning && part.stage != Stage::kEnding) continue;
      const ResourceSet& there = machine.outsiders()->Has(driver::kWholeMachine);
      for (const auto& [resource, amount] : part.command.jobwide.entries()) {
        if (there.Get(resource) == 0) continue;
        ours[driver::kWholeMachine] += ResourceSet{{resource, amount}};
      }
      for (const auto& chunk : part.command.place.chunks) ours[chunk.node] += chunk.resources;
      for (const auto& chunk : part.command.place.chunks) {
        if (chunk.resources.empty()) ours[chunk.node] = machine.outsiders()->Has(chunk.node);
      }
    }
    for (auto& [node, amounts] : ours) {
      const ResourceSet theirs = machine.outsiders()->TakenOn(node);
      amounts += theirs;
      if (amounts.FitsIn(machine.outsiders()->Has(node))) continue;
      if (!found->second.crowded.insert(node).second) continue;
      std::string parts;
      for (const auto& [token, part] : machine.parts()) {
        const auto& chunks = part.command.place.chunks;
        const bool there = std::any_of(chunks.begin(), chunks.end(),
                                       [&](const auto& chunk) { return chunk.node == node; });
        if (there && part.on_nodes && part.stage < driver::SimulatedPart::Stage::kEnded) {
          parts += " " + token + " behind '" + part.command.wall + "'";
        }
      }
      Violated(at, name + "/" + node + ": muster and others together have " + ToText(amounts) +
                       ", others " + ToText(theirs) + ", parts" + parts);
    }
    found->second.walls.clear();
    for (const auto& [wall, put] : machine.outsiders()->walls()) found->second.walls.insert(wall);
  }

  void AtEnd(Moment at, bool calm) override {
    if (!calm) return;
    for (const auto& [name, site] : sites_) {
      for (const std::string& wall : site.walls) {
        const bool needed = std::any_of(site.holds.begin(), site.holds.end(), [&](const auto& one) {
          return one.second.state != HoldState::kClosed && IsOf(wall, one.first, site.facts);
        });
        if (!needed) Violated(at, name + ": wall " + wall + " stands for nobody");
      }
    }
  }

 private:
  struct Site {
    schemas::DriverFacts facts;
    std::map<uint64_t, driver::PutWall> asked;  // by serial
    std::map<std::string, driver::PutWall> stands;
    std::set<std::string> troubled;  // walls that were refused or lost once
    std::set<std::string> commons;
    std::set<std::string> crowded;                    // nodes that were found to be, told once
    std::map<uint64_t, driver::OutsideBooking> told;  // of those who run
    std::vector<std::pair<Moment, driver::OutsideBooking>> left;  // and when they were told to
    std::map<std::string, Moment> asked_at;                       // when walls were, last
    std::map<Fence, HoldRecord> holds;
    std::set<std::string> walls;  // on the machine, at last sight
  };

  static bool IsOf(const std::string& wall, const Fence& fence, const schemas::DriverFacts& facts) {
    const std::string name = facts.wall_prefix + ToText(fence);
    return wall == name || wall.starts_with(name + ".");
  }

  void Look(Moment at, const std::string& name, const Site& site, const HoldRecord& hold) {
    const auto before = site.holds.find(hold.order.fence);
    const bool fresh = before == site.holds.end();
    const bool earlier = !fresh && hold.start < before->second.start;
    if (!fresh && hold.cause != before->second.cause) LookAtCause(at, name, site, hold);
    if (hold.state == HoldState::kClosed) return;
    if (fresh && site.facts.even) LookAtAmounts(at, name, hold);
    if (site.facts.most_walls == 0 || hold.order.inside || !(fresh || earlier)) return;
    for (size_t i = 0; i < hold.parts.size(); ++i) {
      const schemas::PartDemand& demand = hold.order.parts[i];
      const Interval when{hold.start + demand.offset,
                          hold.start + demand.offset + demand.duration + demand.tail};
      if (!KeepsLicences(site, hold, demand.jobwide, when)) {
        Violated(at, "hold " + ToText(hold.order.fence) + " at " + name +
                         (fresh ? " is recorded" : " moves earlier") + " with " +
                         ToText(demand.jobwide) + ", which no wall keeps for it");
      }
      for (const auto& chunk : hold.parts[i].place.chunks) {
        if (site.commons.contains(chunk.node)) continue;
        if (Covered(site, hold, chunk, when, demand.exclusive)) continue;
        Violated(at, "hold " + ToText(hold.order.fence) + " at " + name +
                         (fresh ? " is recorded" : " moves earlier") + " on " + chunk.node +
                         ", where no wall stands for it");
      }
    }
  }

  // A part that has its nodes for itself may have more of one than of another.
  void LookAtAmounts(Moment at, const std::string& name, const HoldRecord& hold) {
    for (size_t i = 0; i < hold.parts.size(); ++i) {
      if (hold.order.parts[i].exclusive) continue;
      std::map<std::string, ResourceSet> on;
      for (const auto& chunk : hold.parts[i].place.chunks) on[chunk.node] += chunk.resources;
      const bool even = std::all_of(
          on.begin(), on.end(), [&](const auto& one) { return one.second == on.begin()->second; });
      if (even) continue;
      Violated(at, "hold " + ToText(hold.order.fence) + " at " + name +
                       " has more of one of its nodes than of another");
    }
  }

  static bool Covered(const Site& site, const HoldRecord& hold, const schemas::ChunkPlace& chunk,
                      const Interval& when, bool whole) {
    return std::any_of(site.stands.begin(), site.stands.end(), [&](const auto& one) {
      const driver::PutWall& wall = one.second;
      if (!IsOf(one.first, hold.order.fence, site.facts)) return false;
      if (wall.when.begin > when.begin || wall.when.end < when.end) return false;
      ResourceSet there;
      bool all = false;
      for (const schemas::PartPlace& place : wall.places) {
        for (const auto& kept : place.chunks) {
          if (kept.node != chunk.node) continue;
          there += kept.resources;
          all = all || kept.resources.empty();
        }
      }
      return all || (!whole && chunk.resources.FitsIn(there));
    });
  }

  static bool KeepsLicences(const Site& site, const HoldRecord& hold, const ResourceSet& jobwide,
                            const Interval& when) {
    ResourceSet needs;
    for (const auto& [name, amount] : jobwide.entries()) {
      if (site.facts.jobwide.Get(name) > 0) needs.Set(name, amount);
    }
    if (needs.empty()) return true;
    return std::any_of(site.stands.begin(), site.stands.end(), [&](const auto& one) {
      const driver::PutWall& wall = one.second;
      return IsOf(one.first, hold.order.fence, site.facts) && wall.when.begin <= when.begin &&
             when.end <= wall.when.end && needs.FitsIn(wall.jobwide);
    });
  }

  // Whether somebody who runs was told to be there at the hold's time: longer than it may. What was
  // handed over waits for its nodes, and moves only when its last start is past: by then who held
  // it up may have left.
  static bool IsInTheWay(Moment at, const Site& site, const HoldRecord& hold) {
    std::vector<driver::OutsideBooking> there;
    for (const auto& [key, booking] : site.told) there.push_back(booking);
    for (const auto& [since, booking] : site.left) {
      const bool held_up = since >= ToMoment(hold.start - site.facts.start_ahead);
      if (held_up || at.milliseconds - since.milliseconds <= kTurnMs) there.push_back(booking);
    }
    for (size_t i = 0; i < hold.parts.size(); ++i) {
      const schemas::PartDemand& demand = hold.order.parts[i];
      const Instant begin = hold.start + demand.offset - site.facts.turnover;
      const Instant end = hold.start + demand.offset + demand.duration + demand.tail;
      for (const driver::OutsideBooking& booking : there) {
        if (booking.when.begin >= end || booking.when.end <= begin) continue;
        for (const auto& [name, amount] : demand.jobwide.entries()) {
          if (booking.jobwide.Get(name) > 0) return true;
        }
      }
      for (const auto& chunk : hold.parts[i].place.chunks) {
        for (const driver::OutsideBooking& booking : there) {
          if (booking.when.begin >= end || booking.when.end <= begin) continue;
          for (const auto& taken : booking.chunks) {
            if (taken.node == chunk.node) return true;
          }
        }
      }
    }
    return false;
  }

  void LookAtCause(Moment at, const std::string& name, const Site& site, const HoldRecord& hold) {
    if (hold.cause.code != schemas::CauseCode::kLocal || !site.facts.firm) return;
    const auto its = [&](const std::string& wall) {
      return IsOf(wall, hold.order.fence, site.facts);
    };
    const bool troubled = std::any_of(site.troubled.begin(), site.troubled.end(), its) ||
                          std::any_of(site.asked_at.begin(), site.asked_at.end(), [&](auto& one) {
                            return its(one.first) && at.milliseconds - one.second.milliseconds <=
                                                         kAnswers.milliseconds;
                          });
    const auto before = site.holds.find(hold.order.fence);
    if (troubled || (before != site.holds.end() && IsInTheWay(at, site, before->second))) return;
    Violated(at, "hold " + ToText(hold.order.fence) + " at " + name + " made way for " +
                     hold.cause.subject.job + " on " + hold.cause.subject.node +
                     ", though its walls stood all the time");
  }

  std::map<std::string, Site> sites_;
};

}  // namespace

std::unique_ptr<Checker> CheckOutside(const CheckedWorld& world) {
  return std::make_unique<OutsideCheck>(world);
}

}  // namespace muster::sim
