// Seeded runs of the virtual world under named kinds of faults, judged by all checkers. The tests
// and `muster-sim world` run the same ones, so a failure is replayed by one command.
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
  std::optional<Span> threshold;   // of extraction; none: infinite
  BootSpan busy = Seconds(180);    // faults may happen this long
  BootSpan settle = Seconds(900);  // then everything must come to its end
  std::string bad_site;            // the site requests of kim keep away from
  bool lies = true;                // that site lies (G8); false: it is honest, to compare
  bool drains = false;             // operators drain and resume nodes while it is busy
  bool reservations = false;       // some requests reserve, some are inside of them
  bool rules = false;              // sites have limits, pools, licences and a share for the meta
  bool speeds = false;             // sites are not equally fast
  bool neighbours = false;         // with moves: users of sites alone alter their jobs too
  bool moves = false;              // requests are altered, extended and resized, and nodes are lost
  bool shapes = false;             // sites are a mesh, a cube and a torus, cut into partitions
  // Nothing goes wrong: no faults, every start succeeds, and jobs end early. Then next to nothing
  // excuses a node that idles.
  bool calm = false;
  bool hours = false;              // jobs last sixty times as long: none ends, starts lie far apart
  uint32_t told = 0;               // of 1,000 looks, one in 5 s: so many are tried out (sim/told.h)
  IdleKinds idle = kAllIdleKinds;  // idle nodes that are violations; the others are only counted
  std::optional<uint64_t> crash_at;
  std::optional<Fence> trace;  // print what is said about this attempt
  std::string story;           // print what becomes durable of this job
  // The turns of every daemon are recorded and then taken again (sim/again).
  bool again = false;
  uint64_t rebuild_every = 1;  // batches from one rebuild to the next (G7); 0: none
};

struct CampaignResult {
  WorldCounts counts;
  CensusCounts census;
  IdleCounts idle;
  ToldCounts told;
  std::vector<std::string> told_wrong;
  std::vector<std::string> violations;
  size_t acknowledged = 0;
  size_t refused = 0;     // submissions
  size_t ended_well = 0;  // outcome done
  size_t apart = 0;       // requests that keep away from the bad site, elements too
  size_t apart_open = 0;  // of these: neither ended, nor running or promised a start to come
  std::string digest;     // of all messages and all final states: equal seeds give equal digests
};

// REQUIRES: `calm` comes without faults, a crash point, a bad site, drains, moves and a threshold.
CampaignResult RunCampaign(const CampaignOptions& options);

// "all", "none", or some as in "home,elsewhere"; none if it is neither.
std::optional<IdleKinds> ParseIdleKinds(const std::string& text);
std::string ToText(const IdleKinds& kinds);

// The command that runs exactly this again.
std::string ReplayCommand(const CampaignOptions& options);

// Three small sites, as `muster up` makes them: lakes 4 x 4 cpus, woods 4 x 4, hills 2 x 4 with a
// gpu each.
WorldOptions SmallFederation(uint64_t seed);

}  // namespace muster::sim
