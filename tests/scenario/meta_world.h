// A federation of scripted sites around the meta's core, with users whose words scenarios write and
// a clock that they turn. At each turn's end the core is rebuilt from its records and compared
// (G7).
//
//   sites hills lakes threshold=3600     the federation; ask= (sites asked at once), home= (of
//   kim),
//                                        queues=; `hello` opens the links of all its sites, `hello
//                                        hills` that of one
//   submit hills lakes|woods:4x1 apart   parts: where (`any`: anywhere), chunks x cpus, +offset;
//                                        flags; for= from= until= at= after= …; script= (bytes),
//                                        where= (a site that need not be there), once= (key), made=
//                                        (when the key was generated)
//   cancel, hold, release, alter JOB     words of cli.md, user=NAME; `ask` and `slots` take what
//                                        submit does
//   show JOB [events], show sites        what a user is shown; `output JOB`, `plans`
//   follow JOB                           each change is told, until the job has ended
//   after SECONDS, at SECONDS            time passes
//   skip SECONDS                         time passes in one step: nobody says anything meanwhile
//   disk low | free                      the meta's disk is nearly full, or has room again
//   entropy off | on                     whether secrets can be drawn for permits
//   crash before=STATE | after=STATE     the daemon dies as it writes an attempt in that state:
//                                        before the write, or after it and before anything is
//                                        sent
//   restart                              the daemon starts from its records; what was under way is
//                                        lost, and links are down until `hello`
//   hills ready 1.1                      what a site does or says: see meta_says.cc
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/scenario/meta_trace.h"
#include "tests/scenario/script.h"
#include "tests/scenario/scripted_federation.h"

namespace muster::scenario {

class MetaWorld : private ScriptedFederation {
 public:
  // Runs one command; the lines of its trace. Throws BadLine.
  std::vector<std::string> Run(const Command& command);

 private:
  using Lines = std::vector<std::string>;
  using Does = void (MetaWorld::*)(const Command&);

  Fate FateOf(const meta::Effects& effects) override;
  void Asked(const meta::Effects& effects, Fate fate) override;
  void Said(const FakeSite& site, const schemas::ToMeta& message) override;

  static const std::map<std::string, Does>& Commands();
  void MakeSites(const Command& command);
  void Hello(const Command& command);
  void Restart(const Command& command);
  void Crash(const Command& command);
  void After(const Command& command);
  void At(const Command& command);
  void Skip(const Command& command);
  void Entropy(const Command& command);
  void MetaDisk(const Command& command);
  void Wait(int64_t milliseconds);
  void Show(const Command& command);
  void Add(const Lines& lines);

  // meta_clients.cc
  void Submit(const Command& command);
  void Ask(const Command& command);
  void Slots(const Command& command);
  void Cancel(const Command& command);
  void Park(const Command& command);
  void Alter(const Command& command);
  void Settle(const Command& command);
  void Output(const Command& command);
  void Plans(const Command& command);
  void Follow(const Command& command);
  void Drain(const Command& command);
  void Forget(const Command& command);
  void Client(const Command& command, decltype(schemas::ClientMessage::body) body);
  schemas::RequestSpec SpecOf(const Command& command) const;
  schemas::PartSpec PartOf(const std::string& text) const;
  std::vector<schemas::Dependency> AfterOf(const std::string& text) const;

  // meta_says.cc
  static const std::map<std::string, void (MetaWorld::*)(FakeSite&, const Command&)>& Sayings();
  void SiteDoes(FakeSite& site, const Command& command);
  void Room(FakeSite& site, const Command& command);
  void Counters(FakeSite& site, const Command& command);
  void Judges(FakeSite& site, const Command& command);
  void Silent(FakeSite& site, const Command& command);
  void Back(FakeSite& site, const Command& command);
  void Ignores(FakeSite& site, const Command& command);
  void Minds(FakeSite& site, const Command& command);
  void Ready(FakeSite& site, const Command& command);
  void Starts(FakeSite& site, const Command& command);
  void Ends(FakeSite& site, const Command& command);
  void Drops(FakeSite& site, const Command& command);
  void Moves(FakeSite& site, const Command& command);
  void Offers(FakeSite& site, const Command& command);
  void SaysOf(FakeSite& site, const Command& command);
  void Answers(FakeSite& site, const Command& command);
  void Has(FakeSite& site, const Command& command);
  void Forks(FakeSite& site, const Command& command);
  void Repeats(FakeSite& site, const Command& command);
  void Beats(FakeSite& site, const Command& command);
  void Disk(FakeSite& site, const Command& command);
  void Claims(FakeSite& site, const Command& command);
  void Garbage(FakeSite& site, const Command& command);
  void Restarts(FakeSite& site, const Command& command);
  schemas::Cause CauseOf(const FakeSite& site, const Command& command) const;

  FakeSite* SiteOf(const std::string& name);
  Instant InstantOf(const std::string& seconds) const;
  IntervalSet StartsOf(const std::string& text) const;
  int64_t ElapsedMs() const { return now_.wall.milliseconds - kBegin * 1000; }

  MetaTrace trace_{Instant{kBegin}};
  Lines lines_;          // of the command that runs
  bool quiet_ = false;   // a question of `show`, whose answer is shown otherwise
  int64_t stamped_ = 0;  // the time that the trace tells last
  std::optional<schemas::AttemptState> dies_at_;
  Fate death_ = Fate::kLives;
};

}  // namespace muster::scenario
