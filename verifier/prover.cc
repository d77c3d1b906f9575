// Matches and checks verdicts without trusting the site.
#include "verifier/prover.h"

#include <utility>

#include "base/check.h"
#include "schemas/limits.h"

namespace muster::verifier {

using schemas::VerdictEntry;
using schemas::VerdictKind;

schemas::Propose Prover::Ask(const std::string& site, uint64_t owner, PlanRevision assumed,
                             std::vector<schemas::ProposalEntry> entries, BootInstant until) {
  MUSTER_CHECK(entries.size() <= schemas::kProposalEntries);
  schemas::Propose out;
  out.proposal = ProposalId{++last_.value};
  out.assumed = assumed;
  out.entries = entries;
  questions_[out.proposal] = {site, owner, until, std::move(entries), std::nullopt};
  return out;
}

schemas::Propose Prover::AskTentatively(const std::string& site, uint64_t owner,
                                        PlanRevision assumed,
                                        std::vector<schemas::ProposalEntry> entries,
                                        BootInstant until, std::optional<ProposalId> continues) {
  schemas::Propose out = Ask(site, owner, assumed, std::move(entries), until);
  out.tentative = true;
  out.continues = continues;
  questions_.at(out.proposal).continues = continues;
  return out;
}

absl::Status CheckVerdict(const schemas::ProposalEntry& entry, const VerdictEntry& verdict) {
  const size_t wanted = entry.intervals > 0 ? entry.intervals : schemas::kStartIntervals;
  if (verdict.starts.intervals().size() > wanted) {
    return InvalidArgument("more intervals of starts than a verdict may have");
  }
  if (verdict.starts.Intersect(entry.allowed) != verdict.starts) {
    return InvalidArgument("feasible starts outside the allowed ones: " + ToText(verdict.starts));
  }
  for (const ResourceSet& taken : verdict.taken) {
    for (const auto& [name, amount] : taken.entries()) {
      if (amount < 0) return InvalidArgument("a verdict that takes less than nothing of " + name);
    }
  }
  switch (verdict.kind) {
    case VerdictKind::kAccepted:
      if (verdict.start == entry.asked) return absl::OkStatus();
      return InvalidArgument("accepted another start than the one asked");
    case VerdictKind::kCountered:
      if (!entry.allowed.Contains(verdict.start)) {
        return InvalidArgument("countered with a start that was not allowed");
      }
      if (!verdict.starts.empty() && verdict.starts.intervals()[0].begin != verdict.start) {
        return InvalidArgument("countered with a start that is not the first feasible one");
      }
      return absl::OkStatus();
    case VerdictKind::kNever:
    case VerdictKind::kBlocked:
    case VerdictKind::kUnanswered:
      return absl::OkStatus();
  }
  return InvalidArgument("a verdict of an unknown kind");
}

absl::StatusOr<std::optional<Prover::Question>> Prover::Take(const std::string& site,
                                                             const schemas::Verdict& verdict) {
  const auto it = questions_.find(verdict.proposal);
  if (it == questions_.end() || it->second.site != site || verdict.round != 0) {
    return std::optional<Question>();
  }
  Question question = std::move(it->second);
  questions_.erase(it);
  if (verdict.gone) {
    if (question.continues) return std::optional<Question>(std::move(question));
    return InvalidArgument("an overlay is gone that was never asked to continue");
  }
  if (verdict.entries.size() != question.entries.size()) {
    return InvalidArgument("a verdict of " + std::to_string(verdict.entries.size()) +
                           " entries for " + std::to_string(question.entries.size()));
  }
  for (size_t i = 0; i < verdict.entries.size(); ++i) {
    MUSTER_RETURN_IF_ERROR(CheckVerdict(question.entries[i], verdict.entries[i]));
  }
  return std::optional<Question>(std::move(question));
}

std::vector<Prover::Question> Prover::TakeOverdue(BootInstant now) {
  std::vector<Question> out;
  for (auto it = questions_.begin(); it != questions_.end();) {
    if (it->second.until > now) {
      ++it;
      continue;
    }
    out.push_back(std::move(it->second));
    it = questions_.erase(it);
  }
  return out;
}

std::vector<Prover::Question> Prover::TakeSite(const std::string& site) {
  std::vector<Question> out;
  for (auto it = questions_.begin(); it != questions_.end();) {
    if (it->second.site != site) {
      ++it;
      continue;
    }
    out.push_back(std::move(it->second));
    it = questions_.erase(it);
  }
  return out;
}

std::optional<BootInstant> Prover::NextOverdue() const {
  std::optional<BootInstant> next;
  for (const auto& [id, question] : questions_) {
    if (!next || question.until < *next) next = question.until;
  }
  return next;
}

void Prover::Drop(uint64_t owner) {
  std::erase_if(questions_, [owner](const auto& q) { return q.second.owner == owner; });
}

}  // namespace muster::verifier
