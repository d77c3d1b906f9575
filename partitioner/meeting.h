// The earliest common start of a request's parts. Sites share nothing, so a start is possible for
// an assignment exactly if each site can start what it would get then: every site is asked about
// each group of parts that it could get, as alternatives of each other, and what they answer is
// solved here. Who asks and who answers is the caller's business. CCS Sect. 5 (the partitioner
// iterates until it has found the right machines and a suitable time slot for synchronous
// requests); scheduling.md section 4.
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

// How many parts of each kind; parts that ask for the same are of one kind.
using Group = std::vector<uint32_t>;

struct MeetingLimits {
  size_t ask_sites = 16;  // sites of the first round, the best by their shadows; then as many more
  int rounds_max = 8;     // of questions
  size_t groups_most = 64;  // of one site, if all groups are to be asked; beyond it only some are
  size_t compared_most = 65536;  // assignments that start together and are compared
};

// What is known of a site before it is asked, and what decides between sites that start together.
struct MeetingSite {
  std::string name;
  std::vector<bool> may_run;    // by kind
  IntervalSet alone;            // allowed starts of the request if it gets all the parts
  IntervalSet beside;           // if others get some
  Instant shadow;               // no part is expected to start before
  Span length;                  // how long a part takes there
  bool home = false;            // of the user
  std::vector<int64_t> spoils;  // by kind: rare resources a part would keep from others
  double load = 0;              // share of the next day that is booked
  int64_t cost = 0;
};

// One question: a group of parts at one site, as an alternative to its other groups.
struct MeetingQuestion {
  std::vector<size_t> parts;  // from 0, ascending
  IntervalSet allowed;        // starts of the request, not empty
  uint32_t intervals = 0;     // of feasible starts wanted
  bool whole = false;         // all the parts: no other site is needed
};

// A start that all sites of an assignment told.
struct Met {
  std::vector<std::string> part_sites;  // in part order
  Instant start;
  // No assignment starts earlier, as the plans stood: all sites were asked and have answered.
  bool proved = false;
};

class Meeting {
 public:
  // `kinds` by part, from 0, without gaps; `offsets` by kind. With `apart` each part gets a site of
  // its own. REQUIRES: at least one part; spoils and may_run of each site by kind.
  Meeting(std::vector<size_t> kinds, std::vector<Span> offsets, bool apart,
          std::vector<MeetingSite> sites, MeetingLimits limits = {});

  // What this round asks of each site, in order. Empty: the search is over.
  const std::map<std::string, std::vector<MeetingQuestion>>& questions() const { return asked_; }
  // What a site answered to this round's questions, in their order, by a plan of this revision;
  // null: it did not answer, and is left out from now on.
  void Take(const std::string& site, PlanRevision plan,
            const std::vector<schemas::VerdictEntry>* verdicts);
  // All sites of the round were heard. True if another round is to be asked.
  bool NextRound();

  // Of all assignments that start earliest the best: one site alone, which needs no start barrier,
  // then by R5: last finish, parts at home, spoils, load
  // in tenths, cost, transfer between the parts, names. None if no assignment has a start.
  std::optional<Met> Best(const TransferMatrix& transfer) const;

  // The newest answer of each site about one part alone, by part, from 0; unanswered ones too.
  std::map<uint32_t, std::map<std::string, schemas::VerdictEntry>> AnswersByPart() const;
  // Why the parts that a site would get did not start earlier, as it said: of the group that it has
  // in this assignment; null if it gave no reason.
  const schemas::Reason* WhyNotEarlier(const Met& met, const std::string& site) const;
  // Sites that did not answer.
  std::vector<std::string> Silent() const;
  // The earliest start that nothing rules out yet; none if nothing is possible.
  std::optional<Instant> Possible() const { return Solve().possible; }

  size_t asked() const;  // sites that were asked
  int rounds() const { return rounds_; }
  size_t messages() const { return messages_; }  // questions to sites, over all rounds

 private:
  // Where all groups are asked about: sets of parts that are covered, by the index of their group.
  static constexpr size_t kStates = 128;
  using States = std::bitset<kStates>;

  enum class Chance : uint8_t { kNo, kMaybe, kYes };
  struct GroupFacts {
    Group counts;
    bool whole = false;  // all the parts
    size_t index = 0;    // of the state in which just these are covered
    States room;         // states to which it can be added
  };
  // Of one group at one site.
  struct Known {
    IntervalSet starts;
    Instant complete_until;  // of `starts`; what lies beyond is not known
    schemas::VerdictEntry verdict;
  };
  struct Site {
    MeetingSite facts;
    std::vector<size_t> groups;  // that it may be asked about
    bool asked = false;
    bool gone = false;   // it did not answer
    bool stale = false;  // its plan changed between rounds: all is to be asked anew
    PlanRevision plan;
    std::map<size_t, Known> known;  // by group
  };
  // Which site gets which group.
  using Cover = std::vector<std::pair<size_t, size_t>>;
  struct Bounds {
    std::optional<Instant> possible;  // L: no start is possible before
    std::optional<Instant> sure;      // U: the earliest that is told
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
  // By site, the last first: what the sites from it on can cover.
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
  // Partitions of the parts into groups; empty: all partitions are looked at.
  std::vector<std::vector<size_t>> patterns_;
  std::vector<Site> sites_;  // best first by shadow
  std::map<std::string, std::vector<MeetingQuestion>> asked_;
  std::map<std::string, std::vector<size_t>> asked_groups_;  // of these questions
  uint32_t intervals_ = schemas::kStartIntervals;
  int rounds_ = 0;
  size_t messages_ = 0;
};

}  // namespace muster::partitioner
