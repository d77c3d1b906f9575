// The baseline that verified scheduling is compared with. It plans by processor counts alone and
// sends a request to its machine when the planned start has come, without knowing whether the
// machine can map it then; a rejected request is sent again. Waiting room, packing, compaction, gap
// rule and vote are those of muster, so the two differ in verification only. CCS Sect. 4.1,
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

// A site as this scheduler sees it.
struct CountedSite {
  std::string name;
  int64_t processors = 0;
  Span turnover;  // between two jobs on a processor
};

struct AutonomousOptions {
  std::vector<CountedSite> sites;
  // extraction threshold; none: each request is planned at submission
  std::optional<Span> threshold;
  std::optional<packing::Algorithm> packing;  // none: chosen by vote
  size_t block_max = 1000;
};

struct AutonomousRequest {
  int64_t processors = 0;  // > 0
  Span asks;               // > 0
  int64_t user = -1;
  bool interactive = false;
  std::optional<size_t> home;
  std::vector<size_t> sites;  // sites that could run it when empty; at least one
};

// Makes decisions only: the caller supplies time and the machines' answers. A copy is independent.
// A request's number is its name and its rank.
class AutonomousScheduler {
 public:
  // Sends a request to a site's machine; returns false if the machine rejects it.
  using Send = std::function<bool(size_t request, size_t site)>;
  // Called when a request enters the scheduler, with its planned start.
  using Enters = std::function<void(size_t request, Instant planned)>;

  explicit AutonomousScheduler(AutonomousOptions options);

  // Plans the request at once if the gap rule allows it or there is no threshold; otherwise it
  // waits. REQUIRES: `number` is greater than all before.
  void Submit(size_t number, const AutonomousRequest& request, Instant now, const Enters& enters);
  // Releases a request's processors. REQUIRES: it was sent and accepted.
  void End(size_t number, Instant now);
  // Acts on released processors: sends all rejected requests again, moves planned requests up, and
  // looks for gaps for waiting ones.
  void AfterEnds(Instant now, const Send& send, const Enters& enters);
  // Acts on what is due at `now`: the next block, requests whose planned start has come, and
  // rejected ones whose scheduling point has come.
  void Timers(Instant now, const Send& send, const Enters& enters);
  // When Timers is due next; none if nothing is.
  std::optional<Instant> Next() const;

  // The requests that run at a site, with the latest end of each.
  const std::map<size_t, Instant>& Running(size_t site) const { return sites_[site].runs; }
  const AutonomousRequest& RequestOf(size_t number) const { return requests_.at(number).request; }
  bool idle() const { return requests_.empty(); }

 private:
  enum class State : uint8_t { kWaits, kPlanned, kRejected, kRuns };
  struct Entry {
    AutonomousRequest request;
    State state = State::kWaits;
    size_t site = 0;
    Instant start;  // planned start; the real one once it runs
    bool of_block = false;
    size_t entered = 0;            // sequence number of its first planning
    std::optional<Instant> point;  // if rejected: the scheduling point where it is booked
  };
  struct Site {
    // bookings of running and planned requests, and of rejected ones at a scheduling point
    rusv::Rusv booked;
    std::multiset<Instant> ends;     // ends of running and planned requests
    std::set<Instant> points;        // start times of the packing's levels
    std::map<size_t, Instant> runs;  // running requests: latest end of each
  };
  using Terrain = std::vector<rusv::Rusv>;
  struct Place {
    size_t site = 0;
    Instant start;
  };

  Span TurnoverOf(const Entry& entry) const { return options_.sites[entry.site].turnover; }
  // The earliest start that the bookings allow. The turnover lies before the start and may lie in
  // the past: an ended job leaves none behind, as at the sites.
  Instant Fit(const rusv::Rusv& booked, const AutonomousRequest& request, size_t site,
              Instant from) const;
  // The slot that a place takes at a site, turnover included.
  rusv::Slot SlotAt(const AutonomousRequest& request, size_t site, Instant start) const;
  void Book(const Entry& entry, Instant start);
  void Unbook(const Entry& entry, Instant start);
  // Adds (`sign` 1) or removes (-1) the booking of a rejected request at its scheduling point. Such
  // a booking does not move the end of the plan.
  void Reserve(const Entry& entry, int64_t sign);
  // The bookings of each site and, by rank behind them, the requests that its machine rejected.
  Terrain TerrainAt(Instant now) const;
  std::optional<Place> EarliestPlace(const Entry& entry, Instant now, const Terrain& terrain,
                                     bool gaps) const;
  bool FillsGap(const Entry& entry, const Place& place, Instant now) const;
  void Plan(size_t number, const Place& place, bool of_block, const Enters& enters);
  void SeekGaps(Instant now, const Enters& enters);
  // Returns true if the request moved.
  bool MoveOneUp(size_t number, Instant now, bool at_once, Terrain& terrain);
  void MoveUp(Instant now);
  void Extract(Instant now, const Enters& enters);
  packing::Entry EntryOf(const Entry& entry, Instant now) const;
  static packing::Voter VoterOf(size_t number, const AutonomousRequest& request);
  packing::Algorithm Vote(const packing::Problem& problem, const std::vector<size_t>& block);
  // Returns true if a request was rejected.
  bool SendDue(Instant now, const Send& send);
  bool SendRejected(Instant now, bool after_ends, const Send& send);
  bool SendOne(size_t number, Instant now, const Send& send);
  void Reject(size_t number, Instant now);
  std::optional<Instant> PlanEnd(size_t site) const;
  std::optional<Instant> NextExtraction() const;

  AutonomousOptions options_;
  std::vector<Site> sites_;
  std::map<size_t, Entry> requests_;  // requests that have not ended
  std::set<size_t> waiting_;
  std::set<std::pair<Instant, size_t>> planned_;
  std::set<size_t> rejected_;
  packing::Voting voting_;
  std::vector<packing::Voter> came_;  // voters since the last vote, the newest ones only
  packing::Algorithm in_force_;
  size_t entered_ = 0;
  // A request ended before its booking did, since the last MoveUp.
  bool room_ = false;
};

}  // namespace muster::sim
