// Handles the driver's events about parts. protocol.md section 3.3.
#pragma once

#include <set>
#include <string>

#include "site/driver/driver.h"
#include "site/holds/outside_events.h"

namespace muster::site {

// Invariant: a PartFound counts once per token, and only if FindTokens asked for that token.
class DriverEvents : public OutsideEvents {
 public:
  using OutsideEvents::On;
  using OutsideEvents::OutsideEvents;

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
  struct Try {
    bool late = false;   // the driver refused it as late
    bool counts = true;  // as one of kStartTries
  };
  void StartFailed(const PartKey& part, const std::string& why, schemas::CauseCode cause,
                   Try failed);
  schemas::CauseCode Slowness(const schemas::HoldRecord& hold) const;
  void BeganLate(const PartKey& part, schemas::CauseCode code);
  schemas::Cause LateBy(const Fence& fence, schemas::Cause cause);
  void LoanFailed(const PartKey& part, verifier::LoanEvent event);
  void FoundLoan(const PartKey& part, const driver::PartFound& event);

  std::set<std::string> finding_;  // tokens of an earlier daemon: asked for, not answered yet
};

}  // namespace muster::site
