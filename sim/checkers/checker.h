// Checkers are independent of scenarios. They see every durable write, driver command, start and
// end of processes and answer to a client, on all hosts, in one global order, and report which
// promise of architecture.md section 5 was broken. protocol.md section 10 lists the predicates.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "schemas/client.h"
#include "schemas/meta_records.h"
#include "schemas/site_records.h"
#include "schemas/write.h"
#include "site/driver/driver.h"
#include "site/options.h"

namespace muster::driver {
class SimulatedMachine;
}

namespace muster::sim {

using MetaWrites = std::vector<schemas::Write<schemas::MetaRecord>>;
using SiteWrites = std::vector<schemas::Write<schemas::SiteRecord>>;

// Prefix of the keys of a site's node records.
inline constexpr std::string_view kNodeKeys = "node/";

// Milliseconds by which a daemon may be late: one turn.
inline constexpr int64_t kTurnMs = 1000;

// Whether a part of the hold is starting or has started.
inline bool Started(const schemas::HoldRecord& hold) {
  return std::any_of(hold.parts.begin(), hold.parts.end(),
                     [](const auto& part) { return part.state >= schemas::PartState::kStarting; });
}

// A part has a loan: it runs on lent room, or is about to.
inline bool IsLent(const schemas::HoldRecord& hold) {
  return std::any_of(hold.parts.begin(), hold.parts.end(),
                     [](const auto& part) { return part.loan.has_value(); });
}

// `span` in seconds, rounded up.
inline Span WholeSeconds(BootSpan span) { return {(span.milliseconds + 999) / 1000}; }

// Checks one predicate, or a few that share state. Calls arrive in the order of events; `at` is the
// world's clock.
class Checker {
 public:
  virtual ~Checker() = default;
  // Printed before each violation, such as "G1".
  virtual std::string Name() const = 0;

  // A batch became durable.
  virtual void OnMetaWrites(Moment, const MetaWrites&) {}
  virtual void OnSiteWrites(Moment, const std::string& /*site*/, const SiteWrites&) {}
  // The processes of a part started, or are gone, on the simulated machine: the truth, not what a
  // daemon believes.
  virtual void OnPartStarted(Moment, const std::string& /*site*/, const std::string& /*token*/) {}
  virtual void OnPartGone(Moment, const std::string& /*site*/, const std::string& /*token*/) {}
  // The driver received a command; the records that it relies on are already durable.
  virtual void OnDriverCommand(Moment, const std::string& /*site*/, const driver::Command&) {}
  // The driver told the daemon of a site something.
  virtual void OnDriverEvent(Moment, const std::string& /*site*/, const driver::Event&) {}
  // A machine that is shared, after everything of this instant.
  virtual void OnMachine(Moment, const std::string& /*site*/, const driver::SimulatedMachine&) {}
  // The meta answered a client.
  virtual void OnClientTold(Moment, const std::string& /*user*/, const schemas::ToClient&) {}
  // A site answered one of its own users.
  virtual void OnLocalTold(Moment, const std::string& /*site*/, const schemas::ToClient&) {}
  // A daemon crashed / restarted from its store.
  virtual void OnCrash(Moment, const std::string& /*host*/) {}
  virtual void OnRestart(Moment, const std::string& /*host*/) {}
  // A message was lost, or a link was cut or healed.
  virtual void OnFault(Moment) {}
  // The end of the run. `calm`: faults have been off long enough for everything to settle.
  virtual void AtEnd(Moment, bool /*calm*/) {}

  const std::vector<std::string>& violations() const { return violations_; }

 protected:
  void Violated(Moment at, const std::string& what);

