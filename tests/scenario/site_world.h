// One site's core with a store in memory, a clock that scenarios turn, and a meta and driver whose
// words they write.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "site/core.h"
#include "tests/scenario/script.h"

namespace muster::scenario {

// After every turn the core rebuilt from the store must have the live core's digest (G7), and no
// node may be booked beyond what it has at any second (G2); a breach is a test failure.
class SiteWorld {
 public:
  SiteWorld();

  // Runs one command; the lines of its trace.
  std::vector<std::string> Run(const Command& command);

 private:
  using Lines = std::vector<std::string>;

  Now At() const;
  void Boot();  // loads the core from the store
  Lines Turn(const std::vector<site::Event>& events);
  Lines Apply(const site::Effects& effects);
  void CheckRebuild() const;
  void CheckBookings() const;
  Lines Advance(int64_t milliseconds);
  Lines Meta(decltype(schemas::ToSite::body) body, const Command& command);
  Lines Drive(driver::Event event) { return Turn({site::DriverSays{std::move(event)}}); }

  Lines MakeSite(const Command& command);
  Lines Restart(const Command& command);
  Lines Hold(const Command& command);
  Lines Welcome(const Command& command);
  Lines Driver(const Command& command);
  // site_asks.cc
  Lines Propose(const Command& command);
  Lines Submit(const Command& command);
  Lines Inspect(const Command& command);
  Lines Steer(const Command& command);
  schemas::ProposalEntry EntryOf(const Command& command) const;
  std::optional<schemas::Order> OrderOf(const Command& command) const;
  schemas::HoldOrder HoldOf(const Command& command) const;
  std::vector<schemas::PartDemand> PartsOf(const Command& command) const;
  Instant InstantOf(const std::string& seconds) const;
  IntervalSet StartsOf(const std::string& text) const;

  // What happens to the next turn's effects.
  enum class Crash { kNone, kBeforeWrite, kAfterWrite };

  site::Options options_;
  std::optional<site::Core> core_;
  std::map<std::string, schemas::SiteRecord> store_;
  int64_t now_ms_ = 0;          // since zero
  int64_t boot_offset_ms_ = 0;  // boot clock - time since zero
  int64_t wall_offset_ms_ = 0;  // a wall clock that jumped
  uint64_t incarnation_ = 0;
  uint64_t epoch_ = 1;
  Fence floor_;
  uint64_t acknowledged_ = 0;
  PlanRevision capacity_;
  bool answers_beats_ = false;  // the meta is there
  bool shows_beats_ = false;
  Crash crash_ = Crash::kNone;
  std::optional<BootInstant> next_;
  uint64_t message_ = 0;
};

}  // namespace muster::scenario
