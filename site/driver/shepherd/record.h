// What a shepherd leaves in the folder of its part, and the clocks it reads.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace muster::shepherd {

// How a part ended; written as the exit record.
struct Ending {
  const char* by = nullptr;  // kByExit ...
  int code = -1;             // exit code of the command; -1: none
  int signal = 0;            // that ended it; 0: none
  int64_t started_ms = -1;   // UTC; -1: nothing ran
  int64_t ended_ms = 0;
  int64_t elapsed_ms = 0;
  int64_t cpu_ms = -1;
  int64_t max_rss_bytes = -1;
  const char* text = "";
};

int64_t WallMs();
int64_t BootMs();

// Makes the `started` mark; false if there is one already or it cannot be made.
bool MarkStarted(int folder, int64_t at_ms);
// Puts the exit record into place, whole or not at all.
bool WriteEnding(int folder, const Ending& ending);

}  // namespace muster::shepherd
