// Constants of the drivers that ask nothing of their machine.
#include "site/driver/facts.h"

namespace muster::driver {

Facts ProcessFacts() { return {.turnover = Span{1}, .start_slack = Span{1}}; }

// It loses its parts with its daemon.
Facts SimulatedFacts() { return {.finds_parts = false}; }

Facts FactsOf(std::string_view driver) {
  return driver == "process" ? ProcessFacts() : SimulatedFacts();
}

}  // namespace muster::driver
