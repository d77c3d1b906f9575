// What a request could do without to start earlier: each way is tried on the plan as it is, alone.
// OpenCCS Sect. 5.2 (what maps depends on what chunks ask for), cli.md section 3 (explain).
#pragma once

#include <cstddef>
#include <vector>

#include "schemas/inspect.h"
#include "schemas/proposal.h"
#include "site/options.h"
#include "site/planning/planner.h"

namespace muster::site {

// Things dropped, one at a time, for one entry; numbers of one part that are searched, each with at
// most kNumberVerdicts (site/queries/number_search.h).
inline constexpr size_t kRelaxationsTried = 24;
inline constexpr size_t kNumbersSearched = 6;
// What saves less than that is no advice; and what starts within it starts at once.
inline constexpr Span kRelaxationSaves{60};

// Single changes that `muster alter` can make and that bring the entry to a start at least
// kRelaxationSaves before `before`: the fewest things given up first, then the earliest; at most
// kBlockers. Of a number (the duration, the sets, each amount) there are two: the largest that
// starts so early, and the largest that starts at once. REQUIRES: as it is, the entry does not
// start so early.
std::vector<schemas::CheaperWay> Relaxations(const SitePlanner& plan,
                                             const std::vector<Node>& nodes,
                                             const schemas::ProposalEntry& entry, Instant now,
                                             Instant before);

}  // namespace muster::site
