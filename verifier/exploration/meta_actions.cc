// The model knows the true state of the sites, so it checks the meta's inferences against it.
#include "verifier/exploration/meta_actions.h"

namespace muster::verifier::exploration {

using schemas::AttemptState;
using schemas::ClosedAs;
using schemas::HoldState;

void MetaActions::Order(OrderKind kind) {
  for (int site = 0; site < kSites; ++site) {
    if (!IsMember(turn_.config_, me_, site) || state_.sites[site].synced == 0) continue;
    state_.sites[site].orders[OrderIndex(me_, kind, state_.epoch)] = 1;
  }
}

void MetaActions::WritePromise() {
  if (!a_.durable) turn_.Broken("promise: written without the decision");
  for (int site = 0; site < kSites; ++site) {
    const HoldBytes& hold = state_.sites[site].holds[me_];
    const HoldState state = StateOf(hold);
    const bool prepared = state >= HoldState::kPrepared && state != HoldState::kClosed;
    const bool was =
        state == HoldState::kClosed && hold.closed_as != static_cast<uint8_t>(ClosedAs::kReleased);
    if (IsMember(turn_.config_, me_, site) && !prepared && !was) {
      turn_.Broken("promise: decided before every member was prepared");
    }
  }
}

void MetaActions::WriteSuperseded() {
  if (a_.replaces > 0) state_.attempts[a_.replaces - 1].superseded = 1;
}

void MetaActions::WritePermit() {
  a_.permit = 1;
  a_.endangered = 0;
  state_.seeks = 0;  // a permitted attempt is not replaced
  for (int site = 0; site < kSites; ++site) {
    if (turn_.config_.members > 1 && !state_.sites[site].holds[me_].was_ready) {
      turn_.Broken("G1: permitted before every member was ready");
    }
    for (int other = 0; other < kAttempts; ++other) {
      const HoldBytes& rival = state_.sites[site].holds[other];
      const bool permitted = other != me_ && state_.attempts[other].permit;
      if (permitted && StateOf(rival) != HoldState::kClosed &&
          IsMember(turn_.config_, other, site)) {
        turn_.Broken("G3: a second attempt was permitted while the first is open");
      }
    }
  }
}

void MetaActions::WriteOutcome() {
  for (const MirrorBytes& m : state_.mirror[me_]) {
    if (m.closed_as == static_cast<uint8_t>(ClosedAs::kEnded)) state_.done = 1;
  }
}

void MetaActions::OrderCommit() {
  if (!a_.durable) turn_.Broken("G1: a commit is ordered without the decision");
  Order(kOrderCommitOf);
}

void MetaActions::OrderPermit() {
  if (!a_.permit) turn_.Broken("G1: a permit is ordered that is not written");
  Order(kOrderPermitOf);
}

// Orders nothing: the replaced attempt is superseded, so Turn takes its row C9, which orders the
// release.
void MetaActions::ReleaseReplaced() {
  if (a_.replaces > 0 && !state_.attempts[a_.replaces - 1].superseded) {
    turn_.Broken("G3: the replaced attempt may still be permitted");
  }
}

void MetaActions::TellUser() {
  if (!a_.durable) turn_.Broken("promise: its user is told what is not written");
}

void MetaActions::SeekReplacement() {
  a_.endangered = 1;
  state_.seeks = 1;
}

}  // namespace muster::verifier::exploration
