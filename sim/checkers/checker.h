// Checkers stand apart from scenarios: they see every durable write, send, start and end of all
// hosts in one global order and say which promise of architecture.md section 5 was broken.
// protocol.md section 10 has the predicates.
#pragma once

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

namespace muster::sim {

using MetaWrites = std::vector<schemas::Write<schemas::MetaRecord>>;
using SiteWrites = std::vector<schemas::Write<schemas::SiteRecord>>;

// What a site keeps of a node has a key that begins like this.
inline constexpr std::string_view kNodeKeys = "node/";

// Rounded up.
inline Span WholeSeconds(BootSpan span) { return {(span.milliseconds + 999) / 1000}; }

// One predicate (or a few that share state). Calls come in the order things happened; `at` is the
// world's clock.
class Checker {
 public:
  virtual ~Checker() = default;
  // "G1", "G2", ...: printed before a violation.
  virtual std::string Name() const = 0;

  // A batch became durable.
  virtual void OnMetaWrites(Moment, const MetaWrites&) {}
  virtual void OnSiteWrites(Moment, const std::string& /*site*/, const SiteWrites&) {}
  // Processes of a part came to life / are gone on the simulated machine (the truth, not what a
  // daemon thinks).
  virtual void OnPartStarted(Moment, const std::string& /*site*/, const std::string& /*token*/) {}
  virtual void OnPartGone(Moment, const std::string& /*site*/, const std::string& /*token*/) {}
  // The driver was given a command; what it rests on is durable.
  virtual void OnDriverCommand(Moment, const std::string& /*site*/, const driver::Command&) {}
  // A client was told something.
  virtual void OnClientTold(Moment, const std::string& /*user*/, const schemas::ToClient&) {}
  // A user of a site itself was told something by it.
  virtual void OnLocalTold(Moment, const std::string& /*site*/, const schemas::ToClient&) {}
  // A daemon stopped without warning / came back from its store.
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

// A part of the hold began later than its promise allowed, by its driver's fault: that is on
// record.
bool BeganLate(const schemas::HoldRecord& hold);

// What the checkers need to know of the world.
struct CheckedWorld {
  std::vector<site::Options> sites;
  schemas::ProtocolValues values;
  std::map<std::string, int64_t> speeds;         // in thousandths, of sites that are not of 1000
  std::vector<std::string> queues = {"normal"};  // of the meta, the most urgent first
  // Sites that lie: nothing is heard of what they write and run, and what they say of themselves is
  // not judged. What others hold and are promised is.
  std::set<std::string> liars;
  // True if one of these is a liar.
  bool HasLiar(const std::vector<std::string>& members) const {
    for (const std::string& member : members) {
      if (liars.contains(member)) return true;
    }
    return false;
  }
};

// One of each.
std::vector<std::unique_ptr<Checker>> AllCheckers(const CheckedWorld& world);

std::unique_ptr<Checker> CheckStarts(const CheckedWorld& world);      // G1
std::unique_ptr<Checker> CheckCapacity(const CheckedWorld& world);    // G2
std::unique_ptr<Checker> CheckPlans(const CheckedWorld& world);       // plan: G2 and every rule
std::unique_ptr<Checker> CheckOnce(const CheckedWorld& world);        // G3
std::unique_ptr<Checker> CheckDriver(const CheckedWorld& world);      // driver: tokens
std::unique_ptr<Checker> CheckDeadlines(const CheckedWorld& world);   // G4
std::unique_ptr<Checker> CheckFences(const CheckedWorld& world);      // G5
std::unique_ptr<Checker> CheckEnded(const CheckedWorld& world);       // ended
std::unique_ptr<Checker> CheckPromises(const CheckedWorld& world);    // promise
std::unique_ptr<Checker> CheckUsage(const CheckedWorld& world);       // usage
std::unique_ptr<Checker> CheckOthers(const CheckedWorld& world);      // waits for others
std::unique_ptr<Checker> CheckBlocks(const CheckedWorld& world);      // blocks
std::unique_ptr<Checker> CheckDrains(const CheckedWorld& world);      // drains
std::unique_ptr<Checker> CheckLocals(const CheckedWorld& world);      // local jobs
std::unique_ptr<Checker> CheckProgress(const CheckedWorld& world);    // progress
std::unique_ptr<Checker> CheckMoves(const CheckedWorld& world);       // causes, displacement
std::unique_ptr<Checker> CheckRunning(const CheckedWorld& world);     // extended, resized
std::unique_ptr<Checker> CheckMachines(const CheckedWorld& world);    // processes on nodes
std::unique_ptr<Checker> CheckTimeOuts(const CheckedWorld& world);    // nodes set down
std::unique_ptr<Checker> CheckReserved(const CheckedWorld& world);    // inside of reservations
std::unique_ptr<Checker> CheckAltered(const CheckedWorld& world);     // booked as asked for
std::unique_ptr<Checker> CheckScheduling(const CheckedWorld& world);  // votes, re-choice

}  // namespace muster::sim
