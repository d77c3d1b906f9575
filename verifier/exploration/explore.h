// Breadth-first search over every order of moves, within stated bounds. protocol.md section 10.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "verifier/exploration/model.h"

namespace muster::verifier::exploration {

struct Bounds {
  size_t states = 5'000'000;
  size_t seconds = 60;  // by the caller's clock
};

struct Found {
  size_t states = 0;
  bool complete = false;           // all states that are reachable within `scope` were seen
  std::string ended_by;            // if not complete: the bound or violation that ended the search
  std::string scope;               // bounds of the model: sites, attempts, messages, faults
  std::string violation;           // empty: none
  std::vector<std::string> trace;  // the moves that lead to the violation, first to last
};
// One line: the number of states, whether these are all, and the bounds.
std::string ToText(const Found& found);

// Calls `seconds_spent` every few thousand states; the search ends when its result exceeds the
// bound.
Found Explore(const Config& config, const Bounds& bounds, double (*seconds_spent)());

}  // namespace muster::verifier::exploration
