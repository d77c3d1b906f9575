// Programs of simulated parts whose speed depends on what runs beside them. Maui Sect. IV
// (Application Level Simulations). The machine calls them when their surroundings change; a part
// without one runs for as long as its fate says. Pure and in integers, so that runs repeat.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/time.h"
#include "site/driver/driver.h"

namespace muster::driver {

// What parts draw from what they share, in MB/s (or any other unit, the same in Media). `network`
// from the link of each of its nodes and `memory` from each node, for each processor there;
// `storage` counts as one of those among whom the site's storage is divided.
struct Draws {
  int64_t network = 0;
  int64_t memory = 0;
  bool storage = false;
  bool operator==(const Draws&) const = default;
};

// What a machine has of it. 0: more than anybody asks for.
struct Media {
  int64_t network = 0;  // link of each node
  int64_t memory = 0;   // each node
  int64_t storage = 0;  // of the site
};

// The surroundings of a part, its own draws included. Loads are what is asked of the busiest of its
// links (or nodes), over what that carries, in thousandths.
struct Environment {
  int64_t network_load = 0;
  int64_t memory_load = 0;
  int64_t storage_sharers = 0;
  int64_t processors = 1;  // that it has
  Media media;
};

// How far a program is; the machine keeps it. Work is counted in microseconds at full speed.
struct AppState {
  int64_t left = 0;  // of its stage
  int64_t rate = 0;  // thousandths of full speed, since `as_of`
  BootInstant as_of;
  uint32_t stage = 0;
  bool done = false;
  std::array<int64_t, 3> stages{};  // work of each; 0: there is none
  int64_t busy = 0;                 // milliseconds in which its processors were
  int64_t began_with = 1;           // processors
  int64_t nodes = 1;
  bool operator==(const AppState&) const = default;
};

struct AppStep {
  std::optional<BootSpan> next;  // until its stage is over at this rate; none: it is done or stands
  int64_t wants = 0;             // processors that it would have; 0: as many as it has
};

// A model of a program.
class Application {
 public:
  virtual ~Application() = default;
  // A program that begins now. `runs`: how long it takes alone, with as many processors as it has.
  virtual AppState Initialise(const StartPart& start, BootSpan runs, const Media& media,
                              BootInstant now) const = 0;
  // What it draws in its present stage.
  virtual Draws DrawsOf(const AppState& state) const = 0;
  // Its surroundings have changed, or its stage is over.
  virtual AppStep Update(AppState& state, const Environment& around, BootInstant now) const = 0;
  // Processor time that each of its processors used; `elapsed` since its start, without pauses.
  virtual BootSpan Finalise(const AppState& state, BootSpan elapsed) const = 0;
};

// The programs of a machine. Pure: a command always has the same.
class Applications {
 public:
  virtual ~Applications() = default;
  virtual const Media& media() const = 0;
  // Null: it has no model, and runs for as long as its fate says.
  virtual const Application* Of(const StartPart& start) const = 0;
};

}  // namespace muster::driver
