// Carries out what the table of attempts says, effect by effect. The meta and the exploration of
// the tables both go through it, so what was explored is what runs. protocol.md sections 3.2 and
// 10.
#pragma once

#include "schemas/meta_records.h"
#include "verifier/attempt_table.h"

namespace muster::verifier {

// One attempt, and what a step does to it: a function for each effect of the table. None of them
// may take a step itself.
class AttemptActions {
 public:
  virtual ~AttemptActions() = default;

  // The state that the step leads to. It comes first, so effects see the attempt in its new state.
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

// Enters the next state of the step, then carries out each of its effects once, in the order of
// AttemptEffect. REQUIRES: a row of the table.
void Execute(const AttemptStep& step, AttemptActions& actions);

}  // namespace muster::verifier
