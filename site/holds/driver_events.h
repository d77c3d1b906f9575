// What the driver says of parts. protocol.md section 3.3.
#pragma once

#include <set>
#include <string>

#include "site/driver/driver.h"
#include "site/holds/hold_progress.h"

namespace muster::site {

// Invariant: of a token that this process did not start, a finding counts once, and only if it was
// asked for.
class DriverEvents : public HoldProgress {
 public:
  using HoldProgress::HoldProgress;

  // Of a token that is over nothing is learned.
  void On(const driver::PartStarted& event);
  void On(const driver::PartNotStarted& event);
  void On(const driver::PartEnding& event);
  void On(const driver::PartEnded& event);
  void On(const driver::PartFound& event);

 protected:
  // After a restart: the driver is asked for the tokens of before.
  void FindTokens();

 private:
  void EndPart(const PartKey& part, const driver::PartEnded& end, verifier::PartEvent event);
  void StartFailed(const PartKey& part, const std::string& why, schemas::CauseCode cause,
                   bool late);
  void BeganLate(const PartKey& part, schemas::CauseCode code);

  std::set<std::string> finding_;  // tokens of before: asked for, and not answered yet
};

}  // namespace muster::site
