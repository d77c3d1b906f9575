// The life of jobs submitted at the site itself: placed, cancelled, altered, placed again. Each has
// a hold of fence (0, n). A job that loses its place is placed again under a new number of the same
// counter, since a closed fence is never used again. protocol.md sections 3.1 (local jobs), 3.5, 5.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "site/local/local_records.h"

namespace muster::site {

// The text with which a refusal says that nothing has changed.
inline constexpr char kNothingSubmitted[] = "nothing was submitted";

// Invariant: jobs' records include all news of their holds before anybody is shown a record.
class LocalJobs : public LocalRecords {
 public:
  using LocalRecords::LocalRecords;

  // Writes the news of holds into the jobs' records.
  void HearHolds();
  // Stops the other parts of a job if one ended badly, unless the job is to keep going. Jobs whose
  // hold closed end, or wait for another place.
  void SettleLocals();
  // Tries to place the waiting jobs again once the plan has changed; ends those whose window is
  // over.
  void PlaceWaiting();
  // When the window of the next waiting job is over; the present time if a pass over the waiting
  // jobs is unfinished.
  std::optional<BootInstant> NextOfLocals() const;

 protected:
  using Altered = std::variant<std::string, schemas::Refused>;  // what was changed, or why not

  // Why this site can never take such a request; none: it can.
  std::optional<schemas::Refused> CheckLocal(const schemas::RequestSpec& spec,
                                             bool with_payload) const;
  // The request with the site's defaults where it says nothing, and with the values that the site
  // insists on.
  schemas::RequestSpec WithValues(schemas::RequestSpec spec, const std::string& user) const;
  schemas::ProposalEntry LocalEntry(const schemas::RequestSpec& spec,
                                    const std::string& user) const;
  schemas::Refused Unplaced(const schemas::VerdictEntry& verdict) const;
  // Records a job together with its hold. Returns the refusal, which leaves neither.
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

  std::set<Fence> failed_;             // a part ended badly: the others are to be stopped
  std::set<Fence> closed_;             // closed holds whose job ends or waits for a place
  uint64_t tried_up_to_ = 0;           // last job tried by the unfinished pass; 0: no pass
  std::optional<PlanRevision> pass_;   // plan revision at which that pass began
  std::optional<PlanRevision> tried_;  // the waiting jobs do not fit at this revision
};

}  // namespace muster::site
