// Handles the driver's events about parts. protocol.md section 3.3.
#pragma once

#include <set>
#include <string>

#include "site/driver/driver.h"
#include "site/holds/hold_progress.h"

namespace muster::site {

// Invariant: a PartFound counts once per token, and only if FindTokens asked for that token.
class DriverEvents : public HoldProgress {
 public:
  using HoldProgress::HoldProgress;

  // Events whose token no longer names a part are ignored.
  void On(const driver::PartStarted& event);
  void On(const driver::PartNotStarted& event);
  void On(const driver::PartEnding& event);
  void On(const driver::PartEnded& event);
  void On(const driver::PartFound& event);

 protected:
  // After a restart: asks the driver about the tokens on record.
  void FindTokens();

 private:
  void EndPart(const PartKey& part, const driver::PartEnded& end, verifier::PartEvent event);
  void StartFailed(const PartKey& part, const std::string& why, schemas::CauseCode cause,
                   bool late);
  void BeganLate(const PartKey& part, schemas::CauseCode code);
  void LoanFailed(const PartKey& part, verifier::LoanEvent event);
  void FoundLoan(const PartKey& part, const driver::PartFound& event);

  std::set<std::string> finding_;  // tokens of an earlier daemon: asked for, not answered yet
};

}  // namespace muster::site
