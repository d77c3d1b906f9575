// Extends running parts as far as that delays no promise (OpenCCS Sect. 5.4, Estimation of job
// runtime).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "site/holds/node_failures.h"

namespace muster::site {

// Invariant: a part for which longer walls are asked, and no other, is booked beyond its planned
// end without a record of it.
class Extension : public NodeFailures {
 public:
  using NodeFailures::NodeFailures;

  // `bounded`: apply the site's limit on extensions, which operators may exceed. Leaves the
  // result's order id unset. None: its walls have to stand for longer first, and are asked to (A6);
  // the call that comes once they were answered has the result. REQUIRES: the part belongs to a
  // live hold.
  std::optional<schemas::Steered> ExtendPart(const PartKey& part, Span span, bool bounded);

 protected:
  // The hold's walls stand, or one was refused, or no answer came in time. False: nothing longer
  // was asked for.
  bool AnswerLonger(const Fence& fence, const std::string& refused);
  // Gives up what was asked for, or answered and not taken, too long ago.
  void GiveUpLonger();
  std::optional<BootInstant> NextOfLonger() const;
  void ReportRunning(const PartKey& part);
  // Repeats walltime and place of a running part, and that it goes on after a pause: the commands
  // written before a restart may not have reached the driver.
  void TellDriverAgain(const PartKey& part);

  using Moves = std::vector<std::pair<Fence, verifier::Booked>>;
  struct InTheWay {
    Instant at;       // no room from this instant on
    std::string job;  // the job in the way; empty: a limit is
  };
  // Lengthens what the part, or the loan, has booked in the trial; what is in the way keeps its
  // start on other nodes, or starts earlier. Otherwise who is in the way.
  std::variant<Moves, InTheWay> MakeRoom(SitePlanner& trial, const PartKey& part,
                                         Instant until) const;

 private:
  struct Longer {
    BootInstant since;
    Instant until;  // to which it is asked
    bool answered = false;
    std::string refused;
  };
  bool AskLonger(const PartKey& part, const SitePlanner& trial, Instant until);
  void ForgetLonger(const Fence& fence);
  std::optional<verifier::Booked> KeepPromise(SitePlanner& trial, const Fence& fence) const;
  Instant LatestEnd(const PartKey& part, InTheWay blocked) const;

  std::map<PartKey, Longer> longer_;
};

}  // namespace muster::site
