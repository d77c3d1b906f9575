// Breadth-first search over every order of moves, within bounds that are named. protocol.md
// section 10.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "verifier/exploration/model.h"

namespace muster::verifier::exploration {

struct Bounds {
  size_t states = 5'000'000;
  size_t seconds = 60;  // counted by the caller's clock between layers of states
};

struct Found {
  size_t states = 0;
  bool complete = false;  // every state that can be reached within `scope` was seen
  std::string ended_by;   // if not: the bound or the violation that ended the search
  std::string scope;      // what the world is bounded to: sites, attempts, messages, faults
  std::string violation;  // empty: none
  std::vector<std::string> trace;  // the moves that lead to it, first to last
};
// One line: how many states, whether that is all there are, and within which bounds.
std::string ToText(const Found& found);

// `seconds_spent` is asked now and then; the search ends when it exceeds the bound.
Found Explore(const Config& config, const Bounds& bounds, double (*seconds_spent)());

}  // namespace muster::verifier::exploration
