// Replays the recorded turns of a daemon. A core that is stepped through the recorded events and
// clocks must produce the recorded effects, byte for byte. A difference means that the core depends
// on something outside its inputs (a clock, hash order, an address), or that the program has
// another version. ADR 35.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "meta/options.h"
#include "schemas/turns.h"
#include "site/options.h"

namespace muster::sim {

// Rebuilds the options that a core was created with. For a recorded daemon they come from its
// recorded configuration.
struct OptionsAgain {
  std::function<absl::StatusOr<meta::Options>(const schemas::CoreOrigin&)> meta;
  std::function<absl::StatusOr<site::Options>(const schemas::CoreOrigin&)> site;
  // For a meta that reloaded its configuration: `file` is the text of the new one.
  std::function<absl::StatusOr<meta::Options>(const schemas::CoreOrigin&, const std::string& file)>
      reread;
};

struct AgainResult {
  std::string daemon;  // meta, site
  // cores created in the recording: one per start, at a site also one per reload
  uint64_t cores = 0;
  uint64_t turns = 0;        // turns replayed
  uint64_t events = 0;       // events in these turns
  uint64_t batch_bytes = 0;  // bytes of effects compared
  // The daemon ended within its last turn: that turn is replayed, but there are no recorded effects
  // to compare.
  bool unfinished = false;
  std::string difference;  // the first difference, several lines of text; empty if there is none
};

// Errors: `frames` is not a recording, or one of another version of muster; a configuration that
// cannot be parsed.
absl::StatusOr<AgainResult> TakeAgain(const std::vector<std::string>& frames,
                                      const OptionsAgain& options);

// Rebuilds options from the recorded configurations, as the daemons do.
OptionsAgain OptionsOfDaemons();

}  // namespace muster::sim
