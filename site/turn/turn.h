// The lowest room of a site: its options, the time, and the effects of the present turn. Every
// other room is derived from the one below it. So each room keeps its members private, no room can
// call one above it, and a site is copied as one value.
#pragma once

#include <string>
#include <utility>

#include "base/time.h"
#include "site/options.h"
#include "site/turn/effects.h"
#include "verifier/plan_clock.h"

namespace muster::site {

// Invariant: the time stays the same from BeginTurn to TakeEffects; effects keep the order in which
// the rooms asked for them.
class Turn {
 public:
  Turn(Options options, Now now) : options_(std::move(options)), clock_(now), turn_(now) {}

  const Options& options() const { return options_; }
  const Now& turn() const { return turn_; }
  // Plan time.
  Moment now() const { return clock_.Read(); }
  Instant now_floor() const { return clock_.Read().Floor(); }
  const verifier::PlanClock& plan_clock() const { return clock_; }
  // The store's file system is below its reserve mark: no new work is accepted.
  bool disk_low() const { return disk_low_; }

  // True if the plan clock took another offset: all timers have to be checked again.
  bool BeginTurn(Now now);
  void SetDiskLow(bool low) { disk_low_ = low; }
  // All effects of this turn, handed over once.
  Effects TakeEffects() { return std::exchange(effects_, {}); }

  // One line for the log.
  void Note(std::string text) { effects_.notes.push_back(std::move(text)); }
  // Notes that something from the meta was ignored.
  void Nonsense(const std::string& what) { Note("not taken from the meta: " + what); }
  void Drive(driver::Command command) { effects_.driver.push_back(std::move(command)); }
  void Send(schemas::ToMeta message) { effects_.to_meta.push_back(std::move(message)); }
  void Send(ClientAnswer answer) { effects_.to_clients.push_back(std::move(answer)); }
  void ReadAgain(ClientLine line) { effects_.reloads.push_back(std::move(line)); }

 protected:
  // Gives up the lost resources of a node for good. Returns what the node has left if it had lost
  // any, else null.
  const ResourceSet* ForgetLost(const std::string& node);

 private:
  Options options_;
  verifier::PlanClock clock_;
  Now turn_;
  bool disk_low_ = false;
  Effects effects_;
};

}  // namespace muster::site
