// Changes of a running part: its walltime, its chunk sets, and whether it is paused.
#include <algorithm>
#include <climits>
#include <string>
#include <utility>

#include "site/driver/process/process_driver.h"
#include "site/driver/process/spawn.h"
#include "site/driver/shepherd/part_folder.h"

namespace muster::driver {

// The limit file outlives this daemon. The signal carries the walltime, too, so that the shepherd
// gets it even if the disk has no room for the file.
void ProcessDriver::Limit(const LimitPart& command) {
  if (!serials_.contains(command.token)) return;
  WriteLimit(FolderOf(command.token), command.walltime).IgnoreError();
  Tell(command.token, static_cast<int>(std::clamp<int64_t>(command.walltime.seconds, 1, INT_MAX)));
}

void ProcessDriver::Resize(const ResizePart& command) {
  const auto serial = serials_.find(command.token);
  if (serial == serials_.end() || command.place.chunks.empty()) return;
  Live& live = live_.at(serial->second);
  devices_.Adjust(live.devices, command.place);
  // Passes no machine size, so that no limit is left out: a limit that binds nothing must still
  // replace a lower one.
  LimitAnew(cgroups_.GroupsFor(command.token, OnFirstNode(command.place), {}));
  const auto put = WriteNodeFile(FolderOf(command.token), command.place);
  if (put.ok() && *put == Put::kChanged) Tell(command.token, shepherd::kResized);
}

void ProcessDriver::Tell(const std::string& token, int word) {
  const auto serial = serials_.find(token);
  if (serial == serials_.end()) return;
  Live& live = live_.at(serial->second);
  live.words.push_back(word);
  SendWords(live);
}

// In order: a word that finds the signal queue full is tried again by the ticks, and holds up those
// behind it.
void ProcessDriver::SendWords(Live& live) {
  size_t sent = 0;
  while (live.pidfd && sent < live.words.size() && AskToLook(live.pidfd.get(), live.words[sent])) {
    ++sent;
  }
  live.words.erase(live.words.begin(), live.words.begin() + static_cast<std::ptrdiff_t>(sent));
  if (live.words.empty() || !unsure_.insert(live.serial).second) return;
  ArmTimer();
}

}  // namespace muster::driver
