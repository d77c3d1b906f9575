// Moves: a booking gets later, or is lost, only for a cause. If the cause is a node or a
// displacement, the site's records must show it: the node is drained or down, or the place went to
// a more urgent job that lost its own. A booking gets earlier only if backfilling may move it so
// far. protocol.md sections 3.1 (H14 to H17) and 5 (displacement).
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "sim/checkers/checker.h"
#include "verifier/ending.h"

namespace muster::sim {
namespace {

using schemas::Cause;
using schemas::CauseCode;
using schemas::ClosedAs;
using schemas::HoldRecord;
using schemas::HoldState;
using schemas::PartState;

// Tolerance for a site's clock, which may be off by this much.
constexpr Span kClocksOff{3};

bool IsOn(const HoldRecord& hold, const std::string& node) {
  return std::any_of(hold.parts.begin(), hold.parts.end(), [&](const auto& part) {
    return std::any_of(part.place.chunks.begin(), part.place.chunks.end(),
                       [&](const auto& chunk) { return chunk.node == node; });
  });
}

// The name of a hold in a site's messages: "42", "42.1" (of several parts), "R7", "lakes/17".
std::string Label(const HoldRecord& hold) {
  const schemas::HoldOrder& order = hold.order;
  if (order.reserves) return "R" + ToText(order.request);
  std::string name = ToText(order.request);
  if (order.fence.epoch == Epoch{0})
    name = order.members.front() + "/" + std::to_string(order.request.value);
  if (order.part_count == 1 || order.parts.empty()) return name;
  return name + "." + std::to_string(order.parts.front().index);
}

class Moves : public Checker {
 public:
  std::string Name() const override { return "moves"; }

  void OnDriverEvent(Moment, const std::string& name, const driver::Event& event) override {
    const auto* outside = std::get_if<driver::Outside>(&event);
    if (outside == nullptr) return;
    for (const driver::OutsideNode& node : outside->nodes) {
      std::set<std::string>& lost = sites_[name].lost;
      node.usable ? void(lost.erase(node.node)) : void(lost.insert(node.node));
    }
  }

  void OnSiteWrites(Moment at, const std::string& name, const SiteWrites& writes) override {
    Site& site = sites_[name];
    // A batch is one instant: a node resumed in it was out of use during part of it.
    site.out = site.out_now;
    site.after.clear();
    site.later.clear();
    site.steered = 0;
    for (const auto& write : writes) {
      if (write.key.starts_with(kNodeKeys)) Node(site, write);
      if (!write.value) continue;
      const auto* hold = std::get_if<HoldRecord>(&*write.value);
      if (hold != nullptr) site.after[hold->order.fence] = *hold;
      // A node drained and resumed in one batch leaves no trace but the executed orders.
      site.steered += std::holds_alternative<schemas::SteerDoneRecord>(*write.value);
      const auto* told = std::get_if<schemas::ChangeRecord>(&*write.value);
      const auto* moved = told ? std::get_if<schemas::Moved>(&told->change.what) : nullptr;
      if (moved != nullptr && moved->new_start > moved->old_start) {
        site.later[told->change.fence] = moved->cause;
      }
    }
    for (const auto& [fence, after] : site.after) {
      const auto before = site.holds.find(fence);
      if (before != site.holds.end()) Look(at, name, site, before->second, after);
    }
    for (auto& [fence, after] : site.after) site.holds[fence] = after;
    site.after.clear();
  }

 private:
  struct Site {
    std::map<Fence, HoldRecord> holds;
    std::map<Fence, HoldRecord> after;  // holds as this batch leaves them
    std::map<Fence, Cause> later;       // causes of moves to a later start in this batch
    int steered = 0;                    // operators' orders executed in this batch
    std::map<std::string, std::string> out_now;
    std::set<std::string> lost;  // as a machine that is shared says
    // nodes out of use at some time in this batch, and who took them out
    std::map<std::string, std::string> out;
  };

