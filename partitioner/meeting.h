// Finds the earliest common start of a request's parts. Sites are independent, so an assignment can
// start at t exactly if each site can start its share at t. The search asks each site about each
// group of parts that it could get, as alternatives, and combines the answers. The caller sends the
// questions. CCS Sect. 5 (the partitioner iterates until it has found the right machines and a
// suitable time slot for synchronous requests); scheduling.md section 4.
#pragma once

#include <bitset>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/interval.h"
#include "partitioner/transfer.h"
#include "schemas/limits.h"
#include "schemas/proposal.h"

namespace muster::partitioner {

// A group of parts: how many of each kind. Parts with equal demands are of one kind.
using Group = std::vector<uint32_t>;

struct MeetingLimits {
  // Number of sites asked in the first round, those with the best shadows first. Each later round
  // asks at most this many new sites.
  size_t ask_sites = 16;
  int rounds_max = 8;  // rounds of questions
  // If the parts form at most this many groups, sites are asked about all groups; otherwise only
  // about some (ListPatterns).
  size_t groups_most = 64;
  size_t compared_most = 65536;  // most assignments with the same start that are compared
};

// Facts about a site before it is asked, with the criteria that decide between sites with equal
// starts.
struct MeetingSite {
  std::string name;
  std::vector<bool> may_run;    // by kind: whether the site may run such a part
  IntervalSet alone;            // allowed starts of the request if this site gets all parts
  IntervalSet beside;           // allowed starts if other sites get some parts
  Instant shadow;               // expected earliest start of a part
  Span length;                  // duration of a part at this site
  bool home = false;            // it is the user's home site
  std::vector<int64_t> spoils;  // by kind: rare resources that a part would occupy
  double load = 0;              // booked share of the next day
  int64_t balance = 0;          // as in partitioner/choose.h
  int64_t cost = 0;
};

// One question: a group of parts at one site, as an alternative to its other groups.
struct MeetingQuestion {
  std::vector<size_t> parts;  // part numbers from 0, ascending
  IntervalSet allowed;        // allowed starts of the request, not empty
  uint32_t intervals = 0;     // intervals of feasible starts wanted
  bool whole = false;         // the group has all parts: no other site is needed
};

// A start that all sites of an assignment confirmed.
struct Met {
  std::vector<std::string> part_sites;  // in part order
  Instant start;
  // True if no assignment starts earlier under the present plans. To show this, all sites must have
  // answered, about all groups of parts that an assignment may use.
  bool proved = false;
};

class Meeting {
 public:
  // `kinds` gives the kind of each part, numbered from 0 without gaps; `offsets` the offset per
  // kind. With `apart` each part gets a site of its own. REQUIRES: at least one part; `spoils` and
  // `may_run` of each site have one entry per kind.
  Meeting(std::vector<size_t> kinds, std::vector<Span> offsets, bool apart,
          std::vector<MeetingSite> sites, MeetingLimits limits = {});

  // This round's questions per site, in order. Empty: the search is over.
  const std::map<std::string, std::vector<MeetingQuestion>>& questions() const { return asked_; }
  // Takes a site's answers to this round's questions, in their order, with its plan revision. Null:
  // the site did not answer, and is excluded from now on.
  void Take(const std::string& site, PlanRevision plan,
            const std::vector<schemas::VerdictEntry>* verdicts);
  // Call when all sites of the round have answered. True if another round must be asked.
  bool NextRound();

  // The best of the assignments that start earliest: first a single site, which needs no start
  // barrier, then by R5: last finish, parts at home, spoils, load in tenths, balance, cost,
  // transfer between the parts, names. None if no start is confirmed.
  std::optional<Met> Best(const TransferMatrix& transfer) const;

