// What a request could do without to start earlier: each way is tried on the plan as it is, alone.
// OpenCCS Sect. 5.2 (what maps depends on what chunks ask for), cli.md section 3 (explain).
#pragma once

#include <cstddef>
#include <vector>

#include "schemas/inspect.h"
#include "schemas/proposal.h"
#include "site/options.h"
#include "site/planner.h"

namespace muster::site {

// Ways tried for one entry.
inline constexpr size_t kCheaperTries = 24;
// What saves no more than that is no advice.
inline constexpr Span kCheaperSaves{60};

// Single changes that `muster alter` can make and that bring the entry to a start more than
// kCheaperSaves before `start`: the fewest things given up first, then the earliest; at most
// kBlockers. Of two changes alike the greater is there only if it saves that much more.
std::vector<schemas::CheaperWay> CheaperWays(const SitePlanner& plan,
                                             const std::vector<Node>& nodes,
                                             const schemas::ProposalEntry& entry, Instant now,
                                             Instant start);

}  // namespace muster::site
