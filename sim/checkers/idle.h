// Checks that no node idles while a waiting request could use it now. The check works from outside,
// by trying every placing: at each instant, for each accepted request without a started part,
//
//   a *witness* is a choice of sites and nodes for all its parts where the request could run from
//   the next second on (after the turnover; at several sites after the lead and one second), for
//   its requested time with tail, without breaking a rule. All other live bookings stay where they
//   are; the request's own bookings are left out.
//
// It is a violation if the same witness exists at every instant of [t, t + N] and the request
// neither starts nor is promised a start by t + N + lead. N is 5 s at the request's present site,
// and 15 s at other sites and for several sites. protocol.md section 10 (no idle wait) lists the
// exceptions.
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

// Why a node idles although a waiting request has a witness on it. The first three are always
// allowed; kElsewhere, kBlocks and kFaults only in runs that are not calm.
enum class IdleFor : uint8_t {
  kOwnWords,     // the request's own constraints: times, dependencies, array limit, parked
  kUrgent,       // a more urgent request has a witness there and is judged instead
  kLastMoments,  // the request starts by t + N + lead, or an attempt is in flight
  kElsewhere,    // the witness is at another site, and the request starts in less than 30 s
  kBlocks,  // finite threshold: the request would end after the site's plan end while others wait
  // a site lies, a host is down, or within the last 30 s a message was lost, a link cut or healed,
  // a node taken out of use or put back, or a host restarted
  kFaults,
  kNoticed,  // the witness has not held for N yet
  kViolated,
};
inline constexpr size_t kIdleFors = static_cast<size_t>(IdleFor::kViolated) + 1;
std::string ToText(IdleFor why);

// The kind of a finding: the request could start earlier ...
enum class IdleKind : uint8_t {
  kHome,       // at the one site where it is placed
  kElsewhere,  // at one site where it is not placed
  kGated,      // at one site, while its place waits for a permit behind a gate
  kJoint,      // at several sites, or is placed at several now
};
inline constexpr size_t kIdleKinds = static_cast<size_t>(IdleKind::kJoint) + 1;
std::string ToText(IdleKind kind);
using IdleKinds = std::set<IdleKind>;
inline const IdleKinds kAllIdleKinds = {IdleKind::kHome, IdleKind::kElsewhere, IdleKind::kGated,
                                        IdleKind::kJoint};

struct IdleCounts {
  // How often a request began to wait for each reason, and the node-milliseconds that idled
  // meanwhile. kOwnWords and kFaults have counts only, since no witnesses are searched for then.
  std::array<uint64_t, kIdleFors> times{};
  std::array<int64_t, kIdleFors> node_milliseconds{};
  std::array<uint64_t, kIdleKinds> found{};  // requests found, whether or not their kind is judged
  IdleCounts& operator+=(const IdleCounts& other);
};
// All counts as one line, in node-seconds: "more urgent 12.4 (3 times), last moments 3.0 (8 times),
// ...".
std::string ToText(const IdleCounts& counts);

struct IdleRules {
  IdleKinds judged = kAllIdleKinds;  // other kinds are only counted
  bool calm = false;                 // only the first three exceptions are allowed
  std::optional<Span> threshold;     // extraction threshold; none: infinite
  Layouts layouts;
};

class IdleCheck : public Checker {
 public:
  IdleCheck(const CheckedWorld& world, IdleRules rules);
  std::string Name() const override { return "idle"; }

  void OnMetaWrites(Moment at, const MetaWrites& writes) override;
  void OnSiteWrites(Moment at, const std::string& site, const SiteWrites& writes) override;
  void OnDriverEvent(Moment at, const std::string& site, const driver::Event& event) override;
  void OnCrash(Moment at, const std::string& host) override;
  void OnRestart(Moment at, const std::string& host) override;
  void OnFault(Moment at) override;
  void AtEnd(Moment at, bool calm) override;

  const IdleCounts& counts() const { return counts_; }

 private:
  using Nodes = std::set<std::pair<std::string, std::string>>;  // (site, node)
  // A placing of a share that is possible now.
  struct Witness {
    Moment since;  // start of the time without an exception
    std::set<std::string> nodes;
    std::optional<IdleFor> excused;
  };
  using Held = std::map<std::string, Witness>;
  // The placings found for a share. Valid as long as the site's version and the second stay the
  // same.
  struct Asked {
    uint64_t version = 0;  // of the site's records
    Instant second;
    std::vector<Placing> placings;
  };
  struct Suspect {
    Moment until;  // by then it must have started, or have a booked start no later than this
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
  // The instants of (from, to], which all have the same next second.
  struct Look {
    Moment from;
    Moment to;
    Instant second;
  };
  // A witness for all parts of a request: the one that has held longest.
  struct Whole {
    Moment since;
    std::string where;
    Nodes nodes;
    std::optional<IdleFor> excused;
  };
  // Which witnesses to consider: those without an exception, or all.
  enum class Among : uint8_t { kUnexcused, kAll };

  void PassTo(Moment at);
  void Refresh();
  void LookAtAll(const Look& look);
  void LookAt(const Look& look, const Waiter& waiter);
  void Find(const Look& look, const Waiter& waiter, const Share& share, bool soon, Case& known);
  std::optional<IdleFor> Excused(const Look& look, const Waiter& waiter, const Share& share) const;
  bool StartsSoon(const Look& look, const Waiter& waiter) const;
  Span NoticeOf(const Waiter& waiter) const;
  // Longest wait for a better choice of nodes that its node sets allow.
  Span WaitForNodes(const Waiter& waiter) const;
  void Judge(const Look& look, const Waiter& waiter, Case& known);
  std::optional<Whole> BestOf(const Case& known, const Share& share, Among among) const;
  std::optional<Whole> AtOneSite(const Waiter& waiter, const Case& known, bool home,
                                 Among among) const;
  std::optional<Whole> AtSeveral(const Waiter& waiter, const Case& known, Among among) const;
  void Suspicious(const Look& look, const Waiter& waiter, Case& known, const Whole& witness,
                  BootSpan patience);
  void Account(const Look& look, Case& known, IdleFor why, const Nodes& nodes);
  bool Faulty(Moment at) const;
  // What a machine that is asked first may take beyond the patience of others.
  BootSpan Asking() const;

  CheckedWorld world_;
  IdleRules rules_;
  Waiting waiting_;
  Witnesses witnesses_;
  std::map<WaiterId, Case> cases_;
  std::vector<Waiter> waiters_;   // from the current records
  bool stale_ = true;             // records changed since waiters_ was built
  bool others_wait_ = false;      // at least one waiter has no place
  std::optional<Moment> passed_;  // all instants up to here are checked
  std::set<std::string> down_;
  std::optional<Moment> last_fault_;
  Nodes claimed_;  // nodes that more urgent waiters could use at the instants being checked
  Nodes counted_;  // nodes already accounted for at these instants
  IdleCounts counts_;
};

}  // namespace muster::sim