  static void Node(Site& site, const schemas::Write<schemas::SiteRecord>& write) {
    const std::string node = write.key.substr(kNodeKeys.size());
    if (!write.value) {
      site.out_now.erase(node);
      // drained and resumed in this very batch, by an unknown party
      site.out.try_emplace(node, "");
      return;
    }
    site.out_now[node] = std::get<schemas::NodeRecord>(*write.value).who;
    site.out[node] = site.out_now[node];
  }

  void Look(Moment at, const std::string& name, const Site& site, const HoldRecord& before,
            const HoldRecord& after) {
    const bool bound = before.state >= HoldState::kPrepared && before.state < HoldState::kClosed;
    if (!bound || Started(before)) return;
    const std::string who = Label(after) + " at " + name;
    const bool lost = after.state == HoldState::kClosed && after.closed_as == ClosedAs::kDropped;
    if (after.start < before.start) {
      if (after.order.reserves) Violated(at, who + " is a reservation and was moved earlier");
      if (after.start < after.order.earliest) {
        Violated(at, who + " was moved to before its earliest start");
      }
      if (after.order.keeps_order && after.state < HoldState::kPermitted) {
        Violated(at, who + " was moved up while it waits for a place of its array");
      }
      // A job that its user altered may start without notice.
      const Span notice = after.order.start_notice - std::min(after.order.start_notice, kClocksOff);
      // L2, L6: it runs since then, on room that was lent to it.
      const std::optional<schemas::Loan>& loan = before.parts.front().loan;
      const schemas::PartRecord& part = after.parts.front();
      const bool kept = loan && part.token == loan->token && part.started_at &&
                        part.started_at->Floor() == after.start;
      if (!kept && before.order == after.order && after.start < at.Floor() + notice) {
        Violated(at, who + " was moved nearer than its user has notice of");
      }
    }
    if (after.start > before.start || lost) {
      const std::string wrong = WhatIsWrong(name, site, before, after);
      if (wrong.empty()) return;
      Violated(at, who + (lost ? " was lost" : " was moved later") + " for " +
                       verifier::CauseText(after.cause) + ": " + wrong);
    }
  }

  // Returns what is wrong with the cause of a move to a later start or of a loss; "" if nothing is.
  std::string WhatIsWrong(const std::string& name, const Site& site, const HoldRecord& before,
                          const HoldRecord& after) const {
    Cause cause = after.cause;
    // A batch that moves a booking later and then slightly earlier, or releases it, leaves only the
    // last cause in the record. The feed has the cause of the move.
    const bool earlier = cause.code == CauseCode::kBackfilled && after.state < HoldState::kClosed;
    const bool given_back = after.closed_as == ClosedAs::kReleased;
    if (earlier || given_back) {
      if (after.order.fence.epoch == Epoch{0}) return "";  // local jobs have no feed
      const auto later = site.later.find(after.order.fence);
      if (later != site.later.end()) cause = later->second;
    }
    const std::string& node = cause.subject.node;
    switch (cause.code) {
      case CauseCode::kNodeLost:
        // The booking may have moved to that node earlier in this batch, before the node was lost
        // too.
        return node.empty() || IsOn(before, node) || site.out.contains(node) ||
                       site.lost.contains(node)
                   ? ""
                   : "it was not on that node";
      case CauseCode::kOperator:
      case CauseCode::kUser:
        // A local job that its owner altered may move.
        if (after.order.fence.epoch == Epoch{0} && after.order != before.order) return "";
        if (before.order.inside && cause.subject.job == "R" + ToText(*before.order.inside))
          return "";
        // With two orders in one batch, the first may have moved the booking to that node without
        // changing its start.
        if (!IsOn(before, node) && site.steered < 2) return "it was not on that node";
        return site.out.contains(node) || site.steered > 0 ? "" : "that node is in use";
      case CauseCode::kPreempted:
        return WhatIsWrongWithDisplacing(name, site, before, cause);
      case CauseCode::kOverrun:
      case CauseCode::kLocal:
      case CauseCode::kPolicyChanged:
      case CauseCode::kClock:
      case CauseCode::kForgot:
      case CauseCode::kDiskFull:
      case CauseCode::kSiteDown:
      case CauseCode::kNoPermit:
      case CauseCode::kLate:
        return "";
      default:
        return "that is no cause for it";
    }
  }

