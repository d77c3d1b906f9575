// The asking side of propose and verdict: which question is out at which site, and whether an
// answer makes sense. A verdict binds nobody; one that is not inside what was allowed, or not
// sorted, is nonsense and counted. protocol.md section 2 (propose, verdict), OpenCCS's
// prover-verifier idea of CCS Sect. 4.2.
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
  struct Question {
    std::string site;
    uint64_t owner = 0;  // whoever asked: a wave, an ask
    BootInstant until;   // answer_wait: later answers are ignored
    std::vector<schemas::ProposalEntry> entries;
    std::optional<ProposalId> continues;
  };

  // A new question for `site`. REQUIRES: at most kProposalEntries entries.
  schemas::Propose Ask(const std::string& site, uint64_t owner, PlanRevision assumed,
                       std::vector<schemas::ProposalEntry> entries, BootInstant until);
  // The same, tentatively: the site keeps what it answers for the proposal that continues this one.
  schemas::Propose AskTentatively(const std::string& site, uint64_t owner, PlanRevision assumed,
                                  std::vector<schemas::ProposalEntry> entries, BootInstant until,
                                  std::optional<ProposalId> continues);

  // The question this verdict answers, taken out; none if nobody waits for it (late, other round):
  // ignored. An error if the answer is nonsense: the question is taken out and stays unanswered.
  // With `gone` set, which only a question that continues another may get, there are no entries.
  absl::StatusOr<std::optional<Question>> Take(const std::string& site,
                                               const schemas::Verdict& verdict);

  // Questions whose time has passed, or of one owner or one site, taken out.
  std::vector<Question> TakeOverdue(BootInstant now);
  std::vector<Question> TakeSite(const std::string& site);
  void Drop(uint64_t owner);

  // When the next question is overdue.
  std::optional<BootInstant> NextOverdue() const;

  size_t size() const { return questions_.size(); }

 private:
  ProposalId last_;
  std::map<ProposalId, Question> questions_;
};

// Whether a verdict for this entry is inside what was allowed, sorted and complete in itself.
absl::Status CheckVerdict(const schemas::ProposalEntry& entry,
                          const schemas::VerdictEntry& verdict);

}  // namespace muster::verifier
