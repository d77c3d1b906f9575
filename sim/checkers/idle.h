// No node idles that somebody who waits could have now. From outside, by trying every placing: at
// each instant, for each accepted request without a started part,
//
//   a *witness* is sites and nodes for all its parts such that, with every other live booking left
//   exactly where it is and its own left out, it could be there from the next second on (after the
//   turnover; at several sites after the lead and a second) for its requested time with tail, and
//   no rule is broken.
//
// It is a violation if one and the same witness holds at every instant of [t, t + N] and the
// request neither starts nor is promised before t + N + lead. N is 5 s at the site that it has, 15
// s elsewhere and for several sites. protocol.md section 10 (no idle wait) has what is excepted.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/checkers/waiting.h"
#include "sim/checkers/witnesses.h"

namespace muster::sim {

// Why a node that somebody could have is not had. The first three are always allowed; kElsewhere,
// kBlocks and kFaults only in runs that are not calm.
enum class IdleFor : uint8_t {
  kOwnWords,     // it says so itself: its times, what it comes after, its array's limit, parked
  kUrgent,       // a more urgent one has a witness there, and is judged
  kLastMoments,  // it starts by t + N + lead, or an attempt is in flight
  kElsewhere,    // it could be at other sites only, and starts in less than 30 s
  kBlocks,       // finite threshold: it would end after its site's plan, and others wait
  kFaults,       // something was lost, cut, drained or down in the last 30 s
  kNoticed,      // N is not over yet
  kViolated,
};
inline constexpr size_t kIdleFors = static_cast<size_t>(IdleFor::kViolated) + 1;
std::string ToText(IdleFor why);

// Of what is found: the request could start earlier ...
enum class IdleKind : uint8_t {
  kHome,       // at the one site that it has
  kElsewhere,  // at one site that it does not have
  kGated,      // at one site, beside a place that waits for a permit behind a gate
  kJoint,      // and is, or would be, at several sites
};
inline constexpr size_t kIdleKinds = static_cast<size_t>(IdleKind::kJoint) + 1;
std::string ToText(IdleKind kind);
using IdleKinds = std::set<IdleKind>;
inline const IdleKinds kAllIdleKinds = {IdleKind::kHome, IdleKind::kElsewhere, IdleKind::kGated,
                                        IdleKind::kJoint};

struct IdleCounts {
  // How often one came to wait so, and node-milliseconds idle meanwhile. Of kOwnWords and kFaults
  // there are times only, as nobody looks for witnesses then.
  std::array<uint64_t, kIdleFors> times{};
  std::array<int64_t, kIdleFors> node_milliseconds{};
  std::array<uint64_t, kIdleKinds> found{};  // requests; judged or not
  IdleCounts& operator+=(const IdleCounts& other);
};
// "more urgent 12.4 (3 times), last moments 3.0 (8 times), ...", in node-seconds.
std::string ToText(const IdleCounts& counts);

struct IdleRules {
  IdleKinds judged = kAllIdleKinds;  // the others are only counted
  bool calm = false;                 // only the first three exceptions are allowed
  std::optional<Span> threshold;     // of extraction; none: infinite
  Layouts layouts;
};

class IdleCheck : public Checker {
 public:
  IdleCheck(const CheckedWorld& world, IdleRules rules);
  std::string Name() const override { return "idle"; }

  void OnMetaWrites(Moment at, const MetaWrites& writes) override;
  void OnSiteWrites(Moment at, const std::string& site, const SiteWrites& writes) override;
  void OnCrash(Moment at, const std::string& host) override;
  void OnRestart(Moment at, const std::string& host) override;
  void OnFault(Moment at) override;
  void AtEnd(Moment at, bool calm) override;

  const IdleCounts& counts() const { return counts_; }

 private:
  using Nodes = std::set<std::pair<std::string, std::string>>;  // by site
  // One placing of a share that holds.
  struct Witness {
    Moment since;  // unexcused
    std::set<std::string> nodes;
    std::optional<IdleFor> excused;
  };
  using Held = std::map<std::string, Witness>;
  // What was found of a share, for as long as it cannot be anything else.
  struct Asked {
    uint64_t version = 0;  // of the site
    Instant second;
    std::vector<Placing> placings;
  };
  struct Suspect {
    Moment until;  // it has to start or be promised by then
    IdleKind kind = IdleKind::kHome;
    std::string text;
  };
  struct Case {
    schemas::RequestSpec spec;
    std::set<std::pair<std::string, Fence>> own;
    std::map<Share, Asked> asked;
    std::map<Share, Held> held;
    std::optional<Suspect> suspect;
    bool found = false;
    std::optional<IdleFor> last;
  };
  // Instants of (from, to], all of which have the same next second.
  struct Look {
    Moment from;
    Moment to;
    Instant second;
  };
  // A witness for all parts: the one that has held longest.
  struct Whole {
    Moment since;
    std::string where;
    Nodes nodes;
    std::optional<IdleFor> excused;
  };
  // Which witnesses are looked for.
  enum class Among : uint8_t { kUnexcused, kAll };

  void PassTo(Moment at);
  void Refresh();
  void LookAtAll(const Look& look);
  void LookAt(const Look& look, const Waiter& waiter);
  void Find(const Look& look, const Waiter& waiter, const Share& share, bool soon, Case& known);
  std::optional<IdleFor> Excused(const Look& look, const Waiter& waiter, const Share& share) const;
  bool StartsSoon(const Look& look, const Waiter& waiter) const;
  Span NoticeOf(const Waiter& waiter) const;
  void Judge(const Look& look, const Waiter& waiter, Case& known);
  std::optional<Whole> BestOf(const Case& known, const Share& share, Among among) const;
  std::optional<Whole> AtOneSite(const Waiter& waiter, const Case& known, bool home,
                                 Among among) const;
  std::optional<Whole> AtSeveral(const Waiter& waiter, const Case& known, Among among) const;
  void Suspicious(const Look& look, const Waiter& waiter, Case& known, const Whole& witness,
                  BootSpan patience);
  void Account(const Look& look, Case& known, IdleFor why, const Nodes& nodes);
  bool Faulty(Moment at) const;

  CheckedWorld world_;
  IdleRules rules_;
  Waiting waiting_;
  Witnesses witnesses_;
  std::map<WaiterId, Case> cases_;
  std::vector<Waiter> waiters_;   // as they are on record
  bool stale_ = true;             // something was written since they were found
  bool others_wait_ = false;      // one of them at least has no place
  std::optional<Moment> passed_;  // everything up to here was looked at
  std::set<std::string> down_;
  std::optional<Moment> last_fault_;
  Nodes claimed_;  // that more urgent ones could have at the instants that are looked at
  Nodes counted_;  // that are accounted for
  IdleCounts counts_;
};

}  // namespace muster::sim
