// Counts how often rare events happened in a run, so that tests can prove that the code for them
// ran. A checker that never reports a violation.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "sim/checkers/checker.h"

namespace muster::sim {

struct PathCounts {
  uint64_t opened = 0;         // reservations that opened
  uint64_t inside = 0;         // starts inside of a reservation
  uint64_t altered = 0;        // alterations that the meta recorded, over all requests
  uint64_t altered_alone = 0;  // alterations that sites recorded for jobs of their own users
  uint64_t extended = 0;       // extensions of running parts
  uint64_t resized = 0;        // resizings of running parts
  uint64_t noticed = 0;        // parts started with a notice (a signal before their end)
  uint64_t lost = 0;           // nodes that a site took out of use by itself
  uint64_t displaced = 0;      // bookings displaced by a more urgent one
  uint64_t backfilled = 0;
  uint64_t rechosen = 0;  // moves to another site for an earlier start
  uint64_t joint = 0;     // moves of a co-allocation to an earlier joint start
  uint64_t switches = 0;  // changes of the packing algorithm in force
  uint64_t lent = 0;      // lives on lent room
  uint64_t kept = 0;      // of these, kept to their end
  uint64_t recalled = 0;  // of these, recalled for others or for their own start
  uint64_t saved = 0;     // of these, such that saved their work
  uint64_t paused = 0;    // pauses of lives on lent room
  uint64_t resumed = 0;   // of these, such that went on
};

class PathCoverage : public Checker {
 public:
  std::string Name() const override { return "path coverage"; }
  void OnMetaWrites(Moment at, const MetaWrites& writes) override;
  void OnSiteWrites(Moment at, const std::string& site, const SiteWrites& writes) override;
  void OnDriverCommand(Moment at, const std::string& site, const driver::Command& command) override;
  void OnPartStarted(Moment at, const std::string& site, const std::string& token) override;

  PathCounts counts() const;

 private:
  void Count(const schemas::HoldRecord& before, const schemas::HoldRecord& after);

  PathCounts counts_;
  std::map<std::pair<std::string, Fence>, schemas::HoldRecord> holds_;
  std::map<RequestId, uint64_t> altered_;
  std::map<RequestId, uint64_t> rechosen_;
  std::map<RequestId, uint64_t> joint_;
  std::map<std::pair<std::string, uint64_t>, uint64_t> altered_alone_;
};

// All counts as one line: "2 reservations opened, 5 starts inside, ...".
std::string ToText(const PathCounts& counts);

}  // namespace muster::sim
