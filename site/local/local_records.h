// The records of jobs submitted at the site itself: what is kept of them, the figures that users
// were told, and their views. protocol.md sections 3.1 (local jobs), 3.5.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "site/queries/queries.h"

namespace muster::site {

// Invariants: a job that has not ended has a hold, or waits for another place; the indexes kept
// here follow from the records. Methods that take a number REQUIRE that such a job is on record.
class LocalRecords : public Queries {
 public:
  LocalRecords(Options told, verifier::Ledger ledger, Now now);

  // Null: no such job is on record.
  const schemas::LocalRecord* FindLocal(uint64_t number) const;
  // The job's hold, live or just closed; none: it waits for a place, or has ended.
  std::optional<Fence> PlaceOf(uint64_t number) const;
  // The job that this user submitted under this key.
  std::optional<uint64_t> ByKey(const std::string& user, const std::string& key) const;
  size_t OpenJobsOf(const std::string& user) const;
  // Jobs that lost their place and wait for another.
  const std::set<uint64_t>& waiting() const { return waiting_; }
  // The request as submitted, with the time and sets it got since.
  schemas::RequestSpec SpecNow(const schemas::LocalRecord& job) const;

  // Jobs that changed since the last call.
  std::set<uint64_t> TakeChanged() { return std::exchange(changed_, {}); }
  // Deletes the records of jobs that ended more than kRecordKeep ago, with their client keys.
  void ForgetLocals();

  // An answer without rows, as of now.
  schemas::Rows NewRows() const;
  std::vector<schemas::PartView> PartsShown(const schemas::HoldRecord& hold) const;
  schemas::JobView JobShown(const schemas::LocalRecord& job, bool whole) const;
  // These jobs in full; if none is named, all that have not ended.
  schemas::LocalView JobsShown(const std::vector<uint64_t>& numbers) const;

 protected:
  // Adds a new job. REQUIRES: its number is new.
  void Enter(schemas::LocalRecord job);
  void Place(uint64_t number, const Fence& fence);
  void LosePlace(uint64_t number) { holds_.erase(number); }
  void WaitForPlace(uint64_t number) { waiting_.insert(number); }
  void EndLocal(uint64_t number, schemas::Outcome outcome, std::string text);
  void MarkChanged(uint64_t number) { changed_.insert(number); }
  // Adds an event to the job's record.
  void NoteLocal(uint64_t number, std::string code, std::string text, std::string part = "");
  // The longest that a part may be booked here: on the slowest node that could host a chunk of it.
  Span LongestHere(const schemas::RequestSpec& spec) const;
  schemas::Figures LocalFigures(const schemas::RequestSpec& spec, Instant start,
                                PlanRevision basis) const;
  // Adds the figures to the job's history if they differ from the last ones there. Without `cause`
  // the entry takes over the cause of the last one, if there is one.
  void TellLocalFigures(uint64_t number, schemas::Figures figures,
                        std::optional<schemas::Cause> cause);

 private:
  std::map<std::pair<std::string, std::string>, uint64_t> keys_;  // the job of (user, client key)
  std::map<std::string, std::set<uint64_t>> open_;                // unfinished jobs, by user
  std::map<uint64_t, Fence> holds_;                               // by job; absent: it has no hold
  std::set<uint64_t> waiting_;
  std::set<std::pair<Moment, uint64_t>> ended_;  // by end; kept for kRecordKeep after it
  std::set<uint64_t> changed_;
};

}  // namespace muster::site
