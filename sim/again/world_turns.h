// Records the turns of all daemons of a simulated world and replays them: shows that a core depends
// on its inputs alone, also after crashes.
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
  // `options` are those of the world to record.
  explicit TurnsOfWorld(const WorldOptions& options);

  // The function to set as WorldOptions::record.
  std::function<void(const std::string& host, std::string_view frame)> Recorder();

  // Replays all turns. Returns one text for each daemon whose replayed effects differ from the
  // recorded ones, or whose turns cannot be replayed.
  std::vector<std::string> Differences() const;

  // Recorded frames by daemon.
  const std::map<std::string, std::vector<std::string>>& frames() const { return frames_; }
  const OptionsAgain& options() const { return options_; }

 private:
  OptionsAgain options_;
  std::map<std::string, std::vector<std::string>> frames_;
};

}  // namespace muster::sim
