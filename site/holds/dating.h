// Entries of proposals as ceilings on shares leave them: whoever is above a ceiling starts nothing
// new before a date (site/policy/site_shares.h), and whoever asks for lent room that the site lends
// to others starts not at all. The planner sees only the starts that are left, and the reason is
// put into its answers. scheduling.md sections 12 (Admission) and 18.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "schemas/proposal.h"
#include "schemas/reasons.h"

namespace muster::site {

// Value type, for one call of the planner.
class Dating {
 public:
  // `barred`: by entry, why it may not start, and until when; without `until`: not at all.
  // REQUIRES: as many as entries.
  Dating(std::vector<schemas::ProposalEntry> entries,
         std::vector<std::optional<schemas::Reason>> barred);

  const std::vector<schemas::ProposalEntry>& entries() const { return entries_; }
  // Says in the verdicts on entries() where a ceiling is what keeps an entry from its start.
  std::vector<schemas::VerdictEntry> Tell(std::vector<schemas::VerdictEntry> verdicts) const;

 private:
  std::vector<schemas::ProposalEntry> entries_;
  std::vector<std::optional<schemas::Reason>> barred_;  // where a start was taken away
};

}  // namespace muster::site