 private:
  std::vector<std::string> violations_;
};

// True if a part of the hold began later than promised because its driver was slow, its site was
// down or a local job held it up, as the hold's cause records.
bool BeganLate(const schemas::HoldRecord& hold);

// What the checkers need to know of the world.
struct CheckedWorld {
  std::vector<site::Options> sites;
  schemas::ProtocolValues values;
  std::map<std::string, int64_t> speeds;         // in thousandths; sites of speed 1000 are left out
  std::vector<std::string> queues = {"normal"};  // the meta's queues, most urgent first
  // Lying sites. The checkers see neither their writes nor their processes and do not judge what
  // they say of themselves. Holds and promises at other sites are judged.
  std::set<std::string> liars;
  bool counts_use = false;  // the meta has [fairshare]
  // Home sites by user, if the meta counts what sites give each other.
  std::map<std::string, std::string> homes;
  // How the meta charges, if it does: millionths of a credit for a processor and hour, multiples in
  // thousandths by QoS and site where they are not 1,000, and what each account may owe.
  struct Bank {
    int64_t rate = 0;
    std::map<std::string, int64_t> qos_times;
    std::map<std::string, int64_t> site_times;
    std::map<std::string, int64_t> overdrafts;
  };
  std::optional<Bank> bank;
  // Limits of the meta on what runs; of an account, else of each user or of one.
  struct Spanning {
    std::string account;
    std::string user;
    std::string resource;
    int64_t items = 0;
  };
  std::vector<Spanning> spanning;
  std::set<std::string> at_start;  // QoS that are promised nothing before they can start
  std::set<std::string> dated;     // accounts for which a ceiling of the meta or a site dates work
  // True if one of `members` is a Byzantine site.
  bool HasLiar(const std::vector<std::string>& members) const {
    for (const std::string& member : members) {
      if (liars.contains(member)) return true;
    }
    return false;
  }
};

// One of each checker declared below.
std::vector<std::unique_ptr<Checker>> AllCheckers(const CheckedWorld& world);

std::unique_ptr<Checker> CheckStarts(const CheckedWorld& world);      // G1
std::unique_ptr<Checker> CheckCapacity(const CheckedWorld& world);    // G2
std::unique_ptr<Checker> CheckPlans(const CheckedWorld& world);       // every rule of planning
std::unique_ptr<Checker> CheckOnce(const CheckedWorld& world);        // G3
std::unique_ptr<Checker> CheckDriver(const CheckedWorld& world);      // use of tokens
std::unique_ptr<Checker> CheckDeadlines(const CheckedWorld& world);   // G4
std::unique_ptr<Checker> CheckFences(const CheckedWorld& world);      // G5
std::unique_ptr<Checker> CheckEnded(const CheckedWorld& world);       // nothing after an end
std::unique_ptr<Checker> CheckPromises(const CheckedWorld& world);    // causes of later figures
std::unique_ptr<Checker> CheckUsage(const CheckedWorld& world);       // final usage
std::unique_ptr<Checker> CheckShares(const CheckedWorld& world);      // use counted once
std::unique_ptr<Checker> CheckSiteShares(const CheckedWorld& world);  // the same at each site
std::unique_ptr<Checker> CheckHome(const CheckedWorld& world);  // who gives way keeps its promise
std::unique_ptr<Checker> CheckLent(const CheckedWorld& world);  // lent room, and who is recalled
std::unique_ptr<Checker> CheckSets(const CheckedWorld& world);  // placed and booked by node sets
std::unique_ptr<Checker> CheckSpanning(const CheckedWorld& world);  // limits over all sites
std::unique_ptr<Checker> CheckCredits(const CheckedWorld& world);   // charged once, never overdrawn
// dependencies, array limits, parked
std::unique_ptr<Checker> CheckOthers(const CheckedWorld& world);
// commit before promise, no starvation
std::unique_ptr<Checker> CheckBlocks(const CheckedWorld& world);
std::unique_ptr<Checker> CheckDrains(const CheckedWorld& world);  // no new booking on drained nodes
std::unique_ptr<Checker> CheckLocals(const CheckedWorld& world);  // jobs of sites' own users
// each request ends or has a reason
std::unique_ptr<Checker> CheckProgress(const CheckedWorld& world);
std::unique_ptr<Checker> CheckMoves(const CheckedWorld& world);     // causes of moves
std::unique_ptr<Checker> CheckRunning(const CheckedWorld& world);   // extensions, resizings
std::unique_ptr<Checker> CheckMachines(const CheckedWorld& world);  // real load of nodes
std::unique_ptr<Checker> CheckTimeOuts(const CheckedWorld& world);  // nodes taken out of use
std::unique_ptr<Checker> CheckOutside(const CheckedWorld& world);   // walls, and others' work
// no part gets early what others are due on
std::unique_ptr<Checker> CheckHandedOver(const CheckedWorld& world);
std::unique_ptr<Checker> CheckReserved(const CheckedWorld& world);  // jobs inside of reservations
std::unique_ptr<Checker> CheckAltered(const CheckedWorld& world);   // bookings match requests
// packing votes, moves to other sites
std::unique_ptr<Checker> CheckScheduling(const CheckedWorld& world);

}  // namespace muster::sim
