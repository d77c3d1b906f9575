// Who is tried for an earlier start, in which order and when (H17): two passes by rank over all
// that may move. *Now* comes in the turn in which something was given back, and looks only for who
// could start at once. *All* goes round everybody, a little at a time, until nothing moves any
// more; what is given back meanwhile makes it go on, never begin again, so that everybody's turn
// comes. Whether a start is possible is the plan's to say. scheduling.md section 5.
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

// Holds tried for any earlier start in one turn: some milliseconds of planning.
inline constexpr size_t kTriesPerTurn = 64;
// What a turn may spend on a pass, as looks of the plan at nodes: 5 ms, so that nobody waits longer
// for an answer because of it.
inline constexpr uint64_t kPassLooks = 100'000;
// What a try costs beside those that the plan counts: 10 us.
inline constexpr uint64_t kTryLooks = 200;
// *All* rests so many times as long as it has worked: it has a third of the time.
inline constexpr int64_t kRestPerWork = 2;

// Value type. Of a turn in which it is due: Begin, then Answer to each Next, then End.
class Backfilling {
 public:
  // With rules it depends on the user, and on the time of day, what is possible. On a machine with
  // a shape more units may fit where fewer do not.
  Backfilling(SitePolicy policy, bool rules, bool shaped)
      : policy_(policy), rules_(rules), shaped_(shaped) {}

  // What may move from now on, and what may no more. Entered again it counts as it is now.
  void Enter(const schemas::HoldOrder& order);
  void Leave(const Fence& fence);
  // All that may move, the least urgent first, until `take` says false.
  template <typename Take>
  void LeastUrgentFirst(Take take) const {
    for (auto it = members_.rbegin(); it != members_.rend(); ++it) {
      if (!take(it->fence)) return;
    }
  }

  // Something was given back. Nothing is due if a pass has shown that this plan has nothing for
  // anybody.
  void Freed(PlanRevision plan);
  // The plan has another revision, but nothing was given back.
  void Renamed(PlanRevision before, PlanRevision after);

  bool IsDue(BootInstant at) const;
  // When it will be; none: not before something is given back.
  std::optional<BootInstant> NextDue() const;

  struct Try {
    Fence fence;
    bool at_once = false;  // only the first possible second counts
    bool operator==(const Try&) const = default;
  };
  enum class Came : uint8_t {
    kMoved,
    kStays,   // the plan has no such start
    kPassed,  // the plan was not asked: an earlier start is not for it
    kWaits,   // the plan was not asked yet
  };
  // `free` is what the whole machine has free now.
  void Begin(BootInstant at, const ResourceSet& free);
  std::optional<Try> Next();
  // `looks`: what the plan counted meanwhile.
  void Answer(Came came, uint64_t looks);
  // Not `paced`, time stands still as long as something is due.
  void End(PlanRevision plan, bool paced);

 private:
  // Demands that differ in their length and number of sets only.
  struct Kind {
    std::string name;   // all that they have in common, in canonical form
    ResourceSet needs;  // of one set at its start; of several parts or kinds of sets, of all
    // Where one is refused, so are those for as long or longer with as many sets or more.
    bool comparable = false;
    size_t size = 0;                                // members
    int64_t sets = 0;                               // that what is free would do for
    std::vector<std::pair<int64_t, Span>> refused;  // by this pass of *now*: sets, length
  };
  struct Member {
    SitePolicy::Rank rank = 0;
    Fence fence;
    uint32_t kind = 0;
    int64_t sets = 0;
    Span length;
    bool operator==(const Member&) const = default;
  };
  using Place = std::pair<SitePolicy::Rank, Fence>;
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
  std::map<Fence, SitePolicy::Rank> ranks_;
  std::map<std::string, uint32_t> names_;
  std::vector<Kind> kinds_;
  std::vector<uint32_t> unused_;  // places in kinds_

  Due now_ = Due::kNot;
  Due now_again_ = Due::kNot;         // once it is through
  std::optional<Place> now_after_;    // it goes on behind it; none: it begins
  size_t now_left_ = 0;               // members of kinds that may fit, not passed yet
  bool all_ = false;                  // is due
  std::optional<Place> all_after_;    // likewise
  std::optional<Place> changed_at_;   // where it was at the last change: it is through there again
  bool came_round_ = false;           // by the end, since the last change
  bool some_wait_ = false;            // that were passed since then
  std::optional<PlanRevision> vain_;  // a whole round left this plan as it was
  BootInstant rests_until_;

  // Of this turn.
  struct Turn {
    BootInstant at;
    bool now = false;  // has *now* its time, has *all*
    bool all = false;
    bool through = false;  // *all* was
    size_t tries = 0;
    uint64_t looks_of_now = 0;
    uint64_t looks = 0;
    bool of_now = false;  // the try is
    Member tried;
  };
  Turn turn_;
};

}  // namespace muster::site
