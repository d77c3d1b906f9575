// A driver without processes: parts run in virtual time for as long as their fate says. Used by the
// simulator, what-if questions and the fault campaign; cores see no difference from the process
// driver.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/time.h"
#include "site/driver/driver.h"
#include "site/driver/simulated/application.h"
#include "site/driver/simulated/outsiders.h"

namespace muster::driver {

// How one try of a part will go. The default runs for the whole walltime and exits with 0.
struct SimulatedFate {
  std::string cannot_start;  // not empty: nothing runs, for this reason
  BootSpan start_delay;      // from StartPart to the start; until then no shepherd holds the lock
  std::optional<BootSpan> runs;  // none: exactly its walltime. If longer, the walltime ends it
  int32_t exit_code = 0;
  std::optional<int32_t> signal;  // ends the part instead of an exit (a crash)
  BootSpan after_term;  // its processes stay this long after TERM, but no longer than until KILL
  std::optional<int32_t> term_code;  // then it exits with this; none: TERM ends it
  BootSpan after_kill;               // and this long after KILL (stuck in the kernel)
  std::string output;                // all of its standard output, written at the start
  std::string error_output;
  bool operator==(const SimulatedFate&) const = default;
};

// The true state of one try.
struct SimulatedPart {
  enum class Stage : uint8_t { kSpawning, kRunning, kEnding, kEnded, kNeverRan, kLost };
  StartPart command;
  SimulatedFate fate;
  Stage stage = Stage::kSpawning;
  BootInstant due;        // time of its next change; meaningless from kEnded on
  uint64_t sequence = 0;  // orders changes due at the same instant
  bool watched = false;   // the present daemon gets its events
  bool asked = false;     // it owes an answer to FindParts: when it begins, or never will
  bool on_nodes = false;  // it has its nodes, perhaps before its second
  BootInstant killed_at;  // if kEnding: when KILL is sent
  BootInstant started;    // from kRunning on
  Moment started_at;
  std::optional<BootInstant> paused_at;  // since when it is paused; REQUIRES: kRunning
  BootSpan paused;                       // for how long it was paused before that
  const Application* program = nullptr;  // whose progress decides when it ends; null: its fate
  AppState progress;
  std::optional<BootInstant> asks_at;  // when its stage is over, if its surroundings stay
  int64_t wants = 0;                   // AppStep::wants, as was told last
  PartEnded ended;                     // from kEnding on: how it ends; complete at kEnded
};

// The machine on which simulated parts run. A value that outlives daemons, so that it can answer a
// restarted one. Pure: Advance sets the time, and fates must depend on nothing but the command.
class SimulatedMachine {
 public:
  using FateOf = std::function<SimulatedFate(const StartPart&)>;

  // A fate comes from SetFate, else from `fate_of`, else it is the default.
  explicit SimulatedMachine(FateOf fate_of = nullptr) : fate_of_(std::move(fate_of)) {}
  // What it is like; without this as the simulated driver is (facts.h).
  void SetFacts(Facts facts) { facts_ = std::move(facts); }
  const Facts& facts() const { return facts_; }
  // It has users of its own from now on.
  void Share(OutsiderSettings settings);
  const std::optional<Outsiders>& outsiders() const { return outsiders_; }
  // The fate of every later try of this part.
  void SetFate(const std::string& part_name, SimulatedFate fate);
  // Makes all parts run their whole walltime, including those that already run, as a plan expects.
  // For copies that are run ahead.
  void ForgetFates();
  // Programs of parts that start from now on. Null: none has a model.
  void SetApplications(std::shared_ptr<const Applications> applications) {
    applications_ = std::move(applications);
  }
  // What programs would have now and have not said before: processors by part, by token. Each
  // change is returned once.
  std::map<std::string, int64_t> TakeWants() { return std::exchange(wants_, {}); }
  // The time from TERM at the end of a walltime to KILL.
  void SetWalltimeGrace(BootSpan grace) { walltime_grace_ = grace; }

  // Carries out all changes due up to `now`, in order of time; at one instant, in the order of the
  // parts' StartPart commands. REQUIRES: boot time never goes back.
  void Advance(Now now);
  // When the next change is due; nothing happens before unless a command causes it.
  std::optional<BootInstant> Next() const;