  // True if the node is down or may be. A drain record can hide this: a drained node may be lost as
  // well when a part on it neither starts nor ends.
  static bool IsDown(const std::string& name, const Site& site, const std::string& node) {
    if (site.lost.contains(node)) return true;
    const auto out = site.out.find(node);
    if (out == site.out.end()) return false;
    if (out->second.empty() || out->second == "site:" + name) return true;
    return std::any_of(site.holds.begin(), site.holds.end(), [&](const auto& hold) {
      const auto& parts = hold.second.parts;
      return std::any_of(parts.begin(), parts.end(), [&](const auto& part) {
        const bool in_doubt =
            part.state == PartState::kStarting || part.state == PartState::kEnding;
        return in_doubt && !part.place.chunks.empty() && part.place.chunks.front().node == node;
      });
    });
  }

  // Checks that this booking lost its place to a more urgent one, the winner, which itself lost its
  // place on a node that is down. The winner must be on other nodes now and must start no later
  // than before. Its start is not checked if it stood on another lost node too, had to move again
  // when the next node was lost, or overran.
  static std::string WhatIsWrongWithDisplacing(const std::string& name, const Site& site,
                                               const HoldRecord& before, const Cause& cause) {
    if (!IsDown(name, site, cause.subject.node)) return "no node is down";
    std::string wrong = "no other one lost its place";
    for (const auto& [fence, winner] : site.after) {
      if (Label(winner) != cause.subject.job || fence == before.order.fence) continue;
      // Of two holds of one job, where one is to replace the other, either may have won.
      const std::optional<std::string> of_this =
          WhatIsWrongWithWinner(site, fence, winner, before, cause.subject.node);
      if (of_this == "") return "";
      if (of_this) wrong = *of_this;
    }
    return wrong;
  }

  // Returns why `winner` cannot be the hold that took the place; "" if it can. None if that hold
  // did not lose a place on the node.
  static std::optional<std::string> WhatIsWrongWithWinner(const Site& site, const Fence& fence,
                                                          const HoldRecord& winner,
                                                          const HoldRecord& before,
                                                          const std::string& node) {
    const auto was = site.holds.find(fence);
    if (was == site.holds.end()) return std::nullopt;
    const bool moved_twice = std::any_of(site.out.begin(), site.out.end(), [&](const auto& out) {
      return out.first != node && IsOn(was->second, out.first);
    });
    if (!moved_twice && !IsOn(was->second, node)) return std::nullopt;
    const bool dropped = winner.closed_as == schemas::ClosedAs::kDropped;
    const bool stays = IsOn(winner, node);
    if (stays && dropped) return std::nullopt;
    if (stays) return "the other one is still there";
    // If the new nodes were not free in time, the winner moves again with cause `overrun`.
    const auto later = site.later.find(fence);
    const bool overrun = later != site.later.end() && later->second.code == CauseCode::kOverrun;
    // The place that it won may be on the next lost node.
    const bool lost_too = later != site.later.end() && later->second.code == CauseCode::kNodeLost &&
                          later->second.subject.node != node;
    if (winner.start > was->second.start && !overrun && !moved_twice && !lost_too) {
      return "the other one did not keep its start";
    }
    if (winner.order.priority <= before.order.priority) return "it is as urgent as the other one";
    return "";
  }

  std::map<std::string, Site> sites_;
};

}  // namespace

std::unique_ptr<Checker> CheckMoves(const CheckedWorld&) { return std::make_unique<Moves>(); }

}  // namespace muster::sim