  // For each part, by number from 0, and each site asked that may run it: the site's newest answer
  // about this part alone. kUnanswered if the site gave none.
  std::map<uint32_t, std::map<std::string, schemas::VerdictEntry>> AnswersByPart() const;
  // The reason that a site gave why its parts in this assignment cannot start earlier; null if it
  // gave none.
  const schemas::Reason* WhyNotEarlier(const Met& met, const std::string& site) const;
  // The sites that did not answer.
  std::vector<std::string> Silent() const;
  // The earliest start not yet ruled out; none if no start is possible.
  std::optional<Instant> Possible() const { return Solve().possible; }

  size_t asked() const;  // number of sites asked
  int rounds() const { return rounds_; }
  size_t messages() const { return messages_; }  // question messages to sites, over all rounds

 private:
  // Used if sites are asked about all groups. A state is a set of covered parts (counts per kind),
  // numbered below kStates.
  static constexpr size_t kStates = 128;
  using States = std::bitset<kStates>;

  enum class Chance : uint8_t { kNo, kMaybe, kYes };
  struct GroupFacts {
    Group counts;
    bool whole = false;  // the group has all parts
    size_t index = 0;    // number of the state that covers exactly this group
    States room;         // states to which this group can be added
  };
  // A site's answer about one group.
  struct Known {
    IntervalSet starts;
    Instant complete_until;  // up to here `starts` is complete; beyond it nothing is known
    schemas::VerdictEntry verdict;
  };
  struct Site {
    MeetingSite facts;
    std::vector<size_t> groups;  // groups that it may be asked about
    bool asked = false;
    bool gone = false;   // the site did not answer
    bool stale = false;  // its plan changed between rounds: ask everything again
    PlanRevision plan;
    std::map<size_t, Known> known;  // by group
  };
  // An assignment as pairs (site, group).
  using Cover = std::vector<std::pair<size_t, size_t>>;
  struct Bounds {
    std::optional<Instant> possible;  // L: every start before this is ruled out
    std::optional<Instant> sure;      // U: the earliest confirmed start
  };
  struct Score;

  void ListAllGroups();
  void ListPatterns();
  size_t AddGroup(Group counts);
  bool MayRun(const MeetingSite& site, const Group& counts) const;
  const IntervalSet& AllowedOf(const Site& site, size_t group) const;
  Chance ChanceAt(const Site& site, size_t group, Instant t) const;
  std::vector<Instant> Candidates() const;
  bool CanCover(Instant t, Chance least) const;
  // Entry i: the states that the sites from index i on can cover together at t. The last entry has
  // the empty state only.
  std::vector<States> CoveredFrom(Instant t, Chance least) const;
  std::optional<Cover> Match(const std::vector<size_t>& pattern, Instant t, Chance least) const;
  Bounds Solve() const;
  std::vector<Cover> CoversAt(Instant t) const;
  void CoversByStates(Instant t, std::vector<Cover>& out) const;
  void CoversOfPattern(const std::vector<size_t>& pattern, Instant t,
                       std::vector<Cover>& out) const;
  std::vector<std::string> PartSites(const Cover& cover) const;
  Score ScoreOf(const Cover& cover, const TransferMatrix& transfer) const;
  void AskAll(Site& site);
  void AskBeyond(Site& site, Instant t);
  void Ask(Site& site, size_t group, const IntervalSet& allowed);

  std::vector<size_t> kinds_;
  std::vector<Span> offsets_;
  bool apart_;
  MeetingLimits limits_;
  Group total_;
  std::vector<GroupFacts> groups_;
  // Partitions of the parts into groups; empty: all partitions are considered.
  std::vector<std::vector<size_t>> patterns_;
  std::vector<Site> sites_;  // best first by shadow
  std::map<std::string, std::vector<MeetingQuestion>> asked_;
  std::map<std::string, std::vector<size_t>> asked_groups_;  // the groups of these questions
  uint32_t intervals_ = schemas::kStartIntervals;
  int rounds_ = 0;
  size_t messages_ = 0;
};

}  // namespace muster::partitioner
