// The asking side of propose and verdict: tracks the open questions per site, and validates
// answers. A verdict binds nobody. A verdict that contradicts its question is nonsense, which the
// caller counts. protocol.md section 2 (propose, verdict); the prover and verifier of CCS
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
  // Returns a number by which somebody who asks (a wave, an inquiry) is told apart. No number is
  // returned twice.
  uint64_t NewOwner() { return ++last_owner_; }

  struct Question {
    std::string site;
    uint64_t owner = 0;  // the NewOwner() of the one who asks
    BootInstant until;   // end of answer_wait; from then on TakeOverdue removes the question
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
  // unanswered. `gone` is valid only for a question that continues another; the entries of such a
  // verdict are not checked.
  absl::StatusOr<std::optional<Question>> Take(const std::string& site,
                                               const schemas::Verdict& verdict);

  // Removes questions: those past their time, those of one site, or those of one owner.
  std::vector<Question> TakeOverdue(BootInstant now);
  std::vector<Question> TakeSite(const std::string& site);
  void Drop(uint64_t owner);

  // When the next question becomes overdue; none if no question is open.
  std::optional<BootInstant> NextOverdue() const;

  size_t size() const { return questions_.size(); }

 private:
  uint64_t last_owner_ = 0;
  ProposalId last_;
  std::map<ProposalId, Question> questions_;
};

// Checks a verdict on this entry: its starts are allowed and no more intervals than wanted, its
// start fits its kind, and it takes no negative amounts.
absl::Status CheckVerdict(const schemas::ProposalEntry& entry,
                          const schemas::VerdictEntry& verdict);

}  // namespace muster::verifier
