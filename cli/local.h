// A whole federation on this machine, as folders and processes: `up` creates and starts it, `down`
// stops it.
//
//   STATE/muster/NAME/              private to the user
//     federation.toml, user.key     how the command finds it, and the operator's key
//     clusters/, clusters.log       its Slurm clusters, if it was made with some
//     slurm                         how many these are
//     shared/                       what nodes of the clusters and their sites both see
//     lock                          held while `up` or `down` works
//     X/, X.toml, X.key, X.log      for each daemon X: its state, configuration, key and log
//     X.pid                         the pid of daemon X, from its start until it is stopped
//
// An `up` that starts the meta rewrites the tomls; keys and state are kept until `down --purge`.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/failure.h"

namespace muster::cli {

// A slice of this machine that acts as a site: processes, or a Slurm cluster.
struct LocalSite {
  const char* name;
  const char* stem;  // prefix of its nodes' names
  int nodes;
  int cpus;           // per node
  int gpus;           // per node; tokens, not hardware
  const char* walls;  // [slurm] walls of a site beside a cluster; "": it has processes
};
inline constexpr size_t kMostClusters = 2;
// The first `clusters` of them are beside Slurm clusters. REQUIRES: at most kMostClusters.
std::vector<LocalSite> LocalSites(size_t clusters);
inline constexpr size_t kLocalSites = 3;

// One daemon of a local federation.
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
  // Error: `name` is not a valid federation name.
  static Expect<LocalFederation> Of(const std::string& name);

  const std::string& name() const { return name_; }
  const std::string& folder() const { return folder_; }
  bool exists() const;
  // How many of its sites are beside Slurm clusters.
  size_t clusters() const { return clusters_; }
  std::vector<LocalSite> Sites() const { return LocalSites(clusters_); }
  // The meta first, then the sites.
  std::vector<LocalDaemon> Daemons() const;

  // Locks the federation until the process ends. Error: another `up` or `down` holds the lock.
  std::optional<Failure> Lock();
  // Its sites are beside so many clusters from the next Write on. Error: it has been up with
  // another number.
  std::optional<Failure> Choose(size_t clusters);
  // Starts those of its clusters that do not run; ends them, with all that runs there. Nothing if
  // it has none.
  std::optional<Failure> StartClusters() const;
  std::optional<Failure> StopClusters() const;
  // Creates folders, missing keys, and configurations. The meta listens at the first of `ports`,
  // the sites at the others in order.
  std::optional<Failure> Write(const std::vector<uint16_t>& ports) const;
  // One port for each daemon: for the meta 7710, for the sites the ports after it. Any free port
  // replaces one that is taken.
  static Expect<std::vector<uint16_t>> FreePorts();

 private:
  LocalFederation(std::string name, std::string folder);
  std::optional<Failure> RunLab(const std::vector<std::string>& words) const;

  std::string name_;
  std::string folder_;
  size_t clusters_ = 0;
};

// The process named in the daemon's pid file, if it is still that daemon and not another process
// with a reused pid.
std::optional<pid_t> RunningPid(const LocalDaemon& daemon);
// An error if the program of a daemon is not next to this one.
std::optional<Failure> MissingProgram(const std::vector<LocalDaemon>& daemons);
// Starts the daemon detached: in its own session, with stdout and stderr in its log.
std::optional<Failure> StartDaemon(const LocalDaemon& daemon);
// Runs a program beside this one to its end, with its output in the file `log`, anew. An error if
// it cannot be run or fails, with the last lines of what it said.
std::optional<Failure> RunProgram(const std::string& program, const std::vector<std::string>& words,
                                  const std::string& log);
// Sends TERM, then KILL to those still running, and removes the pid files. Returns false if a
// daemon did not end; then the pid files stay.
bool StopDaemons(const std::vector<LocalDaemon>& daemons);
// Sends TERM to the shepherds of parts below the folder. Returns their number.
size_t StopShepherds(const std::string& folder);
// The last lines of the log at `path`.
std::vector<std::string> LogTail(const std::string& path, size_t lines);
// Removes the folder and its contents.
std::optional<Failure> RemoveTree(const std::string& folder);

}  // namespace muster::cli
