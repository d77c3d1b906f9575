// See walls.h.
#include "site/holds/walls.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "site/holds/hold_facts.h"

namespace muster::site {

using schemas::HoldRecord;
using schemas::PartRecord;
using schemas::PartState;

namespace {

// For how long nodes are not booked for the times at which a wall on them was refused.
constexpr Span kShunned{20};

bool Same(const driver::PutWall& a, const driver::PutWall& b) {
  return a.when == b.when && a.places == b.places && a.jobwide == b.jobwide && a.user == b.user;
}

}  // namespace

std::string Walls::NameOf(const Fence& fence, std::optional<uint32_t> part) const {
  std::string name = options().facts.wall_prefix + ToText(fence);
  if (part) name += "." + std::to_string(*part);
  return name;
}

schemas::PartPlace Walls::Blocking(const schemas::PartDemand& demand, schemas::PartPlace place) {
  if (!demand.exclusive) return place;
  std::set<std::string> nodes;
  for (const schemas::ChunkPlace& chunk : place.chunks) nodes.insert(chunk.node);
  for (const schemas::ChunkPlace& chunk : place.chunks) {
    if (chunk.resources.empty()) nodes.erase(chunk.node);
  }
  for (const std::string& node : nodes) place.chunks.push_back({.node = node});
  return place;
}

// What others have as well, and so what a wall must keep from them.
ResourceSet Walls::OfTheMachine(const ResourceSet& jobwide) const {
  ResourceSet out;
  for (const auto& [name, amount] : jobwide.entries()) {
    if (options().facts.jobwide.Get(name) > 0) out.Set(name, amount);
  }
  return out;
}

std::vector<driver::PutWall> Walls::WallsOf(const Fence& fence, const Fence& booked,
                                            const schemas::HoldOrder& order, Instant start,
                                            const std::vector<schemas::PartPlace>& places) const {
  std::vector<driver::PutWall> out;
  if (options().facts.most_walls == 0 || order.inside) return out;
  for (size_t i = 0; i < places.size(); ++i) {
    const schemas::PartDemand& demand = order.parts[i];
    const ResourceSet jobwide = OfTheMachine(demand.jobwide);
    schemas::PartPlace outside{.index = demand.index};
    for (const schemas::ChunkPlace& chunk : places[i].chunks) {
      const driver::OutsideNode* told = Told(chunk.node);
      const bool commons = told != nullptr && told->commons;
      if (!commons || !jobwide.empty()) outside.chunks.push_back(chunk);
    }
    if (outside.chunks.empty()) continue;
    const Interval when{start + demand.offset - options().facts.turnover,
                        plan().EndOf(booked, demand.index)};
    // Of a reservation's parts jobs may take nodes of several, so that it has one wall.
    if (order.reserves && !out.empty()) {
      out.front().places.push_back(std::move(outside));
      out.front().jobwide += jobwide;
      out.front().when.end = std::max(out.front().when.end, when.end);
      continue;
    }
    driver::PutWall& put = out.emplace_back();
    put.wall = NameOf(fence, order.reserves ? std::nullopt : std::optional(demand.index));
    put.when = when;
    put.places = {Blocking(demand, std::move(outside))};
    put.jobwide = jobwide;
    put.user = order.requester.user;
    if (!order.replaces) continue;
    const auto old = names_.find(*order.replaces);
    if (old != names_.end()) put.beside.assign(old->second.begin(), old->second.end());
  }
  return out;
}

std::vector<driver::PutWall> Walls::WallsOf(const HoldRecord& hold) const {
  std::vector<schemas::PartPlace> places;
  for (const PartRecord& part : hold.parts) {
    const bool over = part.state == PartState::kEnded;
    places.push_back(over ? schemas::PartPlace{} : part.place);
  }
  const Fence& fence = hold.order.fence;
  return WallsOf(fence, fence, hold.order, hold.start, places);
}

void Walls::Want(const Fence& fence, std::vector<driver::PutWall> walls) {
  std::set<std::string> wanted;
  for (driver::PutWall& put : walls) {
    wanted.insert(put.wall);
    const auto known = walls_.find(put.wall);
    if (known != walls_.end()) {
      driver::PutWall& asked = known->second.asked;
      // A wall that is in use keeps the begin that it had.
      const HoldRecord* hold = ledger().Find(fence);
      if (hold != nullptr && HasStarted(*hold)) {
        put.when.begin = std::min(put.when.begin, asked.when.begin);
      }
      if (Same(asked, put)) continue;
    }
    Wall& wall = walls_[put.wall];
    if (wall.stands) wall.before = wall.asked;
    wall.fence = fence;
    wall.stands = false;
    put.serial = NextSerial();
    wall.asked = std::move(put);
    wall.out[wall.asked.serial] = wall.asked;
    names_[fence].insert(wall.asked.wall);
    Drive(wall.asked);
  }
  const auto names = names_.find(fence);
  if (names == names_.end()) return;
  for (auto it = names->second.begin(); it != names->second.end();) {
    if (wanted.contains(*it)) {
      ++it;
      continue;
    }
    Drive(driver::DropWall{*it});
    walls_.erase(*it);
    it = names->second.erase(it);
  }
  if (names->second.empty()) names_.erase(names);
}

void Walls::KeepWallsOf(const Fence& fence) {
  if (options().facts.most_walls == 0 || IsTakenOver(fence)) return;
  const HoldRecord* hold = ledger().Find(fence);
  const bool bound = hold != nullptr && IsLive(*hold);
  Want(fence, bound ? WallsOf(*hold) : std::vector<driver::PutWall>{});
}

void Walls::KeepWalls() {
  if (options().facts.most_walls == 0) return;
  const std::set<Fence> changed = ledger().changed();
  for (const Fence& fence : changed) KeepWallsOf(fence);
}

bool Walls::WallsStand(const Fence& fence) const {
  const auto names = names_.find(fence);
  if (names == names_.end()) return true;
  return std::all_of(names->second.begin(), names->second.end(),
                     [this](const std::string& name) { return walls_.at(name).stands; });
}

bool Walls::HasItsWalls(const HoldRecord& hold) const {
  if (options().facts.most_walls == 0) return true;
  if (hold.order.inside) {
    const std::optional<Fence> holder = plan().HolderOf(*hold.order.inside);
    return !holder || HasItsWalls(*ledger().Find(*holder));
  }
  const std::vector<driver::PutWall> needs = WallsOf(hold);
  return std::all_of(needs.begin(), needs.end(), [this](const driver::PutWall& put) {
    const auto found = walls_.find(put.wall);
    if (found == walls_.end()) return false;
    const driver::PutWall* stands = nullptr;
    if (found->second.stands) stands = &found->second.asked;
    if (!found->second.stands && found->second.before) stands = &*found->second.before;
    return stands != nullptr && stands->places == put.places &&
           stands->when.begin <= put.when.begin && put.when.end <= stands->when.end;
  });
}

// No two daemons of a site give the same: the driver of a reload lives on.
uint64_t Walls::NextSerial() {
  constexpr int kOfOneDaemon = 32;
  return (ledger().identity().incarnation.value << kOfOneDaemon) + ++serials_;
}

size_t Walls::WallsLeft() const {
  const size_t most = options().facts.most_walls;
  return walls_.size() < most ? most - walls_.size() : 0;
}

std::string Walls::WallFor(const HoldRecord& hold, uint32_t index) const {
  std::string name = NameOf(hold.order.fence, index);
  if (hold.order.inside) {
    const std::optional<Fence> holder = plan().HolderOf(*hold.order.inside);
    if (!holder) return "";
    name = NameOf(*holder, std::nullopt);
  }
  return walls_.contains(name) ? name : "";
}

void Walls::TellAllWalls() {
  if (!options().facts.shared) return;
  driver::Reconcile all;
  for (const auto& [token, _] : tokens()) all.tokens.push_back(token);
  for (const auto& [fence, _] : live()) {
    for (driver::PutWall& put : WallsOf(*ledger().Find(fence))) {
      put.serial = NextSerial();
      Wall& wall = walls_[put.wall];
      wall.fence = fence;
      wall.asked = put;
      wall.inherited = true;
      wall.out[put.serial] = put;
      names_[fence].insert(put.wall);
      all.walls.push_back(std::move(put));
    }
  }
  Drive(std::move(all));
}

std::optional<Fence> Walls::TakeStood(const driver::WallStands& event) {
  const auto found = walls_.find(event.wall);
  if (found == walls_.end()) return std::nullopt;
  Wall& wall = found->second;
  const auto answered = wall.out.find(event.serial);
  if (answered == wall.out.end()) return std::nullopt;
  if (wall.asked.serial != event.serial) {  // it stands until a later one does
    wall.before = answered->second;
    wall.out.erase(wall.out.begin(), std::next(answered));
    return std::nullopt;
  }
  wall.out.clear();
  wall.inherited = false;
  wall.stands = true;
  wall.before.reset();
  return wall.fence;
}

std::optional<Fence> Walls::TakeRefused(const driver::WallRefused& event) {
  const auto found = walls_.find(event.wall);
  if (found == walls_.end()) return std::nullopt;
  Wall& wall = found->second;
  if (wall.out.erase(event.serial) == 0 || wall.asked.serial != event.serial) return std::nullopt;
  // Otherwise it is not for somebody who is there.
  if (event.again && !WhyBlind()) {
    for (const schemas::PartPlace& place : wall.asked.places) {
      Shun(place.chunks, wall.asked.when, event.why, now_floor() + kShunned);
    }
  }
  const Fence fence = wall.fence;
  if (wall.before) {
    wall.asked = *std::exchange(wall.before, std::nullopt);
    wall.stands = true;
  } else {
    if (wall.inherited) Drive(driver::DropWall{event.wall});
    names_[fence].erase(event.wall);
    if (names_[fence].empty()) names_.erase(fence);
    walls_.erase(found);
  }
  return fence;
}

std::optional<Fence> Walls::TakeLost(const driver::WallLost& event) {
  const auto found = walls_.find(event.wall);
  if (found == walls_.end()) return std::nullopt;
  const Fence fence = found->second.fence;
  names_[fence].erase(event.wall);
  if (names_[fence].empty()) names_.erase(fence);
  walls_.erase(found);
  return fence;
}

}  // namespace muster::site
