// The verification loop of one block: the whole set is proposed to every site it concerns, what the
// sites say moves the starts, and it is proposed again until all agree. Who asks and who answers is
// the caller's business; this decides what to ask next. CCS Sect. 4.2 (the schedule is reorganised
// and verified until there are no more conflicts), scheduling.md section 3.
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
  int restarts_max = 2;    // for a plan that changed under the loop
  int unanswered_max = 3;  // times in a row that a tail is asked again
};

// What became of an entry.
enum class Agreement : uint8_t {
  kOpen,        // its sites do not agree yet
  kAgreed,      // all its sites booked its start
  kNever,       // a site can never run it
  kBlocked,     // only defects prevent it at a site
  kUnanswered,  // a site did not answer for it
  kNoStart,     // no start is left that all its sites allow
};

// One step for one entry: its start and the bound below it, from what its sites said.
struct Reorganised {
  Agreement agreement = Agreement::kOpen;
  Instant start;
  Instant not_before;
};
// Single-site: the site's start, agreed. Several: the minimum of the intersection, agreed if every
// site booked it; where that is empty, not_before rises to the least complete_until. Sets are in
// time of the request: sites know the offsets of their parts. REQUIRES: at least one verdict.
Reorganised Reorganise(Instant asked, Instant not_before, const IntervalSet& allowed,
                       const std::vector<schemas::VerdictEntry>& verdicts);

class Verification {
 public:
  struct Entry {
    std::vector<std::string> members;  // sites, ascending
    Instant start;                     // x: asked for, then agreed
    IntervalSet allowed;               // contains start
    Agreement agreement = Agreement::kOpen;
    Instant not_before;  // rises while sets have no common start
  };

  // `entries` in compacted order, which stays: an unchanged prefix is mapped the same way again.
  explicit Verification(std::vector<Entry> entries, VerificationLimits limits = {});

  // What this round asks: entries by site, in order. Empty: the loop is over.
  std::map<std::string, std::vector<size_t>> Questions() const;
  // What one site said, in the order of its question; none: it did not answer.
  void Take(const std::string& site, PlanRevision plan,
            const std::vector<schemas::VerdictEntry>* verdicts);
  // All sites of this round were heard: reorganises. True if another round is to be asked.
  bool NextRound();

  const std::vector<Entry>& entries() const { return entries_; }
  int rounds() const { return rounds_; }      // of the whole loop, counted ones
  int restarts() const { return restarts_; }  // for a changed plan

 private:
  bool InSet(const Entry& entry) const {
    return entry.agreement == Agreement::kOpen || entry.agreement == Agreement::kAgreed;
  }
  void Settle(size_t i);

  std::vector<Entry> entries_;
  VerificationLimits limits_;
  std::vector<std::vector<schemas::VerdictEntry>> heard_;  // of this round, by entry, by member
  std::map<std::string, PlanRevision> plans_;              // of this pass
  bool plan_changed_ = false;
  bool over_ = false;
  int rounds_ = 0;
  int rounds_of_pass_ = 0;
  int restarts_ = 0;
  int unanswered_ = 0;
};

}  // namespace muster::partitioner
