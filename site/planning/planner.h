// The site's plan as the protocol sees it: schemas in and out, site/plan inside. protocol.md
// sections 2 and 4, scheduling.md section 3.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "schemas/site_link.h"
#include "schemas/site_rows.h"
#include "site/options.h"
#include "site/plan/order.h"
#include "verifier/planner.h"

namespace muster::site {

struct Reserved;

// Copyable by value. Amounts are taken as given: defaults are the caller's. See verifier::Planner
// for what the methods promise; what is more:
// - A refusal of Book or Rebook for lack of room carries the way out: up to kStartIntervals
// intervals of feasible
//   starts from the first allowed one on, whether allowed or not. Verify never goes beyond what was
//   allowed; if none of that is feasible the entry is blocked, and nothing is booked for it.
// - A reason names the node, the resource (none: the whole node) and the job whose booking ends
// there.
// - Plan time only goes forward: starts before the latest `now` of a Book, Rebook or Forget, less
// some slack, are
//   not offered again.
class SitePlanner : public verifier::Planner {
 public:
  // REQUIRES: node names are distinct, amounts >= 0, turnover and horizon >= 0.
  explicit SitePlanner(const Options& options);
  SitePlanner(const SitePlanner& other);
  SitePlanner(SitePlanner&&) noexcept;
  SitePlanner& operator=(const SitePlanner& other);
  SitePlanner& operator=(SitePlanner&&) noexcept;
  ~SitePlanner() override;

  PlanRevision revision() const override;
  verifier::BookAnswer Book(const Fence& fence, const verifier::Demand& demand, Instant now,
                            std::optional<Fence> beside) override;
  void Restore(const Fence& fence, const verifier::Demand& demand,
               const verifier::Booked& booked) override;
  void Join(const Fence& fence, const Fence& beside) override;
  void Free(const Fence& fence) override;
  void FreePartFrom(const Fence& fence, uint32_t part, Instant from) override;
  verifier::BookAnswer Rebook(const Fence& fence, const IntervalSet& allowed, Instant now) override;
  // Rebook for a pass of backfilling: none if it stays where it is, without the reasons and starts
  // of a refusal, which cost more than the search.
  std::optional<verifier::Booked> RebookEarlier(const Fence& fence, const IntervalSet& allowed,
                                                Instant now);
  // What the nodes in use have free together, and what planning here has cost so far, as looks at
  // nodes.
  ResourceSet FreeNow(Instant now) const;
  uint64_t looks() const;
  // Allowed starts that it could have as well, at most as many intervals as a verdict has; nothing
  // changes. REQUIRES: it is booked.
  IntervalSet OtherStarts(const Fence& fence, const IntervalSet& allowed, Instant now);
  std::vector<schemas::VerdictEntry> Verify(const std::vector<schemas::ProposalEntry>& entries,
                                            Instant now) const override;
  // The same for entries of the site's own users, to whom the federation's share says nothing.
  std::vector<schemas::VerdictEntry> Verify(const std::vector<schemas::ProposalEntry>& entries,
                                            Instant now, bool federated) const;
  // A run of tentative verdicts: entries of one count as booked for those of the next. Null begins
  // one; it ends when the revision changes. Entries inside of reservations stay out of it.
  struct Run;
  std::vector<schemas::VerdictEntry> Continue(const std::vector<schemas::ProposalEntry>& entries,
                                              Instant now, std::shared_ptr<Run>& run) const;

  // Reservations as systems of their own (site/planning/nested_plans.h): a demand or entry that is
  // `inside` of one is planned and booked there; all other methods find a booking wherever it is. A
  // booking to be restored inside of what is not open is nowhere, and to free it does nothing.
  void OpenSystem(const Reserved& reserved);  // empty, also where it was open before
  void ShareSystem(RequestId id, const std::vector<std::string>& allow);
  void CloseSystem(RequestId id, const Fence& holder);
  std::optional<Fence> HolderOf(RequestId id) const;  // none: it is not open

  // A part that runs: plan::Plan's questions by its index. REQUIRES: it is booked.
  Instant EndOf(const Fence& fence, uint32_t part) const;
  Instant RoomUntil(const Fence& fence, uint32_t part, Instant until) const;
  std::vector<Fence> Beside(const Fence& fence, uint32_t part, Instant begin, Instant end) const;
  void Lengthen(const Fence& fence, uint32_t part, Instant end);

  bool Knows(const std::string& node) const;
  // Takes a node out of use or back; false if there is no such node. Bookings on it stay, new ones
  // avoid it.
  bool SetUsable(const std::string& node, bool usable);

  // A node is drained for good, or back: meanwhile it counts as gone, and what it has lost does
  // not come back then either.
  void SetGone(const std::string& node, bool gone);

  bool Usable(uint32_t node) const;
  // For a plan that is tried: from now on it books on these nodes only, in use or not. What rules
  // count as in service stays.
  void OnlyOn(const std::set<std::string>& nodes);

  // What people ask, about an entry with its `ignoring` left out: what is in the way of a start,
  // and the first `limit` windows that begin before `until`. Nodes are places in Options::nodes,
  // parts places in the order.
  std::vector<plan::Obstacle> Obstacles(const schemas::ProposalEntry& entry, Instant start) const;
  std::vector<plan::Window> Windows(const schemas::ProposalEntry& entry, Instant until, Instant now,
                                    size_t limit, bool federated = true) const;
  // Of the first `most` nodes, in the order of Options::nodes. Outside of its validity a node is
  // not free.
  std::vector<plan::NodeNow> NodesNow(size_t most, Instant now) const;
  // The name of a dimension that is a resource.
  std::string Resource(uint32_t dimension) const;

  // What the meta is told in hello and heartbeat. The profile leaves out the meta's own bookings,
  // free_now counts all of them at `now`.
  schemas::Capacity Capacity(Instant now) const;

  // What an obstacle's booking is of if the site itself set the node aside, as people are told;
  // none: it is a hold's.
  std::optional<std::string> StandingOf(const Fence& fence) const;
  // When which nodes are set aside within [from, until): by standing reservations, or outside of
  // their validity.
  struct SetAside {
    std::string name;
    std::vector<uint32_t> nodes;
    Interval when;
    bool outside = false;
    std::string shown;
  };
  std::vector<SetAside> StandingIn(Instant from, Instant until) const;
  // The site's rules as they stand for this user now.
  std::vector<schemas::LimitRow> Limits(const std::string& user,
                                        const std::vector<std::string>& groups, Instant now) const;

  // Drops what ended before now, so that a long life costs no memory; Book and Rebook do it
  // themselves.
  void Forget(Instant now);

 private:
  std::vector<schemas::VerdictEntry> Answer(const std::vector<schemas::ProposalEntry>& entries,
                                            Instant now, bool federated, Run* run) const;
  std::vector<schemas::VerdictEntry> AnswerApart(const std::vector<schemas::ProposalEntry>& entries,
                                                 Instant now, bool federated, Run* run) const;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace muster::site
