// Changes of a running part: its walltime and its chunk sets.
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
  const auto serial = serials_.find(command.token);
  if (serial == serials_.end()) return;
  WriteLimit(FolderOf(command.token), command.walltime).IgnoreError();
  Tell(live_.at(serial->second),
       static_cast<int>(std::clamp<int64_t>(command.walltime.seconds, 1, INT_MAX)));
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
  if (put.ok() && *put == Put::kChanged) Tell(live, shepherd::kResized);
}

void ProcessDriver::Tell(Live& live, int word) {
  if (live.pidfd) {
    AskToLook(live.pidfd.get(), word);
  } else {
    live.words.push_back(word);
  }
}

}  // namespace muster::driver
