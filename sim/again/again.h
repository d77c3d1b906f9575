// Recorded turns taken again: the same core, stepped through the events and clocks that a daemon
// wrote down, must want the same again, byte for byte. What it does not is a core that knows more
// than it is told (a clock, an order of hashes, an address), or another program. ADR 35.
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

// The options that a core was made of; of a recorded daemon from its configuration.
struct OptionsAgain {
  std::function<absl::StatusOr<meta::Options>(const schemas::CoreOrigin&)> meta;
  std::function<absl::StatusOr<site::Options>(const schemas::CoreOrigin&)> site;
  // Of a meta that has read its configuration again.
  std::function<absl::StatusOr<meta::Options>(const schemas::CoreOrigin&, const std::string& file)>
      reread;
};

struct AgainResult {
  std::string daemon;        // meta, site
  uint64_t cores = 0;        // that began
  uint64_t turns = 0;        // taken again
  uint64_t events = 0;       // of these
  uint64_t batch_bytes = 0;  // compared
  bool unfinished = false;  // the daemon ended within the last turn, which was taken without a word
  std::string difference;   // the first one, in lines; empty: there is none
};

// Errors: frames that make no recording, or are of another version of muster; a configuration that
// is not understood.
absl::StatusOr<AgainResult> TakeAgain(const std::vector<std::string>& frames,
                                      const OptionsAgain& options);

// From the configurations that the daemons had.
OptionsAgain OptionsOfDaemons();

}  // namespace muster::sim
