// A part that runs may go on longer, as far as that delays nobody's promise (OpenCCS Sect. 5.4,
// Estimation of job runtime).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "site/holds/node_failures.h"

namespace muster::site {

// No state of its own.
class Extension : public NodeFailures {
 public:
  using NodeFailures::NodeFailures;

  // `bounded`: by what the site allows without an operator. The result has no order's number.
  // REQUIRES: the part is one of a live hold.
  schemas::Steered ExtendPart(const PartKey& part, Span span, bool bounded);

 protected:
  void ReportRunning(const PartKey& part);
  // What was written before a restart may not have reached the driver.
  void TellDriverAgain(const PartKey& part);

 private:
  using Moves = std::vector<std::pair<Fence, verifier::Booked>>;
  struct InTheWay {
    Instant at;       // from then on there is no room
    std::string job;  // because of this one; empty: of a limit
  };
  std::variant<Moves, InTheWay> MakeRoom(SitePlanner& trial, const PartKey& part,
                                         Instant until) const;
  std::optional<verifier::Booked> KeepPromise(SitePlanner& trial, const Fence& fence) const;
  Instant LatestEnd(const PartKey& part, InTheWay blocked) const;
};

}  // namespace muster::site
