// The verification loop of one block. The whole set is proposed to all sites concerned; their
// verdicts move the starts, and the set is proposed again until all agree. This class decides what
// to ask next; the caller sends the questions. CCS Sect. 4.2 (the schedule is reorganised and
// verified until there are no more conflicts), scheduling.md section 3.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/interval.h"
#include "schemas/proposal.h"

namespace muster::partitioner {

struct VerificationLimits {
  int rounds_max = 8;
  int restarts_max = 2;    // after a plan changed during the loop
  int unanswered_max = 3;  // how often in a row an unanswered tail is asked again
};

// The state of an entry in the loop.
enum class Agreement : uint8_t {
  kOpen,        // its sites do not agree yet
  kAgreed,      // all its sites booked it at its start
  kNever,       // a site can never run it
  kBlocked,     // a site has no allowed start for it in its present plan
  kUnanswered,  // a site did not answer the entry
  kNoStart,     // its sites have no allowed start in common
};

// The next start of an entry, and the earliest start still possible, derived from its sites'
// verdicts.
struct Reorganised {
  Agreement agreement = Agreement::kOpen;
  Instant start;
  Instant not_before;
};
// One site: the entry agrees at the site's start. Several: the next start is their smallest common
// one, and the entry agrees if every site booked it. If there is no common start, not_before rises
// to the smallest complete_until. If a site answered never, blocked or unanswered, the start stays.
// Starts are those of the request: sites know the offsets of their parts. REQUIRES: at least one
// verdict.
Reorganised Reorganise(Instant asked, Instant not_before, const IntervalSet& allowed,
                       const std::vector<schemas::VerdictEntry>& verdicts);

class Verification {
 public:
  struct Entry {
    std::vector<std::string> members;  // sites, ascending
    Instant start;                     // x: first the asked start, finally the agreed one
    IntervalSet allowed;               // contains start
    Agreement agreement = Agreement::kOpen;
    Instant not_before;  // rises while there is no common start
  };

  // `entries` are in compacted order, and stay so: sites then map an unchanged prefix the same way
  // again.
  explicit Verification(std::vector<Entry> entries, VerificationLimits limits = {});

  // This round's questions: indices of entries per site, in order. Empty: the loop is over.
  std::map<std::string, std::vector<size_t>> Questions() const;
  // Takes a site's verdicts in the order of its question. Null: the site did not answer.
  void Take(const std::string& site, PlanRevision plan,
            const std::vector<schemas::VerdictEntry>* verdicts);
  // Call when all sites of the round have answered. Reorganises, and returns whether another round
  // must be asked.
  bool NextRound();

  const std::vector<Entry>& entries() const { return entries_; }
  // rounds of the whole loop; asking an unanswered tail again is no round
  int rounds() const { return rounds_; }
  int restarts() const { return restarts_; }  // restarts because a plan changed

 private:
  bool InSet(const Entry& entry) const {
    return entry.agreement == Agreement::kOpen || entry.agreement == Agreement::kAgreed;
  }
  void Settle(size_t i);

  std::vector<Entry> entries_;
  VerificationLimits limits_;
  // Verdicts of this round, by entry, by member.
  std::vector<std::vector<schemas::VerdictEntry>> heard_;
  std::map<std::string, PlanRevision> plans_;  // newest plan revision per site
  bool plan_changed_ = false;
  bool over_ = false;
  int rounds_ = 0;
  int rounds_of_pass_ = 0;
  int restarts_ = 0;
  int unanswered_ = 0;
};

}  // namespace muster::partitioner
