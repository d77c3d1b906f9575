// A driver without processes: parts run in virtual time, for as long as their fate says. The
// simulator, what-if questions and the fault campaign use it; the cores see no difference to the
// process driver.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/time.h"
#include "site/driver/driver.h"

namespace muster::driver {

// What will happen to one try of a part. The default runs its whole walltime and exits with 0.
struct SimulatedFate {
  std::string cannot_start;  // not empty: nothing runs, and this is why
  BootSpan start_delay;      // from the command to the start; until then no lock is held
  std::optional<BootSpan>
      runs;  // absent: exactly its walltime. More than that: the walltime ends it
  int32_t exit_code = 0;
  std::optional<int32_t> signal;  // it ends by this signal instead (a crash)
  BootSpan after_term;            // its processes stay this long after TERM, but not beyond KILL
  BootSpan after_kill;            // and this long after KILL (stuck in the kernel)
  std::string output;             // all of its standard output, written at the start
  std::string error_output;
  bool operator==(const SimulatedFate&) const = default;
};

// The truth about one try.
struct SimulatedPart {
  enum class Stage : uint8_t { kSpawning, kRunning, kEnding, kEnded, kNeverRan, kLost };
  StartPart command;
  SimulatedFate fate;
  Stage stage = Stage::kSpawning;
  BootInstant due;        // of its next change; meaningless from kEnded on
  uint64_t sequence = 0;  // orders changes due at the same instant
  bool watched = false;   // the present daemon hears of it
  BootInstant killed_at;  // kEnding: KILL is sent then
  BootInstant started;    // from kRunning on
  Moment started_at;
  PartEnded ended;  // from kEnding on: how; kEnded: complete
};

// The machine on which simulated parts run: a value that outlives daemons, so it holds the truth
// that a restarted daemon asks for. Pure: time comes by Advance; the fates must not depend on
// anything but the command.
class SimulatedMachine {
 public:
  using FateOf = std::function<SimulatedFate(const StartPart&)>;

  // Fates, in this order: of SetFate, of `fate_of`, the default.
  explicit SimulatedMachine(FateOf fate_of = nullptr) : fate_of_(std::move(fate_of)) {}
  // The fate of every later try of this part.
  void SetFate(const std::string& part_name, SimulatedFate fate);
  // From now on all parts run their whole walltime, those that run already too: what a plan knows
  // of them. For copies that are run ahead of their time.
  void ForgetFates();
  // KILL follows the TERM of a walltime after this.
  void SetWalltimeGrace(BootSpan grace) { walltime_grace_ = grace; }

  // Lets everything happen that is due up to `now`, in order of time, then of command. REQUIRES:
  // boot never goes back.
  void Advance(Now now);
  // When something happens next; nothing happens before it unless a command says so.
  std::optional<BootInstant> Next() const;

  // A driver's two methods; commands take effect at the instant of the last Advance.
  void Do(const Command& command);
  std::vector<Event> Take() { return std::exchange(outbox_, {}); }
  bool HasEvents() const { return !outbox_.empty(); }

  // The daemon dies: what was not taken is lost, parts go on unwatched.
  void CrashDaemon();
  // The machine restarts: nothing runs any more, and of what had no end on record nobody can tell.
  void Reboot();
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
  void Find(const FindParts& command);
  void Forget(const ForgetPart& command);
  void Read(const ReadOutput& command);

  void Settle();
  void Happen(SimulatedPart& part);
  void Launch(SimulatedPart& part);
  void Terminate(SimulatedPart& part, schemas::EndedBy by, BootSpan grace);
  void Finish(SimulatedPart& part);
  void Lose(SimulatedPart& part);
  void Schedule(SimulatedPart& part, BootInstant due);
  void Unschedule(const SimulatedPart& part);
  void Tell(const SimulatedPart& part, Event event);
  Moment WallAt(BootInstant at) const;

  FateOf fate_of_;
  std::map<std::string, SimulatedFate> fates_;  // by part name
  BootSpan walltime_grace_ = Milliseconds(700);
  Now now_;
  std::map<std::string, SimulatedPart> parts_;
  std::map<std::string, std::string> newest_;  // part name -> token of its newest try
  std::map<std::string, std::pair<std::string, std::string>> outputs_;  // part name -> both streams
  std::set<std::tuple<BootInstant, uint64_t, std::string>> agenda_;
  uint64_t sequence_ = 0;
  // A token without a trace proves nothing to the first daemon after a boot, nor to those after it
  // until one has started or asked for something.
  bool traces_may_be_lost_ = true;
  bool boot_remembered_ = false;
  std::vector<Event> outbox_;
};

// A daemon's view of the machine. Copyable; a copied world re-attaches its drivers to its own
// machines. REQUIRES: the machine outlives the driver, and CrashDaemon is called between two
// drivers of one machine.
class SimulatedDriver : public Driver {
 public:
  explicit SimulatedDriver(SimulatedMachine* machine) : machine_(machine) {}
  void Attach(SimulatedMachine* machine) { machine_ = machine; }
  void Do(const Command& command) override { machine_->Do(command); }
  std::vector<Event> Take() override { return machine_->Take(); }

 private:
  SimulatedMachine* machine_;
};

}  // namespace muster::driver
