// What becomes of jobs submitted at the site itself: placed, cancelled, altered, placed again. A
// job has a hold of fence (0, n); one that loses its place is placed again under a new number of
// the same counter, since a closed fence never lives again. protocol.md sections 3.1 (local
// jobs), 3.5, 5.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "site/local/local_records.h"

namespace muster::site {

// What a refused submission has changed.
inline constexpr char kNothingSubmitted[] = "nothing was submitted";

// Invariant: what the holds tell is in the jobs' records before anybody is shown one.
class LocalJobs : public LocalRecords {
 public:
  using LocalRecords::LocalRecords;

  // Takes the news of holds into the jobs' records.
  void HearHolds();
  // Where a part ended badly the others are stopped; jobs whose hold closed end, or wait for
  // another place.
  void SettleLocals();
  // Those that lost their place, once the plan is another one; those whose window is over.
  void PlaceWaiting();
  // When the window of one that waits is over; at once if a pass over them goes on.
  std::optional<BootInstant> NextOfLocals() const;

 protected:
  using Altered = std::variant<std::string, schemas::Refused>;  // what was changed, or why not

  // Why a request can never be one of this site's.
  std::optional<schemas::Refused> CheckLocal(const schemas::RequestSpec& spec,
                                             bool with_payload) const;
  // What the site gives its users where they say nothing, and what it insists on.
  schemas::RequestSpec WithValues(schemas::RequestSpec spec, const std::string& user) const;
  schemas::ProposalEntry LocalEntry(const schemas::RequestSpec& spec,
                                    const std::string& user) const;
  schemas::Refused Unplaced(const schemas::VerdictEntry& verdict) const;
  // A job that is accepted with its hold, or not at all.
  std::optional<schemas::VerdictEntry> Begin(schemas::LocalRecord job, schemas::Payload payload);
  std::string CancelLocal(uint64_t number, const std::string& user);
  Altered AlterLocal(const std::string& user, const schemas::Act& act, uint64_t number,
                     std::vector<schemas::MoveRow>& moves);

 private:
  void Take(const HoldNews& news);
  void TakePart(const HoldNews& news, const schemas::PartChanged& part);
  void EndOrWait(const schemas::HoldRecord& hold);
  schemas::HoldOrder LocalOrder(const schemas::LocalRecord& job, const Fence& fence,
                                schemas::Payload payload) const;
  OwnPermit PermitOf(const Fence& fence, const schemas::RequestSpec& spec) const;
  std::optional<schemas::VerdictEntry> PlaceLocal(const schemas::LocalRecord& job,
                                                  const Fence& fence, schemas::Payload payload);
  Altered AlterRunning(const schemas::RequestSpec& before, const schemas::RequestSpec& next,
                       const Fence& fence, const std::string& user, bool only_try);
  Altered AlterPlaced(const std::string& user, const Fence& fence, const schemas::RequestSpec& next,
                      const schemas::Act& act, std::vector<schemas::MoveRow>& moves);
  schemas::Cause AskedBy(const std::string& user) const;

  std::set<Fence> failed_;             // a part ended badly and the others are to stop
  std::set<Fence> closed_;             // to be ended, or placed again
  uint64_t tried_up_to_ = 0;           // of a pass over the waiting ones that goes on; 0: none does
  std::optional<PlanRevision> pass_;   // at which it began
  std::optional<PlanRevision> tried_;  // at this revision the waiting ones did not fit
};

}  // namespace muster::site
