// Moves: a booking gets later, or is lost, only for a cause that its site can show: the node it was
// on is drained, or down, or another job took its place after a loss and is more urgent. Earlier it
// gets only by backfilling. protocol.md sections 3.1 (H14 to H17) and 5 (displacement).
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

// A site plans by its own clock, which may be off by so much before anybody acts on it.
constexpr Span kClocksOff{3};

bool Started(const HoldRecord& hold) {
  return std::any_of(hold.parts.begin(), hold.parts.end(),
                     [](const auto& part) { return part.state >= PartState::kStarting; });
}
bool IsOn(const HoldRecord& hold, const std::string& node) {
  return std::any_of(hold.parts.begin(), hold.parts.end(), [&](const auto& part) {
    return std::any_of(part.place.chunks.begin(), part.place.chunks.end(),
                       [&](const auto& chunk) { return chunk.node == node; });
  });
}

// How a site speaks of a hold: "42", of several parts "42.1", "R7", "lakes/17".
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

  void OnSiteWrites(Moment at, const std::string& name, const SiteWrites& writes) override {
    Site& site = sites_[name];
    // A batch is one instant: a node that came back in it was out of use for a part of it.
    site.out = site.out_now;
    site.after.clear();
    site.later.clear();
    site.steered = 0;
    for (const auto& write : writes) {
      if (write.key.starts_with(kNodeKeys)) Node(site, write);
      if (!write.value) continue;
      const auto* hold = std::get_if<HoldRecord>(&*write.value);
      if (hold != nullptr) site.after[hold->order.fence] = *hold;
      // Drained and put back in one instant, a node has left nothing but the operators' orders.
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
    std::map<Fence, HoldRecord> after;  // as this batch leaves them
    std::map<Fence, Cause> later;       // why they were moved in it, if later
    int steered = 0;                    // operators' orders that were obeyed in it
    std::map<std::string, std::string> out_now;
    std::map<std::string, std::string> out;  // in this batch: nodes and by whom
  };

  static void Node(Site& site, const schemas::Write<schemas::SiteRecord>& write) {
    const std::string node = write.key.substr(kNodeKeys.size());
    if (!write.value) {
      site.out_now.erase(node);
      site.out.try_emplace(node, "");  // taken out and put back in this very instant, by whomever
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
      // What its user altered may start at once.
      const Span notice = after.order.start_notice - std::min(after.order.start_notice, kClocksOff);
      if (before.order == after.order && after.start < at.Floor() + notice) {
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

  // With the cause of a move to a later start, or of a loss; empty: nothing.
  std::string WhatIsWrong(const std::string& name, const Site& site, const HoldRecord& before,
                          const HoldRecord& after) const {
    Cause cause = after.cause;
    // Moved later and then a little earlier, or given back, in one instant: on record is the last.
    const bool earlier = cause.code == CauseCode::kBackfilled && after.state < HoldState::kClosed;
    const bool given_back = after.closed_as == ClosedAs::kReleased;
    if (earlier || given_back) {
      if (after.order.fence.epoch == Epoch{0}) return "";  // of a site's own, nothing is told
      const auto later = site.later.find(after.order.fence);
      if (later != site.later.end()) cause = later->second;
    }
    const std::string& node = cause.subject.node;
    switch (cause.code) {
      case CauseCode::kNodeLost:
        // It may have been put there in this very instant, before the node was lost too.
        return node.empty() || IsOn(before, node) || site.out.contains(node)
                   ? ""
                   : "it was not on that node";
      case CauseCode::kOperator:
      case CauseCode::kUser:
        // A job of the site's own users is another one by its owner's word.
        if (after.order.fence.epoch == Epoch{0} && after.order != before.order) return "";
        if (before.order.inside && cause.subject.job == "R" + ToText(*before.order.inside))
          return "";
        // Two orders in one instant: the first may have put it there, at the same start.
        if (!IsOn(before, node) && site.steered < 2) return "it was not on that node";
        return site.out.contains(node) || site.steered > 0 ? "" : "that node is in use";
      case CauseCode::kPreempted:
        return WhatIsWrongWithDisplacing(name, site, before, cause);
      case CauseCode::kOverrun:
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

  // An operator's drain does not tell: a node that is drained may be lost all the same, when a part
  // neither starts nor ends there.
  static bool IsDown(const std::string& name, const Site& site, const std::string& node) {
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

  // The winner was on a node that is down, is on others from now on, starts no later than it was to
  // start, and is more urgent. Of several nodes lost in one instant, the first may have moved it to
  // the next, and later; having won it may start earlier yet.
  static std::string WhatIsWrongWithDisplacing(const std::string& name, const Site& site,
                                               const HoldRecord& before, const Cause& cause) {
    if (!IsDown(name, site, cause.subject.node)) return "no node is down";
    std::string wrong = "no other one lost its place";
    for (const auto& [fence, winner] : site.after) {
      if (Label(winner) != cause.subject.job || fence == before.order.fence) continue;
      // Of two holds of one job, one of which shall replace the other, either may have won.
      const std::optional<std::string> of_this =
          WhatIsWrongWithWinner(site, fence, winner, before, cause.subject.node);
      if (of_this == "") return "";
      if (of_this) wrong = *of_this;
    }
    return wrong;
  }

  // None if it did not lose its place on that node.
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
    // What ran on its new nodes may not be gone in time: then it moves on, for that.
    const auto later = site.later.find(fence);
    const bool overrun = later != site.later.end() && later->second.code == CauseCode::kOverrun;
    // What it won may have been of the next node that was lost.
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
