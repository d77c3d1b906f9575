// A node is lost if the driver does not report in time that a part runs, or that its processes are
// gone (OpenCCS Sect. 5.4, Timeouts). It is down on record, and bookings there that have not
// started are planned again (H14 to H16). Only for lost nodes and lost resources of nodes may less
// urgent holds be displaced (Replanning). The node is back when no part that has it as its first
// node is STARTING or ENDING any more, or when an operator resumes it.
#include "site/holds/node_failures.h"

#include <algorithm>
#include <utility>

#include "base/units.h"
#include "site/holds/hold_facts.h"
#include "site/planning/environment.h"

namespace muster::site {

using schemas::CauseCode;
using schemas::HoldRecord;
using schemas::HoldState;
using schemas::PartRecord;
using schemas::PartState;

namespace {

bool IsChanging(const PartRecord& part) { return IsBeginning(part) || IsEnding(part); }

// How long the driver may take to confirm the change. Whoever was recalled has its grace besides.
Span LimitOf(const Options& options, const HoldRecord& hold, const PartRecord& part) {
  if (IsBeginning(part)) return options.allocate_timeout + options.facts.start_ahead;
  const bool recalled = part.loan ? part.loan->state == schemas::LoanState::kRecalled
                                  : IsRecalled(part) && !IsStopping(hold);
  return options.release_timeout + (recalled ? hold.order.contract->grace : Span{0});
}

// The node on which the part's command and its shepherd run; null: it has no nodes.
const std::string* FirstNode(const PartRecord& part) {
  const schemas::PartPlace& place = PlaceNow(part);
  return place.chunks.empty() ? nullptr : &place.chunks.front().node;
}

}  // namespace

std::optional<Moment> NodeFailures::NextTimeOut(const HoldRecord& hold) const {
  std::optional<Moment> next;
  const auto it = live().find(hold.order.fence);
  if (it == live().end()) return next;
  for (const auto& [index, since] : it->second.changing_since) {
    if (it->second.timed_out.contains(index)) continue;
    const Span limit = LimitOf(options(), hold, PartOf(hold, index));
    const Moment at{since.milliseconds + ToBootSpan(limit).milliseconds};
    if (!next || at < *next) next = at;
  }
  return next;
}

void NodeFailures::TimeOuts(const Fence& fence) {
  for (;;) {
    const HoldRecord& hold = *ledger().Find(fence);
    const auto next = NextTimeOut(hold);
    if (!next || now() < *next) return;
    for (const PartRecord& part : hold.parts) {
      const Live& memory = Memory(fence);
      const auto since = memory.changing_since.find(part.index);
      if (since == memory.changing_since.end() || memory.timed_out.contains(part.index)) continue;
      const bool starting = IsBeginning(part);
      const Span limit = LimitOf(options(), hold, part);
      if (now().milliseconds < since->second.milliseconds + ToBootSpan(limit).milliseconds)
        continue;
      Memory(fence).timed_out.insert(part.index);
      // The part can be tried elsewhere only after its end, or after proof that it never ran.
      if (starting && part.loan) {
        Recall(fence, verifier::LoanEvent::kTimedOut, "");
      } else if (starting) {
        Drive(driver::StopPart{.token = part.token});
      }
      const std::string name = PartName(hold.order, part.index);
      const std::string* node = FirstNode(part);
      const std::string after = " after " + DurationText(limit);
      if (node == nullptr) continue;
      NodeLost(*node, starting ? "the start of " + name + " was not confirmed" + after
                               : "processes of " + name + " are not gone" + after);
    }
  }
}

void NodeFailures::NodeLost(const std::string& node, const std::string& why) {
  // A node that an operator has drained stays drained by that operator.
  if (!ledger().drained().contains(node)) {
    records().Drain({.name = node, .reason = why, .who = Own({}).who, .at = now()});
    planner().SetUsable(node, false);
  }
  const Displaced displaced = MoveFrom({node}, Own(CauseCode::kNodeLost, node));
  Note("node " + node + " is down: " + why + "; bookings moved: " +
       std::to_string(displaced.moved) + ", lost: " + std::to_string(displaced.lost));
}

void NodeFailures::NodesBack() {
  if (!TakeMayBeBack()) return;
  std::set<std::string> in_doubt;
  for (const auto& [token, key] : tokens()) {
    const PartRecord& part = PartOf(*ledger().Find(key.first), key.second);
    if (IsChanging(part) && FirstNode(part) != nullptr) in_doubt.insert(*FirstNode(part));
  }
  std::vector<std::string> back;
  for (const auto& [node, record] : ledger().drained()) {
    if (IsDown(node) && !in_doubt.contains(node)) back.push_back(node);
  }
  for (const std::string& node : back) {
    records().Resume(node);
    PutInUse(node);
    Note("node " + node + " is back");
  }
  if (!back.empty()) SomethingIsFree();
}

void NodeFailures::KeepSizes() {
  std::set<std::string> here;
  for (const Node& node : options().nodes) {
    here.insert(node.name);
    ResourceSet had = node.resources;
    had += node.lost;
    const auto known = ledger().sizes().find(node.name);
    if (known == ledger().sizes().end() || known->second.had != had)
      records().SetSize(node.name, had);
  }
  std::vector<std::string> gone;
  for (const auto& [name, _] : ledger().sizes()) {
    if (!here.contains(name)) gone.push_back(name);
  }
  for (const std::string& name : gone) records().ForgetSize(name);
}

schemas::Cause NodeFailures::LostOf(const Displacement& displacement) const {
  schemas::Cause cause = Own(CauseCode::kNodeLost, displacement.node);
  cause.resource = displacement.resource;
  return cause;
}

// Moves holds that no longer fit beside more urgent ones on nodes that have lost resources (H14 to
// H16). Started parts go on there.
void NodeFailures::LeaveWhatIsLost() {
  const DisplacedByReload displaced(options());
  for (const auto& [fence, displacement] :
       displaced.Crowded(ledger().holds(), policy(), now_floor())) {
    const HoldRecord& hold = *ledger().Find(fence);
    if (!IsLive(hold) || HasStarted(hold)) continue;
    Note(displacement.why + ": " + LabelOf(hold.order) + " leaves it");
    if (hold.state < HoldState::kPrepared) {
      Memory(fence).drained = LostOf(displacement);
      continue;
    }
    MoveForCause(fence, LostOf(displacement), true);
    Touch(fence);
  }
}

}  // namespace muster::site
