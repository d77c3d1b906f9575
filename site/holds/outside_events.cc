// See outside_events.h.
#include "site/holds/outside_events.h"

#include <algorithm>
#include <set>
#include <utility>

#include "site/holds/hold_facts.h"

namespace muster::site {

using schemas::CauseCode;
using schemas::HoldRecord;

namespace {

// A hold whose parts were handed over at the most.
bool MayStillStart(const HoldRecord& hold) {
  return std::all_of(hold.parts.begin(), hold.parts.end(), [](const auto& part) {
    return WaitsToStart(part.state) || part.state == schemas::PartState::kStarting;
  });
}

}  // namespace

void OutsideEvents::On(const driver::Outside& outside) {
  const OutsideNews news = Hear(outside);
  for (const std::string& node : news.left) PutInUse(node);
  for (const std::string& node : news.returned) PutInUse(node);
  MakeWay(news.came);
  if (news.other_commons || news.sees) {  // a wall may have been refused unseen
    for (const auto& [fence, _] : live()) KeepWallsOf(fence);
  }
  for (const std::string& node : news.left) {
    const driver::OutsideNode& told = *Told(node);
    const bool lost = told.code != CauseCode::kOperator;
    const Displaced displaced =
        MoveFrom({node}, Own(lost ? CauseCode::kNodeLost : CauseCode::kOperator, node));
    Note("node " + node + " is out of use: " + told.why + "; bookings moved: " +
         std::to_string(displaced.moved) + ", lost: " + std::to_string(displaced.lost));
  }
  if (news.sees) planner().Announce();  // what may be booked has changed
  if (news.freed || news.sees || !news.returned.empty()) SomethingIsFree();
}

void OutsideEvents::On(const driver::Sight& sight) {
  const bool sees_again = Hear(sight);
  planner().Announce();  // what may be booked has changed
  if (sees_again) {
    for (const auto& [fence, _] : live()) KeepWallsOf(fence);
    Note("the machine is seen again");
    SomethingIsFree();
  } else if (sight.blind) {
    Note("the machine is not seen: " + sight.why + "; nothing new is planned until it is");
  }
}

// Holds with a part on a node of one of these bookings that do not run, the least urgent first.
std::vector<Fence> OutsideEvents::InTheWayOf(const std::vector<uint64_t>& came) const {
  std::set<std::string> nodes;
  for (const uint64_t key : came) {
    const auto it = outside().find(key);
    if (it == outside().end()) continue;
    for (const schemas::ChunkPlace& chunk : it->second.chunks) nodes.insert(chunk.node);
  }
  std::vector<std::pair<SitePolicy::Rank, Fence>> found;
  for (const auto& [fence, _] : live()) {
    const HoldRecord& hold = *ledger().Find(fence);
    if (!MayStillStart(hold) || IsStopping(hold)) continue;
    const bool there = std::any_of(hold.parts.begin(), hold.parts.end(), [&](const auto& part) {
      return std::any_of(part.place.chunks.begin(), part.place.chunks.end(),
                         [&](const auto& chunk) { return nodes.contains(chunk.node); });
    });
    if (there) found.emplace_back(policy().RankOf(hold.order), fence);
  }
  std::sort(found.rbegin(), found.rend());
  std::vector<Fence> out;
  for (const auto& [rank, fence] : found) out.push_back(fence);
  return out;
}

std::string OutsideEvents::NameOn(const std::string& node,
                                  const std::vector<uint64_t>& came) const {
  for (const uint64_t key : came) {
    const driver::OutsideBooking& booking = outside().at(key);
    for (const schemas::ChunkPlace& chunk : booking.chunks) {
      if (chunk.node == node) return booking.label;
    }
  }
  return "";
}

// A HELD hold is not bound yet: it moves when it is prepared or committed.
void OutsideEvents::MakeWay(const std::vector<uint64_t>& came) {
  if (came.empty()) return;
  for (const Fence& fence : InTheWayOf(came)) {
    const HoldRecord& hold = *ledger().Find(fence);
    if (!IsLive(hold)) continue;
    const auto node = plan().ShortOn(fence);
    if (!node) continue;
    schemas::Cause cause = Own(CauseCode::kLocal, *node);
    cause.subject.job = NameOn(*node, came);
    if (hold.state < schemas::HoldState::kPrepared) {
      Memory(fence).drained = cause;
      continue;
    }
    // What was handed over stays where it is until its last start.
    if (HasStarted(hold)) {
      Memory(fence).late = cause;
      continue;
    }
    MoveForCause(fence, std::move(cause), true);
    Touch(fence);
  }
}

}  // namespace muster::site
