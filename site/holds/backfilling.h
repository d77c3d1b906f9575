// Decides which holds are tried for an earlier start, in which order and when (H17). Two passes go
// over all movable holds in order of rank. The *now* pass begins in the turn in which resources
// were freed and looks only for holds that could start at once. The *all* pass goes round all
// holds, a few per turn, until a full round moves none. Resources freed meanwhile prolong it but
// never restart it, so that every hold gets its turn. The plan decides whether a start is possible.
// Holds are ordered by the site's points (site/policy/site_order.h), among equal ones by the site's
// policy, then by fence.
// scheduling.md section 5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/btree_set.h"
#include "base/ids.h"
#include "base/resources.h"
#include "base/time.h"
#include "schemas/hold.h"
#include "site/holds/policy.h"

namespace muster::site {

// Maximum number of holds that the *all* pass tries in one turn: some milliseconds of planning.
inline constexpr size_t kTriesPerTurn = 64;
// Budget of a pass in one turn, in looks of the plan at nodes: 5 ms, so that a pass delays no
// answer for longer.
inline constexpr uint64_t kPassLooks = 100'000;
// Cost of a try beyond the looks that the plan counts: 10 us.
inline constexpr uint64_t kTryLooks = 200;
// The passes rest this many times as long as they have worked, so that they use a third of a core.
// Only a *now* pass for resources that were just freed does not wait for the end of the rest.
inline constexpr int64_t kRestPerWork = 2;

// Value type. Calls in a turn in which a pass is due: Begin; Next, each followed by Answer, until
// Next returns none; End.
class Backfilling {
 public:
  // `rules`: the site has rules, so what is possible depends on the user and the time of day.
  // `shaped`: the machine has a geometry, so more units may fit where fewer do not; or the site
  // chooses node sets, so whether a hold moves depends on what it has.
  Backfilling(SitePolicy policy, bool rules, bool shaped)
      : policy_(policy), rules_(rules), shaped_(shaped) {}

  // Enter adds a hold that may move, or updates it from `order`. Leave removes one if it is there.
  // `points`: at a site that orders by points. `length`: for how long it needs its room; none: for
  // its duration and tail. Returns whether anything has changed.
  bool Enter(const schemas::HoldOrder& order, int64_t points = 0, std::optional<Span> length = {});
  void Leave(const Fence& fence);
  // The points of a hold have changed; no effect if it is not there. A pass under way leaves nobody
  // out.
  void Reorder(const Fence& fence, int64_t points);
  size_t size() const { return members_.size(); }
  // Who may move, in order.
  std::vector<Fence> InOrder() const;
  // Calls `take` for each movable hold, the least urgent first, until it returns false.
  template <typename Take>
  void LeastUrgentFirst(Take take) const {
    for (auto it = by_urgency_.rbegin(); it != by_urgency_.rend(); ++it) {
      if (!take(it->second)) return;
    }
  }

  // Resources were freed in this revision of the plan. Without rules, makes nothing due if a full
  // round has shown that no hold can move in this revision.
  void Freed(PlanRevision plan);
  // The *now* pass is due, but rests as long as it has to.
  void LookNow() { NowIsDue(Due::kWithAll); }
  // Whether no *now* pass is due or under way.
  bool IsThroughNow() const { return now_ == Due::kNot && !now_after_; }
  // The plan got another revision without any resources being freed.
  void Renamed(PlanRevision before, PlanRevision after);

  bool IsDue(BootInstant at) const;
  // When a pass is due next; none: not before resources are freed.
  std::optional<BootInstant> NextDue() const;

  struct Try {
    Fence fence;
    bool at_once = false;  // only a start in the first possible second counts
    bool operator==(const Try&) const = default;
  };
  enum class Came : uint8_t {
    kMoved,
    kStays,   // the plan has no earlier start
    kPassed,  // says nothing of the plan: the hold's own terms rule out the start
    kWaits,   // undecided: no link, or kept room may be in the way
  };
  // `free` is what the whole machine has free now.
  void Begin(BootInstant at, const ResourceSet& free);
  std::optional<Try> Next();
  // `looks`: the looks at nodes that the plan counted for this try.
  void Answer(Came came, uint64_t looks);
  // `paced` is false in virtual time, which stands still while something is due: then no rest
  // follows.
  void End(PlanRevision plan, bool paced);

 private:
  // Demands that differ only in duration and, if comparable, in their number of sets.
  struct Kind {
    std::string name;   // their common properties in canonical form
    ResourceSet needs;  // of one set; if not comparable, of all parts at the start
    // If set, a refusal also covers all demands that are no shorter and have no fewer sets.
    bool comparable = false;
    size_t size = 0;                                // number of members
    int64_t sets = 0;                               // how many sets fit into what is free now
    std::vector<std::pair<int64_t, Span>> refused;  // by the present *now* pass: sets, length
  };
  using Rank = std::pair<int64_t, SitePolicy::Rank>;  // negative points first
  struct Member {
    Rank rank;
    SitePolicy::Rank urgency = 0;
    Fence fence;
    uint32_t kind = 0;
    int64_t sets = 0;
    Span length;
    bool operator==(const Member&) const = default;
  };
  using Place = std::pair<Rank, Fence>;
  struct ByRank {
    using is_transparent = void;
    static Place Of(const Member& member) { return {member.rank, member.fence}; }
    static Place Of(const Place& place) { return place; }
    template <typename A, typename B>
    bool operator()(const A& a, const B& b) const {
      return Of(a) < Of(b);
    }
  };
  using Members = absl::btree_set<Member, ByRank>;
  enum class Due : uint8_t { kNot, kWithAll, kAtOnce };

  uint32_t KindOf(const schemas::HoldOrder& order);
  Members::const_iterator After(const std::optional<Place>& place) const;
  bool IsRefused(const Member& member) const;
  void Refuse(const Member& member);
  void NowIsDue(Due due);
  void AllIsDue();
  void BeginNow(const ResourceSet& free);
  std::optional<Try> NextOfNow();
  std::optional<Try> NextOfAll();

  SitePolicy policy_;
  bool rules_;
  bool shaped_;
  Members members_;
  std::map<Fence, Rank> ranks_;
  absl::btree_set<std::pair<SitePolicy::Rank, Fence>> by_urgency_;
  std::map<std::string, uint32_t> names_;
  std::vector<Kind> kinds_;
  std::vector<uint32_t> unused_;  // places in kinds_

  Due now_ = Due::kNot;
  Due now_again_ = Due::kNot;         // when the pass after the present one is due
  std::optional<Place> now_after_;    // *now* continues behind this member; none: at the front
  size_t now_left_ = 0;               // members not passed yet whose kind may fit
  bool all_ = false;                  // the *all* pass is due
  std::optional<Place> all_after_;    // the *all* pass continues behind this member
  std::optional<Place> changed_at_;   // all_after_ at the last change: the round ends there
  bool came_round_ = false;           // the pass has wrapped around since the last change
  bool some_wait_ = false;            // some member answered kWaits since the last change
  std::optional<PlanRevision> vain_;  // a full round moved nothing in this revision
  BootInstant rests_until_;

  // State of one turn.
  struct Turn {
    BootInstant at;
    bool now = false;  // which passes run in this turn
    bool all = false;
    bool through = false;  // *all* has completed its round
    size_t tries = 0;
    uint64_t looks_of_now = 0;
    uint64_t looks = 0;
    bool of_now = false;  // the try belongs to *now*
    Member tried;
  };
  Turn turn_;
};

}  // namespace muster::site
