// The turns of a simulated world's daemons, recorded as daemons do and taken again: cores that know
// only what they are told, whatever happens to them.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/again/again.h"
#include "sim/world.h"

namespace muster::sim {

class TurnsOfWorld {
 public:
  // Of a world with these options.
  explicit TurnsOfWorld(const WorldOptions& options);

  // What a world's `record` is to be. REQUIRES: this outlives the world.
  std::function<void(const std::string& host, std::string_view frame)> Recorder();

  // Takes all turns again; a line for each daemon that wants something else than it did.
  std::vector<std::string> Differences() const;

  // By daemon.
  const std::map<std::string, std::vector<std::string>>& frames() const { return frames_; }
  const OptionsAgain& options() const { return options_; }

 private:
  OptionsAgain options_;
  std::map<std::string, std::vector<std::string>> frames_;
};

}  // namespace muster::sim
