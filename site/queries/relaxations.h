// Finds what a request could give up to start earlier; each change is tried alone on the present
// plan. OpenCCS Sect. 5.2 (what maps depends on what chunks ask for), cli.md section 3 (explain).
#pragma once

#include <cstddef>
#include <vector>

#include "schemas/inspect.h"
#include "schemas/proposal.h"
#include "site/options.h"
#include "site/planning/planner.h"

namespace muster::site {

// Per entry: most things that are dropped, one at a time. Per part: most numbers that are searched,
// each with at most kNumberVerdicts verdicts (site/queries/number_search.h).
inline constexpr size_t kRelaxationsTried = 24;
inline constexpr size_t kNumbersSearched = 6;
// A change that saves less is not reported; a start within this span counts as a start at once.
inline constexpr Span kRelaxationSaves{60};

// Single changes that `muster alter` can make and with which the entry starts at least
// kRelaxationSaves before `before`; at most kBlockers, sorted by how much is given up, then by
// start. For a number (the duration, the sets, each amount) there are up to two: the largest value
// that starts early enough, and the largest that starts at once. REQUIRES: unchanged, the entry
// does not start that early.
std::vector<schemas::CheaperWay> Relaxations(const SitePlanner& plan,
                                             const std::vector<Node>& nodes,
                                             const schemas::ProposalEntry& entry, Instant now,
                                             Instant before);

}  // namespace muster::site
