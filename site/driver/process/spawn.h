// Starts and signals shepherds. The daemon never forks, since it has ZeroMQ and RocksDB open.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/status.h"
#include "base/time.h"

namespace muster::driver {

// Starts `program FOLDER TOKEN` with an empty environment, the null device as its streams, and
// `news_fd` as the descriptor kNewsFd of part_folder.h. The signals by which the driver stops and
// changes a part are blocked from the shepherd's first instruction, so that none is lost.
absl::StatusOr<pid_t> SpawnShepherd(const std::string& program, const std::string& folder,
                                    const std::string& token, int news_fd, int null_fd);

// Asks the shepherd behind this pidfd to end its part by TERM, and by KILL after `grace`.
void AskToStop(int pidfd, BootSpan grace);

// Sends LookSignal of part_folder.h with this value. False if the signal queue is full: the
// shepherd has not heard it.
bool AskToLook(int pidfd, int word);

// A descriptor that becomes readable when the process ends; -1 with errno on an error.
int OpenPidfd(pid_t pid);

}  // namespace muster::driver
