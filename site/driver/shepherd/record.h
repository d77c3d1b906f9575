// What a shepherd writes into the token file of its part, and the clocks it reads.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace muster::shepherd {

// How a part ended; written as the exit record.
struct Ending {
  const char* by = nullptr;  // a kBy... word of part_folder.h
  int code = -1;             // exit code of the command; -1: it has none
  int signal = 0;            // signal that ended the command; 0: none
  int64_t started_ms = -1;   // UTC; -1: nothing ran
  int64_t ended_ms = 0;
  int64_t elapsed_ms = 0;  // without the time that it was paused
  int64_t cpu_ms = -1;
  int64_t max_rss_bytes = -1;
  const char* text = "";
};

int64_t WallMs();
int64_t BootMs();

// Each appends to the token file with one write; false if it was not written completely.
bool WritePid(int token);
bool MarkStarted(int token, int64_t at_ms);
bool WriteEnding(int token, const Ending& ending);

// The walltime of an extended part in milliseconds; 0: there is none.
int64_t ReadLimit(int folder);

}  // namespace muster::shepherd
