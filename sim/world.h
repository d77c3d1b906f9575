// The virtual world: the real cores and the real codec over a simulated network, store, clock and
// machines, in one process, deterministic by seed. There is a crash point before every persist,
// send and driver command. Checkers watch from outside. architecture.md section 3 rule 2,
// protocol.md section 10.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "meta/core.h"
#include "schemas/client.h"
#include "sim/checkers/checker.h"
#include "sim/checkers/idle.h"
#include "sim/checkers/partitions.h"
#include "sim/client.h"
#include "sim/event_digest.h"
#include "sim/memory_store.h"
#include "sim/network.h"
#include "sim/path_coverage.h"
#include "site/core.h"
#include "site/driver/simulated/simulated_driver.h"

namespace muster::sim {

struct WorldOptions {
  uint64_t seed = 1;
  std::vector<site::Options> sites;
  Layouts layouts;  // layouts of the sites that have a geometry
  meta::Options meta;
  std::vector<Client> clients;
  std::map<std::string, std::vector<Client>> local_clients;  // by site: the site's own users
  NetworkFaults network;
  uint32_t crash_of_10000 = 0;       // per 10,000: chance of a crash at each crash point
  std::optional<uint64_t> crash_at;  // crash at exactly this crash point, counted from 1
  uint32_t reload_of_10000 = 0;      // per 10,000: chance of a reload after each turn of a site
  BootSpan down_low = Milliseconds(200);
  BootSpan down_high = Seconds(20);
  Moment begins{1'800'000'000'000};  // wall clock when the boot clock is at 1 s
  std::string byzantine;             // a lying site (sim/byzantine_site.h); empty: none
  std::optional<Fence> trace;        // print the messages about this attempt to stdout
  std::string story;                 // print what becomes durable about this job; empty: none
  // Number of batches between two checks of G7, that a core rebuilt from its store equals the live
  // one; 0: never.
  uint64_t rebuild_every = 1;
  IdleKinds idle;  // kinds of idle nodes that are violations; other kinds are only counted
  // of the exceptions for idle nodes only those of calm runs apply (sim/checkers/idle.h)
  bool calm = false;
  // Called with each frame that a daemon ("meta" or a site) would record of its turns; none:
  // nothing is recorded.
  std::function<void(const std::string& host, std::string_view frame)> record;
};

// Counts of events, for reports and tests.
struct WorldCounts {
  uint64_t turns = 0;
  uint64_t crash_points = 0;
  uint64_t crashes = 0;
  uint64_t reloads = 0;  // of sites
  uint64_t messages = 0;
  uint64_t starts = 0;
  uint64_t drains = 0;  // nodes that sites recorded as out of use: drained or lost
  uint64_t lies = 0;
  uint64_t quarantines = 0;  // quarantines that the meta reported
};

class World {
 public:
  explicit World(WorldOptions options);
  ~World();

  // A copy of the present world without faults and new arrivals: its clients send only what Say
  // adds, and parts run for their requested time. `ear` is its only checker.
  std::unique_ptr<World> Frozen(std::unique_ptr<Checker> ear) const;

  // Runs until the boot clock reads `until`.
  void Run(BootInstant until);
  // Ends all faults: restores links, restarts crashed daemons, and stops crashes and message loss.
  void Calm();
  // Tells the checkers that the run is over. `calm`: Calm() was long enough ago for everything to
  // settle.
  void Finish(bool calm);

  // The meta reads a changed configuration, at once or when it is back. REQUIRES: turns are not
  // recorded, since the text of a configuration would be part of the record.
  void Reconfigure(meta::Options options);

  void Cut(const std::string& a, const std::string& b);
  void Heal(const std::string& a, const std::string& b);
  // A user sends the message to the meta, once: it may be lost, and no answer is expected.
  void Say(const std::string& user, const schemas::ClientMessage& message);
  // A site's own user sends the message to that site, likewise.
  void SayAt(const std::string& site, const std::string& user,
             const schemas::ClientMessage& message);
  // Crashes a daemon ("meta" or a site); it restarts after `down`.
  void Crash(const std::string& host, BootSpan down);
  // A site reads its configuration again: another core takes the place of its core, and the driver
  // lives on with all that it has not told yet.
  void Reload(const std::string& site);

  BootInstant now() const { return now_; }
  Moment Wall() const { return {options_.begins.milliseconds + now_.milliseconds - 1000}; }
  std::vector<std::string> SiteNames() const;
  const meta::Core* meta() const;  // null while it is down
  const site::Core* SiteCore(const std::string& name) const;
  driver::SimulatedMachine& Machine(const std::string& site);
  const std::vector<Client>& clients() const { return options_.clients; }
  const std::map<std::string, std::vector<Client>>& local_clients() const {
    return options_.local_clients;
  }
  const WorldCounts& counts() const { return counts_; }
  PathCounts Counted() const { return path_coverage_->counts(); }
  const IdleCounts& Idle() const { return idle_->counts(); }
  std::vector<std::string> Violations() const;
  // Of all that was said and written so far.
  const Digest& Events() const { return events_.so_far(); }

 private:
  struct MetaHost;
  struct SiteHost;
  World(const World& live, std::unique_ptr<Checker> ear);
  Now Clocks() const { return {now_, Wall()}; }
  bool CrashPoint(const std::string& host);
  void GoDown(const std::string& host, BootSpan down);
  void ComeBack();
  void StartMeta();
  void StartSite(SiteHost& host);
  void LoadSite(SiteHost& host, bool reloaded);
  void Deliver();
  void MetaTurn();
  bool MetaEffects(const meta::Effects& effects);
  void SiteTurn(SiteHost& host);
  void ClientTurns();
  void TellLocal(const Packet& packet);
  void AdvanceMachines();
  meta::Effects StepMeta(const std::vector<meta::Event>& events);
  site::Effects StepSite(SiteHost& host, const std::vector<site::Event>& events);
  void TellFault();
  BootInstant NextEvent(BootInstant until) const;
  template <class Message>
  void Send(const std::string& from, const std::string& to, const std::string& link,
            const Message& message);
  template <class Message>
  void Trace(const std::string& from, const std::string& to, const Message& message,
             const char* how) const;
  bool RebuildIsDue();
  void CheckMetaRebuild();
  void CheckSiteRebuild(SiteHost& host);

  WorldOptions options_;
  Random random_;
  Network network_;
  EventDigest events_;
  BootInstant now_{1000};
  std::unique_ptr<MetaHost> meta_;
  std::map<std::string, std::unique_ptr<SiteHost>> sites_;
  std::vector<std::unique_ptr<Checker>> checkers_;
  const PathCoverage* path_coverage_ = nullptr;  // one of checkers_
  const IdleCheck* idle_ = nullptr;              // one of checkers_
  uint64_t lost_ = 0;                            // lost messages that were reported to the checkers
  std::vector<std::string> violations_;
  uint64_t batches_ = 0;  // since the last rebuild
  WorldCounts counts_;
};

}  // namespace muster::sim
