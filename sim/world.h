// The virtual world: the real cores and the real codec over a simulated network, store, clock and
// machines, in one process, deterministic by seed. Every persist and every send is a crash point.
// Checkers watch from outside. architecture.md section 3 rule 2, protocol.md section 10.
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
#include "sim/census.h"
#include "sim/checkers/checker.h"
#include "sim/checkers/idle.h"
#include "sim/checkers/partitions.h"
#include "sim/client.h"
#include "sim/memory_store.h"
#include "sim/network.h"
#include "site/core.h"
#include "site/driver/simulated/simulated_driver.h"

namespace muster::sim {

struct WorldOptions {
  uint64_t seed = 1;
  std::vector<site::Options> sites;
  Layouts layouts;  // of the sites whose options have a geometry
  meta::Options meta;
  std::vector<Client> clients;
  std::map<std::string, std::vector<Client>> local_clients;  // by site: users of it alone
  NetworkFaults network;
  uint32_t crash_of_10000 = 0;       // chance of a crash at each crash point
  std::optional<uint64_t> crash_at;  // crash at exactly this crash point, counted from 1
  BootSpan down_low = Milliseconds(200);
  BootSpan down_high = Seconds(20);
  Moment begins{1'800'000'000'000};  // the wall clock when the boot clock is at 1 s
  std::string liar;                  // a site that lies (sim/liar.h); empty: none
  std::optional<Fence> trace;        // print what is said about this attempt, to stdout
  std::string story;                 // print what becomes durable of this job; empty: of none
  // G7 after one batch in so many: a core rebuilt from its store equals the live one; 0: never.
  uint64_t rebuild_every = 1;
  IdleKinds idle;     // of idle nodes that are violations; the others are counted
  bool calm = false;  // for these only the exceptions of calm runs hold (sim/checkers/idle.h)
  // Given each frame of what a daemon ("meta" or a site) would record of its turns; none: nothing
  // is recorded.
  std::function<void(const std::string& host, std::string_view frame)> record;
};

// What happened, for reports and tests.
struct WorldCounts {
  uint64_t turns = 0;
  uint64_t crash_points = 0;
  uint64_t crashes = 0;
  uint64_t messages = 0;
  uint64_t starts = 0;
  uint64_t drains = 0;  // nodes that sites wrote down as drained
  uint64_t lies = 0;
  uint64_t quarantines = 0;  // that the meta spoke of
};

class World {
 public:
  explicit World(WorldOptions options);
  ~World();

  // A copy of it as it is now, in which nothing goes wrong and nobody comes: its clients say no
  // more than is said for them by Say, and parts run for the time that they asked for. Of checkers
  // it has this one alone.
  std::unique_ptr<World> Frozen(std::unique_ptr<Checker> ear) const;

  // Runs until the boot clock reads `until`.
  void Run(BootInstant until);
  // Ends all faults: cuts heal, crashed daemons come back, nothing crashes or is lost any more.
  void Calm();
  // Tells the checkers that this is the end. `calm`: Calm() was long enough ago for everything to
  // settle.
  void Finish(bool calm);

  void Cut(const std::string& a, const std::string& b);
  void Heal(const std::string& a, const std::string& b);
  // A user says this to the meta, once: it may be lost, and nobody waits for the answer.
  void Say(const std::string& user, const schemas::ClientMessage& message);
  // The same of a user of one site alone, to that site.
  void SayAt(const std::string& site, const std::string& user,
             const schemas::ClientMessage& message);
  // Stops a daemon ("meta" or a site) without warning; it comes back after `down`.
  void Crash(const std::string& host, BootSpan down);

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
  CensusCounts Counted() const { return census_->counts(); }
  const IdleCounts& Idle() const { return idle_->counts(); }
  std::vector<std::string> Violations() const;
  // Digest of all messages so far and of the states of all daemons. REQUIRES: none is down.
  Digest AllDigest() const;

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
  void Trace(const std::string& from, const std::string& to, const Message& message,
             const char* how) const;
  bool RebuildIsDue();
  void CheckMetaRebuild();
  void CheckSiteRebuild(SiteHost& host);

  WorldOptions options_;
  Random random_;
  Network network_;
  BootInstant now_{1000};
  std::unique_ptr<MetaHost> meta_;
  std::map<std::string, std::unique_ptr<SiteHost>> sites_;
  std::vector<std::unique_ptr<Checker>> checkers_;
  const Census* census_ = nullptr;   // one of them
  const IdleCheck* idle_ = nullptr;  // likewise
  uint64_t lost_ = 0;                // messages that the checkers know of
  std::vector<std::string> violations_;
  uint64_t batches_ = 0;  // since the last rebuild
  WorldCounts counts_;
};

}  // namespace muster::sim
