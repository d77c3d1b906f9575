// Extends running parts as far as that delays no promise (OpenCCS Sect. 5.4, Estimation of job
// runtime).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "site/holds/node_failures.h"

namespace muster::site {

// Stateless.
class Extension : public NodeFailures {
 public:
  using NodeFailures::NodeFailures;

  // `bounded`: apply the site's limit on extensions, which operators may exceed. Leaves the
  // result's order id unset. REQUIRES: the part belongs to a live hold.
  schemas::Steered ExtendPart(const PartKey& part, Span span, bool bounded);

 protected:
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
  std::optional<verifier::Booked> KeepPromise(SitePlanner& trial, const Fence& fence) const;
  Instant LatestEnd(const PartKey& part, InTheWay blocked) const;
};

}  // namespace muster::site
