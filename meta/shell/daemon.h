// The meta's shell: receives, decodes, steps the core, commits one synced batch, and only then
// sends. It decides nothing. architecture.md section 3, rule 1.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/io/clock.h"
#include "base/io/disk_watch.h"
#include "base/io/entropy.h"
#include "base/io/recording.h"
#include "base/io/store.h"
#include "base/io/transport.h"
#include "base/status.h"
#include "meta/core.h"
#include "meta/shell/what_if_program.h"
#include "schemas/turns.h"

namespace muster::meta {

// The services that the shell runs on. They must outlive the shell; one thread uses them.
struct Surroundings {
  io::Store& store;
  io::Server& server;
  io::Clock& clock;
  io::Entropy& entropy;
  int64_t min_free_bytes = 0;  // with less free disk space than this, new work is refused
  // Reads and checks the configuration again.
  std::function<Reconfigured()> reload;
  io::Recording* recording = nullptr;  // where turns are recorded; null: nowhere
  schemas::CoreOrigin origin = {};     // where the options come from, for the recording
  WhatIfProgram what_ifs = {};         // by what what-ifs are answered
};

class Daemon {
 public:
  // Opens a daemon with a core loaded from the store. Errors: an unreadable store, a store of
  // another federation.
  static absl::StatusOr<Daemon> Open(Options options, const Surroundings& around);

  // Runs one turn: waits at most `wait` for messages, then handles them and what is due. An error
  // means that the store failed: nothing further was sent, and the process must exit.
  absl::Status Turn(BootSpan wait);

  // Has the configuration read again with the next turn, after a signal.
  void Reload() { reload_ = true; }

 private:
  Daemon(std::string federation, Core core, const Surroundings& around)
      : federation_(std::move(federation)),
        core_(std::move(core)),
        around_(around),
        disk_(around.min_free_bytes),
        what_if_(std::make_unique<WhatIfRun>(around.what_ifs, around.store)) {}
  std::vector<Event> Decode(std::vector<io::Incoming> incoming);
  void WatchDisk(BootInstant now, std::vector<Event>& events);
  void Record(std::string_view frame);
  absl::Status Step(Now now, std::vector<Event> events);
  absl::Status Carry(const Effects& effects, Now now);
  Reconfigured ReadAgain();
  void Hear(const std::vector<HeardKey>& keys);

  std::string federation_;
  Core core_;
  Surroundings around_;
  std::optional<BootInstant> next_ = BootInstant{0};  // due at once: the new epoch is written first
  io::DiskWatch disk_;
  bool reload_ = false;
  std::unique_ptr<WhatIfRun> what_if_;
};

}  // namespace muster::meta
