// Operator orders that take nodes out of use and back. The nodes' state, the moves and the order's
// result are one write. protocol.md section 2b (steer), sections 3.1 (H14 to H16) and 5 (soft and
// hard drain).
#include "site/holds/drains.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "schemas/limits.h"
#include "site/holds/hold_facts.h"

namespace muster::site {

using schemas::HoldRecord;
using schemas::HoldState;
using schemas::PartRecord;
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

// The first of `nodes` on which the part is mapped; null: none of them.
const std::string* OneOf(const std::vector<std::string>& nodes, const PartRecord& part) {
  for (const schemas::ChunkPlace& chunk : part.place.chunks) {
    const auto it = std::find(nodes.begin(), nodes.end(), chunk.node);
    if (it != nodes.end()) return &*it;
  }
  return nullptr;
}

}  // namespace

Steered Drains::Carry(const Steer& steer) {
  std::vector<std::string> unknown;
  for (const std::string& name : steer.nodes) {
    // A drained node that has left the configuration can still be resumed, which deletes its
    // record.
    const bool on_record = ledger().drained().contains(name);
    if (!plan().Knows(name) && !on_record) unknown.push_back(name);
  }
  Steered result{.order = steer.order};
  if (steer.nodes.empty()) {
    result.text = "no node named; nothing was changed";
  } else if (!unknown.empty()) {
    result.text = options().name + " has no node " + Listed(unknown) + "; nothing was changed";
  } else {
    result.done = true;
    result.text = steer.verb == SteerVerb::kDrain ? Drain(steer) : Resume(steer);
  }
  return result;
}

std::string Drains::Drain(const Steer& steer) {
  for (const std::string& name : steer.nodes) {
    const auto known = ledger().drained().find(name);
    const Moment since = known == ledger().drained().end() ? now() : known->second.at;
    records().Drain({.name = name,
                     .reason = steer.reason,
                     .who = steer.who,
                     .at = since,
                     .for_good = steer.for_good});
    planner().SetUsable(name, false);
    planner().SetGone(name, steer.for_good);
    if (!steer.for_good) continue;
    // The resources that the node lost do not come back.
    if (const ResourceSet* left = ForgetLost(name)) records().SetSize(name, *left);
  }
  std::string text = Listed(steer.nodes) + (steer.for_good ? " drained for good" : " drained");
  const size_t running =
      static_cast<size_t>(std::count_if(tokens().begin(), tokens().end(), [&](const auto& token) {
        const PartKey& part = token.second;
        return OneOf(steer.nodes, PartOf(*ledger().Find(part.first), part.second)) != nullptr;
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

// In order of rank, so that the most urgent hold chooses first among what is left. Holds with a
// started part stay.
Drains::Displaced Drains::MoveFrom(const std::vector<std::string>& nodes,
                                   const schemas::Cause& cause) {
  std::vector<std::pair<SitePolicy::Rank, Fence>> concerned;
  for (const auto& [fence, _] : live()) {
    const HoldRecord& hold = *ledger().Find(fence);
    if (HasStarted(hold) || IsStopping(hold)) continue;
    for (const PartRecord& part : hold.parts) {
      const std::string* node = OneOf(nodes, part);
      if (node == nullptr) continue;
      Memory(fence).drained = cause;
      Memory(fence).drained->subject.node = *node;
      concerned.emplace_back(policy().RankOf(hold.order), fence);
      break;
    }
  }
  std::sort(concerned.begin(), concerned.end());
  Displaced displaced;
  for (const auto& [rank, fence] : concerned) {
    LeaveDrained(fence);
    const HoldState state = ledger().Find(fence)->state;
    if (state == HoldState::kClosed) ++displaced.lost;
    if (state == HoldState::kPrepared || state == HoldState::kCommitted ||
        state == HoldState::kPermitted) {
      ++displaced.moved;
    }
  }
  return displaced;
}

// A HELD hold is not bound yet (H14 to H16 begin with PREPARED): it moves when it is prepared or
// committed, if its lease lasts that long.
void Drains::LeaveDrained(const Fence& fence) {
  const auto it = live().find(fence);
  if (it == live().end() || !it->second.drained) return;
  if (ledger().Find(fence)->state < HoldState::kPrepared) return;
  const schemas::Cause cause = *std::exchange(Memory(fence).drained, std::nullopt);
  // The nodes may have been resumed, or the hold planned elsewhere, in the meantime: then the hold
  // stays. It moves in any case if the cause names a resource: then its node was not drained, but
  // has lost some of that resource.
  const auto& parts = ledger().Find(fence)->parts;
  const bool there = std::any_of(parts.begin(), parts.end(), [&](const PartRecord& part) {
    return std::any_of(part.place.chunks.begin(), part.place.chunks.end(),
                       [&](const auto& chunk) { return !MayUse(chunk.node); });
  });
  const bool local = cause.code == schemas::CauseCode::kLocal && plan().ShortOn(fence);
  if (!there && !local && cause.resource.empty()) return;
  MoveForCause(fence, cause, true);
  Touch(fence);
}

std::string Drains::Resume(const Steer& steer) {
  for (const std::string& name : steer.nodes) {
    records().Resume(name);
    PutInUse(name);
    planner().SetGone(name, false);
  }
  SomethingIsFree();
  return Listed(steer.nodes) + " back in use";
}

schemas::MovesView Drains::TryMoves(const schemas::Steer& steer) const {
  Drains trial(*this);
  const schemas::Steered result = trial.Carry(steer);
  schemas::MovesView view;
  if (!result.done) {
    view.refused = result.text;
    return view;
  }
  std::string nodes;
  for (const std::string& name : steer.nodes) {
    nodes += (nodes.empty() ? "" : ", ") + options().name + "/" + name;
  }
  const bool drain = steer.verb == schemas::SteerVerb::kDrain;
  for (const auto& [fence, _] : live()) {
    const HoldRecord& before = *ledger().Find(fence);
    if (HasStarted(before) || before.state < HoldState::kPrepared) continue;
    const HoldRecord* after = trial.ledger().Find(fence);
    const bool lost = after == nullptr || !IsLive(*after);
    if (!lost && after->start == before.start) continue;
    view.moves.push_back({.job = LabelOf(before.order),
                          .before = before.start,
                          .after = lost ? std::nullopt : std::optional(after->start),
                          .because = nodes + (drain ? " drained" : " back in use")});
  }
  std::stable_sort(view.moves.begin(), view.moves.end(),
                   [](const schemas::MoveRow& a, const schemas::MoveRow& b) {
                     const auto late = [](const schemas::MoveRow& row) {
                       return row.after ? *row.after - row.before : Span{kFarFuture.seconds};
                     };
                     return late(a) > late(b);
                   });
  if (view.moves.size() > kViewRows) view.moves.resize(kViewRows);
  return view;
}

}  // namespace muster::site
