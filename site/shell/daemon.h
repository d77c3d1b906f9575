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
#include "site/shell/record_pages.h"

namespace muster::site {

// What a reload takes from the configuration file.
struct Reloaded {
  Options options;
  std::vector<io::AllowedKey> users;  // keys that the listener accepts
  int64_t min_free_bytes = 0;
  std::vector<std::string> notes;   // changes that take effect only at a restart, one line each
  schemas::CoreOrigin origin = {};  // where the options came from, for the recording
};

// What the shell needs. All of it outlives the shell and is used by one thread.
struct Surroundings {
  io::Store& store;
  io::Client& meta;
  io::Clock& clock;
  driver::Driver& driver;
  int64_t min_free_bytes = 0;     // with less free disk than this, creating orders are refused
  io::Server* clients = nullptr;  // listener for the site's own users; null: none
  // Reads the configuration again: its file, or this text of it, where only the driver's facts are
  // others. Empty: this daemon has no file to read.
  std::function<Diagnosed<Reloaded>(const std::string* text)> read_again = {};
  io::Recording* recording = nullptr;  // records the turns; null: they are not recorded
  schemas::CoreOrigin origin = {};     // where the options came from, for the recording
};

class Daemon {
 public:
  // Loads the core from the store. Errors: an unreadable store, a store of another site.
  static absl::StatusOr<Daemon> Open(Options options, const Surroundings& around);

  // One turn: waits at most `wait` for a message or a driver event, then handles what arrived. An
  // error means that the store failed: nothing further was sent or started, and the process must
  // exit.
  absl::Status Turn(BootSpan wait);

  // Reads the configuration again and applies it: loads a core of a new incarnation from the same
  // store, and gives the listener its new keys. The driver stays and keeps its parts. A faulty file
  // changes nothing. Logs the result and returns it as one line. The same happens, without the
  // file, when the driver says that its machine is another.
  std::string Reload();

 private:
  Daemon(Core core, const Surroundings& around)
      : core_(std::move(core)), around_(around), disk_(around.min_free_bytes) {}
  std::vector<Event> Gather(BootSpan wait);
  void HearClients(std::vector<Event>& events);
  void WatchDisk(BootInstant now, std::vector<Event>& events);
  void Record(std::string_view frame);
  absl::Status Carry(Effects effects);
  using Answer = decltype(schemas::ToClient::body);
  Answer TryReload();
  void TakeFacts();
  Answer Apply(const Diagnosed<Reloaded>& read);
  void AnswerReloads(const std::vector<ClientLine>& askers);

  Core core_;
  Surroundings around_;
  std::optional<BootInstant> next_ = BootInstant{0};  // due at once: writes the new incarnation
  io::DiskWatch disk_;
  RecordPages pages_;
};

}  // namespace muster::site
