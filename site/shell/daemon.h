// The site's shell: receives, decodes, steps the core, commits one synced batch, then sends, then
// lets the driver act. It decides nothing. architecture.md section 3, rule 1.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/io/clock.h"
#include "base/io/disk_watch.h"
#include "base/io/recording.h"
#include "base/io/store.h"
#include "base/io/transport.h"
#include "base/status.h"
#include "schemas/turns.h"
#include "site/core.h"
#include "site/driver/driver.h"

namespace muster::site {

// What a configuration that was read again says.
struct Reloaded {
  Options options;
  std::vector<io::AllowedKey> users;  // keys heard by the listener
  int64_t min_free_bytes = 0;
  std::vector<std::string> notes;   // what differs and takes a restart, one line each
  schemas::CoreOrigin origin = {};  // of the options: for the recording
};

// What the shell stands on. All outlive it; one thread uses them.
struct Surroundings {
  io::Store& store;
  io::Client& meta;
  io::Clock& clock;
  driver::Driver& driver;
  int64_t min_free_bytes = 0;     // less free disk than this: creating orders are refused
  io::Server* clients = nullptr;  // where the site's own users dial; none: nowhere
  // Reads the configuration again, for Reload; empty: there is nothing to read.
  std::function<Diagnosed<Reloaded>()> read_again = {};
  io::Recording* recording = nullptr;  // where turns are recorded; null: nowhere
  schemas::CoreOrigin origin = {};     // of the options: for the recording
};

class Daemon {
 public:
  // A daemon whose core was loaded from the store. Errors: an unreadable store, a store of another
  // site.
  static absl::StatusOr<Daemon> Open(Options options, const Surroundings& around);

  // One turn: waits at most `wait` for a message or a driver's event, then does all that follows.
  // An error means the store failed: the process must exit, nothing further was sent or started.
  absl::Status Turn(BootSpan wait);

  // Reads the configuration again and goes on by it: a core of a new incarnation from the same
  // store, under the driver that keeps its parts, and the listener's keys. A file that is wrong
  // changes nothing. Says in the log what came of it, and gives it as one line.
  std::string Reload();

 private:
  Daemon(Core core, const Surroundings& around)
      : core_(std::move(core)), around_(around), disk_(around.min_free_bytes) {}
  std::vector<Event> Gather(BootSpan wait);
  void HearClients(std::vector<Event>& events);
  void WatchDisk(BootInstant now, std::vector<Event>& events);
  void Record(std::string_view frame);
  absl::Status Carry(const Effects& effects);
  decltype(schemas::ToClient::body) TryReload();
  void AnswerReloads(const std::vector<ClientLine>& askers);

  Core core_;
  Surroundings around_;
  std::optional<BootInstant> next_ =
      BootInstant{0};  // due at once: the new incarnation is written first
  io::DiskWatch disk_;
};

}  // namespace muster::site
