// Each question has an owner; the owner's number identifies what asked.
#include "meta/verdicts.h"

#include <optional>
#include <vector>

#include "meta/search/block.h"
#include "meta/search/meetings.h"
#include "meta/search/proposal_round.h"
#include "meta/search/verified_run.h"
#include "meta/search/verifying.h"
#include "meta/service/explain.h"
#include "meta/service/questions.h"

namespace muster::meta {
namespace {

using schemas::VerdictEntry;

// False if no search has this owner.
bool TakeSearch(ServiceLayer& f, Turn& t, uint64_t owner, const std::string& site,
                PlanRevision plan, const std::vector<VerdictEntry>* verdicts) {
  if (!f.meetings.contains(owner)) return false;
  const std::optional<InquiryOver> over = TakeMeeting(f, t, owner, site, plan, verdicts);
  if (over && !AnswerWay(f, t, *over)) AnswerMeeting(f, t, *over);
  return true;
}

void Unanswered(ServiceLayer& f, Turn& t, const verifier::Prover::Question& question) {
  const uint64_t owner = question.owner;
  const std::string& site = question.site;
  if (TakeSearch(f, t, owner, site, {}, nullptr)) return;
  if (TakeVerified(f, t, owner, site, nullptr)) return;
  if (TakeBlockAnswer(f, t, owner, site, {}, nullptr)) return;
  if (TakeWave(f, t, owner, site, nullptr)) return;
  TakeAskAnswer(f, t, owner, site, nullptr);
}

// Ends everything that awaits answers of this site; the prover forgets the questions.
void EndAllAt(ServiceLayer& f, Turn& t, const std::string& site) {
  // This comes first, since a block may ask the site again at once.
  f.prover.TakeSite(site);
  EndAskAnswersOf(f, t, site);
  for (const uint64_t owner : MeetingsAt(f, site)) TakeSearch(f, t, owner, site, {}, nullptr);
  EndVerifyingAt(f, site);
  if (f.wave && f.wave->out.contains(site)) TakeWave(f, t, f.wave->owner, site, nullptr);
  if (f.block) TakeBlockAnswer(f, t, f.block->owner, site, {}, nullptr);
}

}  // namespace

absl::Status OnVerdict(ServiceLayer& f, Turn& t, const std::string& site,
                       const schemas::Verdict& verdict) {
  const size_t before = f.prover.size();
  absl::StatusOr<std::optional<verifier::Prover::Question>> taken = f.prover.Take(site, verdict);
  if (!taken.ok()) {
    if (f.prover.size() < before) EndAllAt(f, t, site);
    return taken.status();
  }
  if (!taken->has_value()) return absl::OkStatus();
  const uint64_t owner = (*taken)->owner;
  const std::vector<VerdictEntry>* all = &verdict.entries;
  const std::vector<VerdictEntry>* entries = verdict.gone ? nullptr : all;
  if (TakeSearch(f, t, owner, site, verdict.plan, entries)) return absl::OkStatus();
  if (TakeVerified(f, t, owner, site, &verdict)) return absl::OkStatus();
  if (TakeBlockAnswer(f, t, owner, site, verdict.plan, all)) return absl::OkStatus();
  if (!TakeWave(f, t, owner, site, all)) TakeAskAnswer(f, t, owner, site, all);
  return absl::OkStatus();
}

void EndOverdueQuestions(ServiceLayer& f, Turn& t) {
  for (const verifier::Prover::Question& q : f.prover.TakeOverdue(t.boot())) Unanswered(f, t, q);
}

void EndQuestionsOf(ServiceLayer& f, Turn& t, const std::string& site) {
  for (const verifier::Prover::Question& q : f.prover.TakeSite(site)) Unanswered(f, t, q);
}

}  // namespace muster::meta
