// An operator's word: nodes out of use and back. Which nodes are drained, what that moved and the
// order's result are one write. protocol.md section 2b (steer), sections 3.1 (H14 to H16) and 5
// (soft and hard drain).
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "schemas/limits.h"
#include "site/planning/environment.h"
#include "site/state.h"

namespace muster::site {

using schemas::HoldRecord;
using schemas::HoldState;
using schemas::PartRecord;
using schemas::PartState;
using schemas::Steer;
using schemas::Steered;
using schemas::SteerVerb;

namespace {

std::string Listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string Counted(size_t count, const std::string& one, const std::string& many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

// A node, by its place in `nodes`, on which the part is mapped.
const std::string* OneOf(const std::vector<std::string>& nodes, const PartRecord& part) {
  for (const schemas::ChunkPlace& chunk : part.place.chunks) {
    const auto it = std::find(nodes.begin(), nodes.end(), chunk.node);
    if (it != nodes.end()) return &*it;
  }
  return nullptr;
}

}  // namespace

void Core::State::OnBody(const schemas::ToSite&, const Steer& steer) {
  if (steer.order == 0 || steer.nodes.size() > schemas::kNodesPerSite ||
      steer.reason.size() > schemas::kScriptBytes) {
    return Nonsense("an operator's order without a number, or too large");
  }
  if (const auto* known = ledger.FindSteer(steer.order)) {
    return ledger.ReportSteered(Steered(known->result));
  }
  const bool running = steer.verb == SteerVerb::kExtend || steer.verb == SteerVerb::kResize;
  Steered result = running                           ? CarryRunning(steer)
                   : steer.verb == SteerVerb::kShare ? Share(steer)
                                                     : Carry(steer);
  result.order = steer.order;
  effects.notes.push_back(steer.who + ": " + result.text);
  ledger.KeepSteer(result);
  ledger.ReportSteered(result);
}

// All of the nodes or none.
Steered Core::State::Carry(const Steer& steer) {
  std::vector<std::string> unknown;
  for (const std::string& name : steer.nodes) {
    // One that left the configuration while it was drained can still be forgotten.
    const bool on_record = ledger.drained().contains(name);
    if (!plan.Knows(name) && !on_record) unknown.push_back(name);
  }
  Steered result{.order = steer.order};
  if (steer.nodes.empty()) {
    result.text = "no node named; nothing was changed";
  } else if (!unknown.empty()) {
    result.text = options.name + " has no node " + Listed(unknown) + "; nothing was changed";
  } else {
    result.done = true;
    result.text = steer.verb == SteerVerb::kDrain ? Drain(steer) : Resume(steer);
  }
  return result;
}

std::string Core::State::Drain(const Steer& steer) {
  for (const std::string& name : steer.nodes) {
    const auto known = ledger.drained().find(name);
    const Moment since = known == ledger.drained().end() ? now() : known->second.at;
    ledger.Drain({.name = name,
                  .reason = steer.reason,
                  .who = steer.who,
                  .at = since,
                  .for_good = steer.for_good});
    plan.SetUsable(name, false);
    plan.SetGone(name, steer.for_good);
    if (steer.for_good) GiveUpLost(name);
  }
  std::string text = Listed(steer.nodes) + (steer.for_good ? " drained for good" : " drained");
  const size_t running =
      static_cast<size_t>(std::count_if(tokens.begin(), tokens.end(), [&](const auto& token) {
        const PartKey& part = token.second;
        return OneOf(steer.nodes, PartOf(*ledger.Find(part.first), part.second)) != nullptr;
      }));
  if (running > 0) text += "; " + Counted(running, "part goes on", "parts go on") + " there";
  if (!steer.hard) return text;
  schemas::Cause cause = Own(schemas::CauseCode::kOperator);
  cause.who = steer.who;
  const Displaced displaced = MoveFrom(steer.nodes, cause);
  if (displaced.moved > 0)
    text += "; " + Counted(displaced.moved, "booking", "bookings") + " moved";
  if (displaced.lost > 0) text += "; " + Counted(displaced.lost, "booking", "bookings") + " lost";
  return text;
}

// What it had and has not now does not come back.
void Core::State::GiveUpLost(const std::string& name) {
  for (Node& node : options.nodes) {
    if (node.name != name || node.lost.empty()) continue;
    node.lost = {};
    ledger.SetSize(name, node.resources);
  }
}

// Highest rank first: it chooses among what is left. A hold of which a part has started goes on.
Core::State::Displaced Core::State::MoveFrom(const std::vector<std::string>& nodes,
                                             const schemas::Cause& cause) {
  std::vector<std::pair<int64_t, Fence>> concerned;
  for (const auto& [fence, _] : live) {
    const HoldRecord& hold = *ledger.Find(fence);
    if (HasStarted(hold) || IsStopping(hold)) continue;
    for (const PartRecord& part : hold.parts) {
      const std::string* node = OneOf(nodes, part);
      if (node == nullptr) continue;
      live[fence].drained = cause;
      live[fence].drained->subject.node = *node;
      concerned.emplace_back(-int64_t{hold.order.priority}, fence);
      break;
    }
  }
  std::sort(concerned.begin(), concerned.end());
  Displaced displaced;
  for (const auto& [rank, fence] : concerned) {
    LeaveDrained(fence);
    const HoldState state = ledger.Find(fence)->state;
    if (state == HoldState::kClosed) ++displaced.lost;
    if (state == HoldState::kPrepared || state == HoldState::kCommitted ||
        state == HoldState::kPermitted) {
      ++displaced.moved;
    }
  }
  return displaced;
}

// A HELD hold is bound to nothing yet (H14 to H16 begin with PREPARED): it moves when it is
// prepared, if its lease lasts so long.
void Core::State::LeaveDrained(const Fence& fence) {
  const auto it = live.find(fence);
  if (it == live.end() || !it->second.drained) return;
  if (ledger.Find(fence)->state < HoldState::kPrepared) return;
  const schemas::Cause cause = *std::exchange(it->second.drained, std::nullopt);
  // Resumed in between, or planned anew elsewhere: nothing is in the way any more.
  const auto& parts = ledger.Find(fence)->parts;
  const bool there = std::any_of(parts.begin(), parts.end(), [&](const PartRecord& part) {
    return std::any_of(part.place.chunks.begin(), part.place.chunks.end(),
                       [&](const auto& chunk) { return ledger.drained().contains(chunk.node); });
  });
  if (!there && cause.resource.empty()) return;
  MoveForCause(fence, cause, true);
  touched.insert(fence);
}

std::string Core::State::Resume(const Steer& steer) {
  for (const std::string& name : steer.nodes) {
    ledger.Resume(name);
    plan.SetUsable(name, true);
    plan.SetGone(name, false);
  }
  SomethingIsFree();
  return Listed(steer.nodes) + " back in use";
}

void Core::State::SomethingIsFree() {
  offers_from = Fence{};
  backfilling.Freed(plan.revision());
}

}  // namespace muster::site
