// A whole federation on this machine, as folders and processes: what `up` makes and `down` takes
// away.
//
//   STATE/muster/NAME/              private to the user
//     federation.toml, user.key     how the command finds it, and the operator's key
//     lock                          held while `up` or `down` works
//     meta/ lakes/ woods/ hills/    each: its toml, its key, `state/`, `log`, and `pid` while it
//     runs
//
// The tomls are written anew by every `up`; keys and state are kept until `down --purge`.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/failure.h"

namespace muster::cli {

// One slice of this machine that acts as a site.
struct LocalSite {
  const char* name;
  const char* stem;  // of its nodes' names
  int nodes;
  int cpus;  // of a node
  int gpus;  // of a node; tokens
};
const std::vector<LocalSite>& LocalSites();

// One daemon of it.
struct LocalDaemon {
  std::string name;     // "meta", "lakes"
  std::string program;  // "muster-metad"
  std::string base;     // STATE/muster/NAME/X
  std::string config() const { return base + ".toml"; }
  std::string log() const { return base + ".log"; }
  std::string pid_file() const { return base + ".pid"; }
};

class LocalFederation {
 public:
  // Names are those of federations in a configuration.
  static Expect<LocalFederation> Of(const std::string& name);

  const std::string& name() const { return name_; }
  const std::string& folder() const { return folder_; }
  bool exists() const;
  // The meta first, then the sites.
  std::vector<LocalDaemon> Daemons() const;

  // Held until the process ends. Errors: somebody else is at work.
  std::optional<Failure> Lock();
  // Folders, keys where they are missing, and configurations: the meta listens at the first of
  // `ports`, the sites at the others in their order.
  std::optional<Failure> Write(const std::vector<uint16_t>& ports) const;
  // One for each daemon: 7710 and those after it where nobody has them, else any free ports.
  static Expect<std::vector<uint16_t>> FreePorts();

 private:
  LocalFederation(std::string name, std::string folder)
      : name_(std::move(name)), folder_(std::move(folder)) {}
  std::string name_;
  std::string folder_;
};

// The process that the daemon's pid file names, if it is still that daemon and not another with its
// number.
std::optional<pid_t> RunningPid(const LocalDaemon& daemon);
// Why one of them cannot be started: its program is not beside this one.
std::optional<Failure> MissingProgram(const std::vector<LocalDaemon>& daemons);
// Starts it detached: a session of its own, its streams to its log.
std::optional<Failure> StartDaemon(const LocalDaemon& daemon);
// TERM, then KILL to those that are left; false if one did not end.
bool StopDaemons(const std::vector<LocalDaemon>& daemons);
// TERM to shepherds whose parts lie below the folder; how many there were.
size_t StopShepherds(const std::string& folder);
// The last lines of its log.
std::vector<std::string> LogTail(const LocalDaemon& daemon, size_t lines);
// Removes the folder and all below it.
std::optional<Failure> RemoveTree(const std::string& folder);

}  // namespace muster::cli
