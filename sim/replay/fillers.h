// Work that fills what a replay leaves idle: jobs of one processor that are promised nothing and
// have lent room alone. There are always as many of them as processors: each that ends is followed
// by another. Maui Sect. IV (bottom feeders: "virtually 100% system utilization"); scheduling.md
// section 18.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/interval.h"
#include "base/time.h"
#include "meta/options.h"
#include "schemas/request.h"
#include "site/driver/driver.h"
#include "site/driver/simulated/simulated_driver.h"

namespace muster::sim {

struct ReplaySite;

// Their user and their QoS.
inline constexpr char kFiller[] = "filler";
// How long they take to save their work, if they do; their grace is 20 s.
inline constexpr Span kFillerSaves{10};

struct FillerRules {
  Span runs;               // of each; 0: there are none
  std::string way = "no";  // "requeue", "checkpoint"
  bool IsOn() const { return runs > Span{0}; }
};

// The QoS of fillers: nothing is safe for long, and a hundred recalls.
void TellMeta(const FillerRules& rules, meta::Options& meta);

// What fillers did in a replay, up to its last job's end.
struct FillerOutcome {
  struct Life {
    Interval span;
    int64_t processors = 0;
  };
  std::vector<Life> lives;  // in the order of their ends; those that still run are last
  size_t ended = 0;         // fillers that did all their work
  uint64_t recalls = 0;
  int64_t lost = 0;  // processor-seconds of recalled lives that were not saved
};

struct FillerFigures {
  double utilisation = 0;  // of all sites with fillers, over CoreOf(jobs); 0-1
  size_t ended = 0;
  uint64_t recalls = 0;
  double lost = 0;  // of the time that fillers had
};
// `without`: the utilisation of the jobs alone. REQUIRES: there are jobs.
FillerFigures MeasureFillers(const std::vector<ReplaySite>& sites, Interval core, double without,
                             const FillerOutcome& outcome);

class Fillers {
 public:
  // Numbers of fillers begin at `first`.
  Fillers(FillerRules rules, size_t count, size_t first);

  bool Owns(size_t number) const { return number >= first_; }
  // Numbers to submit now: all at first, then one for each that has ended since the last call.
  std::vector<size_t> TakeDue();
  schemas::RequestSpec SpecOf(size_t number, const std::vector<ReplaySite>& sites) const;

  void Started(const driver::StartPart& command, Moment at);
  void Gone(const driver::StartPart& command, const driver::PartEnded& ended);
  void Ended(size_t number);  // its request has ended
  // Those that run at `at` end then.
  FillerOutcome TakeOutcome(Moment at);

 private:
  FillerRules rules_;
  size_t first_ = 0;
  size_t next_ = 0;                            // number of the next one
  size_t due_ = 0;                             // to be submitted
  std::map<std::string, Moment> began_;        // lives that run, by token
  std::map<std::string, int64_t> processors_;  // the same
  std::vector<bool> over_;                     // by number, from first_
  FillerOutcome outcome_;
};

}  // namespace muster::sim
