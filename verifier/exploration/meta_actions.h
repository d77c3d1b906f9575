// The effects of the attempt table in the model's meta. Checks the predicates of protocol.md
// section 10 wherever an effect can violate them.
#pragma once

#include "verifier/attempt_executor.h"
#include "verifier/exploration/turn.h"

namespace muster::verifier::exploration {

class MetaActions final : public AttemptActions {
 public:
  MetaActions(Turn& turn, int attempt)
      : turn_(turn), state_(turn.state_), me_(attempt), a_(turn.state_.attempts[attempt]) {}

  void Enter(schemas::AttemptState next) override { a_.state = static_cast<uint8_t>(next); }
  void WriteDecision() override { a_.durable = 1; }
  void WritePromise() override;
  void WriteSuperseded() override;
  void WritePermit() override;
  // The model has no causes.
  void WriteAbort() override {}
  void WritePartial() override {}
  void WriteOutcome() override;
  // The model's sites always have room.
  void BookMembers() override {}
  void OrderHolds() override { Order(kOrderHoldOf); }
  void OrderCommit() override;
  void OrderPermit() override;
  void OrderRelease() override { Order(kOrderReleaseOf); }
  void ReleaseReplaced() override;
  void TellUser() override;
  void SeekReplacement() override;
  void ResumeSearch() override { state_.seeks = 1; }
  void PlaceAgain() override { state_.seeks = 1; }
  void CountPartial() override { a_.counted_partial = 1; }

 private:
  void Order(OrderKind kind);

  Turn& turn_;
  State& state_;
  int me_;
  AttemptBytes& a_;
};

}  // namespace muster::verifier::exploration
