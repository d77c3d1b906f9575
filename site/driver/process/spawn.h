// Starts and signals shepherds. The daemon never forks: ZeroMQ and RocksDB are open in it.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/status.h"
#include "base/time.h"

namespace muster::driver {

// `program FOLDER TOKEN` with empty environment, the null device as its streams, `news_fd` as the
// descriptor that part_folder.h names, and its stop signals blocked from its first instruction, so
// that no stop is lost.
absl::StatusOr<pid_t> SpawnShepherd(const std::string& program, const std::string& folder,
                                    const std::string& token, int news_fd, int null_fd);

// Asks the shepherd behind this pidfd to end its part by TERM, and by KILL after `grace`.
void AskToStop(int pidfd, BootSpan grace);

// Tells it what LookSignal of part_folder.h carries.
void AskToLook(int pidfd, int word);

// A descriptor that becomes readable when the process ends; -1 with errno.
int OpenPidfd(pid_t pid);

}  // namespace muster::driver
