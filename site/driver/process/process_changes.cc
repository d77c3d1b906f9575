// What changes of a part while it runs: how long it may, and where it is.
#include <algorithm>
#include <climits>
#include <string>
#include <utility>

#include "site/driver/process/process_driver.h"
#include "site/driver/process/spawn.h"
#include "site/driver/shepherd/part_folder.h"

namespace muster::driver {

// The file outlives us; the word makes the shepherd look now, and works on a full disk.
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
  // Of no machine: a limit that would bind nothing takes the place of one that did.
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
