// Seeded runs of the virtual world under a chosen kind of faults, judged by all checkers. The tests
// and `muster-sim world` run the same campaigns, so one command replays a failure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/told.h"
#include "sim/world.h"

namespace muster::sim {

// none: a perfect network. lost: loss, duplication, reordering. crash: daemons die at crash points
// and come back. all: both, and links are cut now and then.
enum class FaultKind : uint8_t { kNone, kLost, kCrash, kAll };
std::optional<FaultKind> ParseFaultKind(const std::string& text);
std::string ToText(FaultKind kind);

struct CampaignOptions {
  uint64_t seed = 1;
  FaultKind faults = FaultKind::kAll;
  size_t requests = 40;
  std::optional<Span> threshold;  // extraction threshold; none: infinite
  BootSpan busy = Seconds(180);   // duration of the phase with faults
  // duration of the phase without faults, in which every request must end
  BootSpan settle = Seconds(900);
  std::string bad_site;       // requests of user kim exclude this site; empty: no bad site
  bool lies = true;           // the bad site lies (G8); false: it behaves correctly, for comparison
  bool drains = false;        // operators drain and resume nodes while it is busy
  bool reservations = false;  // some requests are reservations, others run inside of them
  bool rules = false;   // sites have limits, pools, licences and a cap on the federation's share
  bool speeds = false;  // sites are not equally fast
  bool neighbours = false;  // with `moves`: the sites' own users alter their jobs too
  bool moves = false;       // requests are altered, extended and resized; nodes are lost
  bool sets = false;     // nodes have several speeds and racks; parts and sites ask for node sets
  bool outside = false;  // machines have users who know nothing of muster
  bool reloads = false;  // sites read their configuration again, now and then
  bool lent = false;     // with `policy`: sites lend idle room to jobs of some QoS
  bool policy = false;   // those who wait are ordered by points; operators change what gives them
  bool shapes = false;   // sites are a mesh, a cube and a torus, cut into partitions
  // No faults, every start succeeds, jobs end early. Hardly any exception then allows an idle node.
  bool calm = false;
  // jobs last sixty times as long: none ends during the run, starts lie far apart
  bool hours = false;
  // how many of 1,000 looks at the world, one every 5 s, test an answer of the cores (sim/told.h)
  uint32_t told = 0;
  // kinds of idle nodes that are violations; other kinds are only counted
  IdleKinds idle = kAllIdleKinds;
  std::optional<uint64_t> crash_at;
  std::optional<Fence> trace;  // print the messages about this attempt
  std::string story;           // print what becomes durable about this job
  // Records the turns of every daemon and replays them at the end (sim/again).
  bool again = false;
  // batches between two comparisons with a core rebuilt from its store (G7); 0: no comparison
  uint64_t rebuild_every = 1;
};

struct CampaignResult {
  WorldCounts counts;
  PathCounts path_counts;
  IdleCounts idle;
  ToldCounts told;
  std::vector<std::string> told_wrong;
  std::vector<std::string> violations;
  size_t acknowledged = 0;
  size_t refused = 0;     // submissions that the meta refused
  size_t ended_well = 0;  // requests with outcome `done`
  size_t apart = 0;       // requests that exclude the bad site, array elements included
  size_t apart_open = 0;  // of `apart`: neither ended nor running, and not promised a future start
  std::string digest;  // of all messages and writes (event_digest.h): equal seeds give equal ones
};

// REQUIRES: `calm` is not combined with faults, a crash point, a bad site, drains, moves or a
// threshold; `sets` not with shapes; `lent` only with `policy`.
CampaignResult RunCampaign(const CampaignOptions& options);

// Parses "all", "none", or a comma-separated list of kinds such as "home,elsewhere". Returns
// nullopt for anything else.
std::optional<IdleKinds> ParseIdleKinds(const std::string& text);
std::string ToText(const IdleKinds& kinds);

// The command line that repeats this run, if `busy` and `settle` have their defaults.
std::string ReplayCommand(const CampaignOptions& options);

// Three small sites, as `muster up` makes them: lakes 4 x 4 cpus, woods 4 x 4, hills 2 x 4 with a
// gpu each.
WorldOptions SmallFederation(uint64_t seed);

}  // namespace muster::sim
