// Executes a step of the attempt table, effect by effect. Both the meta and the exhaustive
// exploration use it, so the explored code is the code that runs. protocol.md sections 3.2 and 10.
#pragma once

#include "schemas/meta_records.h"
#include "verifier/attempt_table.h"

namespace muster::verifier {

// The effects of a step on one attempt, one function per effect of the table. No function may start
// another step.
class AttemptActions {
 public:
  virtual ~AttemptActions() = default;

  // Sets the state that the step leads to. Called first, so that the effects see the new state.
  virtual void Enter(schemas::AttemptState next) = 0;

  virtual void WriteDecision() = 0;
  virtual void WritePromise() = 0;
  virtual void WriteSuperseded() = 0;
  virtual void WritePermit() = 0;
  virtual void WriteAbort() = 0;
  virtual void WritePartial() = 0;
  virtual void WriteOutcome() = 0;
  virtual void BookMembers() = 0;
  virtual void OrderHolds() = 0;
  virtual void OrderCommit() = 0;
  virtual void OrderPermit() = 0;
  virtual void OrderRelease() = 0;
  virtual void ReleaseReplaced() = 0;
  virtual void TellUser() = 0;
  virtual void SeekReplacement() = 0;
  virtual void ResumeSearch() = 0;
  virtual void PlaceAgain() = 0;
  virtual void CountPartial() = 0;
};

// Enters the step's next state, then carries out each of its effects once, in the order of
// AttemptEffect. REQUIRES: the step is a row of the table.
void Execute(const AttemptStep& step, AttemptActions& actions);

}  // namespace muster::verifier
