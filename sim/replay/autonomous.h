// The scheduler that verification is measured against: it plans by processor counts alone and sends
// a request to be configured when its planned start has come, without knowing whether the machine
// can map it then; what is rejected is sent again. Waiting room, packing, compaction, gap rule and
// vote are those of the product, so that both differ in nothing but verification. CCS Sect. 4.1,
// scheduling.md section 10 (Autonomous).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "meta/search/packing/packing.h"
#include "meta/search/packing/vote.h"
#include "site/rusv/rusv.h"

namespace muster::sim {

// A site as it is planned for.
struct CountedSite {
  std::string name;
  int64_t processors = 0;
  Span turnover;  // between two jobs on a processor
};

struct AutonomousOptions {
  std::vector<CountedSite> sites;
  std::optional<Span> threshold;              // of extraction; none: planned at submission
  std::optional<packing::Algorithm> packing;  // none: by vote
  size_t block_max = 1000;
};

struct AutonomousRequest {
  int64_t processors = 0;  // > 0
  Span asks;               // > 0
  int64_t user = -1;
  bool interactive = false;
  std::optional<size_t> home;
  std::vector<size_t> sites;  // that could run it if they were empty; one at least
};

// Decisions only: time and what machines say come from outside. A copy goes its own way. Requests
// are named by their number, which is their rank.
class AutonomousScheduler {
 public:
  // Sends a request to the machine of a site; false: it is rejected.
  using Send = std::function<bool(size_t request, size_t site)>;
  // Told when a request enters the scheduler, with its planned start.
  using Enters = std::function<void(size_t request, Instant planned)>;

  explicit AutonomousScheduler(AutonomousOptions options);

  // Gets a place at once by the gap rule, or without a threshold; else it waits. REQUIRES: `number`
  // is greater than all before.
  void Submit(size_t number, const AutonomousRequest& request, Instant now, const Enters& enters);
  // A request's processors were given back. REQUIRES: it was sent and taken.
  void End(size_t number, Instant now);
  // What follows from ends: who was rejected is sent again as far as it is its turn, what is
  // planned moves up, who waits seeks gaps.
  void AfterEnds(Instant now, const Send& send, const Enters& enters);
  // What time has made due: the next block, and all whose planned start has come.
  void Timers(Instant now, const Send& send, const Enters& enters);
  // When Timers has something to do next.
  std::optional<Instant> Next() const;

  // Those that run at a site, and when they are over at the latest.
  const std::map<size_t, Instant>& Running(size_t site) const { return sites_[site].runs; }
  const AutonomousRequest& RequestOf(size_t number) const { return requests_.at(number).request; }
  bool idle() const { return requests_.empty(); }

 private:
  enum class State : uint8_t { kWaits, kPlanned, kRejected, kRuns };
  struct Entry {
    AutonomousRequest request;
    State state = State::kWaits;
    size_t site = 0;
    Instant start;  // planned, or real once it runs
    bool of_block = false;
    size_t entered = 0;            // after how many others it was planned first
    std::optional<Instant> point;  // rejected: it is booked at this scheduling point
  };
  struct Site {
    rusv::Rusv booked;               // those that run, are planned, or wait for a scheduling point
    std::multiset<Instant> ends;     // of those that run or are planned
    std::set<Instant> points;        // beginnings of levels
    std::map<size_t, Instant> runs;  // until when at the latest
  };
  using Terrain = std::vector<rusv::Rusv>;
  struct Place {
    size_t site = 0;
    Instant start;
  };

  Span TurnoverOf(const Entry& entry) const { return options_.sites[entry.site].turnover; }
  // When it may start at the earliest, by what is booked. The turnover is before it, and may be
  // over: what has ended leaves nothing behind, as at the sites.
  Instant Fit(const rusv::Rusv& booked, const AutonomousRequest& request, size_t site,
              Instant from) const;
  // What a place takes of a site: its turnover too.
  rusv::Slot SlotAt(const AutonomousRequest& request, size_t site, Instant start) const;
  void Book(const Entry& entry, Instant start);
  void Unbook(const Entry& entry, Instant start);
  // Of one that was rejected, at its scheduling point: the plan does not end later for it.
  void Reserve(const Entry& entry, int64_t sign);
  // What is booked at each site, and behind it, by rank, whom its machine rejected.
  Terrain TerrainAt(Instant now) const;
  std::optional<Place> EarliestPlace(const Entry& entry, Instant now, const Terrain& terrain,
                                     bool gaps) const;
  bool FillsGap(const Entry& entry, const Place& place, Instant now) const;
  void Plan(size_t number, const Place& place, bool of_block, const Enters& enters);
  void SeekGaps(Instant now, const Enters& enters);
  // True if it moved.
  bool MoveOneUp(size_t number, Instant now, bool at_once, Terrain& terrain);
  void MoveUp(Instant now);
  void Extract(Instant now, const Enters& enters);
  packing::Entry EntryOf(const Entry& entry, Instant now) const;
  static packing::Voter VoterOf(size_t number, const AutonomousRequest& request);
  packing::Algorithm Vote(const packing::Problem& problem, const std::vector<size_t>& block);
  // True if somebody was rejected.
  bool SendDue(Instant now, const Send& send);
  bool SendRejected(Instant now, bool after_ends, const Send& send);
  bool SendOne(size_t number, Instant now, const Send& send);
  void Reject(size_t number, Instant now);
  std::optional<Instant> PlanEnd(size_t site) const;
  std::optional<Instant> NextExtraction() const;

  AutonomousOptions options_;
  std::vector<Site> sites_;
  std::map<size_t, Entry> requests_;  // that have not ended
  std::set<size_t> waiting_;
  std::set<std::pair<Instant, size_t>> planned_;
  std::set<size_t> rejected_;
  packing::Voting voting_;
  std::vector<packing::Voter> came_;  // since the last vote, the newest ones
  packing::Algorithm in_force_;
  size_t entered_ = 0;
  // Something ended before its time, or moved up and left its room, since all that could moved up.
  bool room_ = false;
};

}  // namespace muster::sim
