// The asking side of propose and verdict: tracks the open questions per site, and validates
// answers. A verdict binds nobody. A verdict outside the allowed starts, or not sorted, is nonsense
// and is counted. protocol.md section 2 (propose, verdict), OpenCCS's prover-verifier idea of CCS
// Sect. 4.2.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "schemas/site_link.h"

namespace muster::verifier {

class Prover {
 public:
  // A number for somebody who asks: a wave, an inquiry. It is given out once.
  uint64_t NewOwner() { return ++last_owner_; }

  struct Question {
    std::string site;
    uint64_t owner = 0;  // id of the caller's wave or ask
    BootInstant until;   // end of answer_wait; later answers are ignored
    std::vector<schemas::ProposalEntry> entries;
    std::optional<ProposalId> continues;
  };

  // Creates a question for `site`. REQUIRES: at most kProposalEntries entries.
  schemas::Propose Ask(const std::string& site, uint64_t owner, PlanRevision assumed,
                       std::vector<schemas::ProposalEntry> entries, BootInstant until);
  // As Ask, but tentative: the site keeps the planned entries for the proposal that continues this
  // one.
  schemas::Propose AskTentatively(const std::string& site, uint64_t owner, PlanRevision assumed,
                                  std::vector<schemas::ProposalEntry> entries, BootInstant until,
                                  std::optional<ProposalId> continues);

  // Removes and returns the question that this verdict answers. None if no question is open for it
  // (late, or another round). Error: the verdict is nonsense; its question is removed and stays
  // unanswered. If `gone` is set, which is valid only for a question that continues another, there
  // are no entries.
  absl::StatusOr<std::optional<Question>> Take(const std::string& site,
                                               const schemas::Verdict& verdict);

  // Removes questions: those past their time, those of one site, or those of one owner.
  std::vector<Question> TakeOverdue(BootInstant now);
  std::vector<Question> TakeSite(const std::string& site);
  void Drop(uint64_t owner);

  // When the next question becomes overdue.
  std::optional<BootInstant> NextOverdue() const;

  size_t size() const { return questions_.size(); }

 private:
  uint64_t last_owner_ = 0;
  ProposalId last_;
  std::map<ProposalId, Question> questions_;
};

// Checks that a verdict for this entry lies inside what was allowed, is sorted, and has all it
// needs.
absl::Status CheckVerdict(const schemas::ProposalEntry& entry,
                          const schemas::VerdictEntry& verdict);

}  // namespace muster::verifier