  // As Driver's methods. Commands take effect at the time of the last Advance.
  void Do(const Command& command);
  std::vector<Event> Take();
  bool HasEvents() const { return !outbox_.empty() || (outsiders_ && outsiders_->HasEvents()); }

  // The daemon dies: events not taken yet are lost, and parts go on without a daemon to hear of
  // them.
  void CrashDaemon();
  // The machine restarts: nothing runs any more, and the end of every part without an exit record
  // is unknown.
  void Reboot();
  // The part runs here since `started_at`, started by an earlier daemon. Its fate is as of any
  // other; it does not end before now. REQUIRES: the token is new; `started_at` is not after now.
  void Adopt(const StartPart& command, Moment started_at);
  // The shepherd of this part is killed with all of its processes: its end is unknown.
  void LoseShepherd(const std::string& token);

  // For checkers: every try that was not forgotten, by token.
  const std::map<std::string, SimulatedPart>& parts() const { return parts_; }

 private:
  void Start(const StartPart& command);
  void StartAgain(SimulatedPart& part);
  void KeepOut(SimulatedPart& part);
  void Stop(const StopPart& command);
  void Limit(const LimitPart& command);
  void Resize(const ResizePart& command);
  void Pause(const PausePart& command);
  void Resume(SimulatedPart& part);
  SimulatedPart* Running(const std::string& token);
  void Find(const FindParts& command);
  void Forget(const ForgetPart& command);
  void Read(const ReadOutput& command);

  // What runs beside each other has changed at this time: programs go on at their new speed.
  void Surround(BootInstant at);
  // Brings the program up to this time, in the surroundings that it had until then.
  void Progress(SimulatedPart& part, BootInstant at);
  Environment AroundOf(const SimulatedPart& part) const;

  // What parts have of each node; all of them, or those that no wall protects.
  Outsiders::Ours OnNodes(bool all) const;
  bool HasRoom(const SimulatedPart& part) const;
  void Settle();
  void Happen(SimulatedPart& part);
  void TakeNodes(SimulatedPart& part);
  void Launch(SimulatedPart& part);
  void Terminate(SimulatedPart& part, schemas::EndedBy by, BootSpan grace);
  void Finish(SimulatedPart& part);
  void Lose(SimulatedPart& part);
  void Schedule(SimulatedPart& part, BootInstant due);
  void Unschedule(const SimulatedPart& part);
  void Tell(SimulatedPart& part, Event event);
  Moment WallAt(BootInstant at) const;

  Facts facts_ = SimulatedFacts();
  std::optional<Outsiders> outsiders_;
  FateOf fate_of_;
  std::map<std::string, SimulatedFate> fates_;  // by part name
  BootSpan walltime_grace_ = Milliseconds(700);
  Now now_;
  std::map<std::string, SimulatedPart> parts_;
  std::map<std::string, std::string> newest_;  // part name -> token of its newest try
  std::map<std::string, std::pair<std::string, std::string>> outputs_;  // part name -> both streams
  std::set<std::tuple<BootInstant, uint64_t, std::string>> agenda_;
  uint64_t sequence_ = 0;
  // A missing trace proves nothing to the first daemon after a boot, nor to later ones until a
  // daemon has sent StartPart or FindParts.
  bool traces_may_be_lost_ = true;
  bool boot_remembered_ = false;
  std::vector<Event> outbox_;
  std::shared_ptr<const Applications> applications_;
  // What all programs draw: by node, and how many share the storage.
  std::map<std::string, Draws> drawn_;
  int64_t storage_sharers_ = 0;
  std::map<std::string, int64_t> wants_;  // by token, not yet taken
};

// A daemon's driver on the machine. Copyable: in a copied world each driver must be attached to the
// copied machine. REQUIRES: the machine outlives the driver, and CrashDaemon is called between two
// drivers of one machine.
class SimulatedDriver : public Driver {
 public:
  explicit SimulatedDriver(SimulatedMachine* machine) : machine_(machine) {}
  void Attach(SimulatedMachine* machine) { machine_ = machine; }
  const Facts& facts() const override { return machine_->facts(); }
  void Do(const Command& command) override { machine_->Do(command); }
  std::vector<Event> Take() override { return machine_->Take(); }

 private:
  SimulatedMachine* machine_;
};

}  // namespace muster::driver
