// What a change would do: both runs beside each other, as the asker may see it. Operators see all;
// users see their own jobs, and how many others start earlier or later. scheduling.md section 19.
#pragma once

#include <string>

#include "schemas/whatif.h"
#include "sim/whatif/side.h"

namespace muster::sim {

// A start that moves by no more is the same.
inline constexpr Span kSameStart{60};

struct Asker {
  std::string user;
  bool is_operator = false;
};

// The rows that break a promise come first, then those that move most. What a user gets is a
// function of their own jobs and the counts of others alone.
schemas::WhatIfView Compared(const SideOutcome& before, const SideOutcome& after,
                             const Asker& asker);

}  // namespace muster::sim
