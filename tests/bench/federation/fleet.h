// Real daemons for a benchmark, in a temporary folder: one meta with its users, any number of
// sites. They are started, killed and started again by pid, and gone when the fleet is.
#pragma once

#include <sys/types.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/io/entropy.h"
#include "base/io/transport.h"

namespace muster::bench {

struct FleetOptions {
  std::string programs;                   // folder of muster-metad and muster-sited
  int users = 8;                          // user0, user1, ...
  std::vector<std::string> sites;         // each 64 nodes of 64 cpus
  std::vector<std::string> absent_sites;  // listed, and never started
  std::string driver = "process";
  std::string threshold = "inf";  // of extraction
  bool operators = false;         // all users are operators
  bool lends = false;             // the sites lend idle room to jobs of QoS "idle"
  bool paid = false;  // each processor and hour costs a credit of an account that all have
};

class Fleet {
 public:
  // Starts everything; returns when the meta listens. Aborts with a message if it does not.
  explicit Fleet(const FleetOptions& options);
  ~Fleet();

  // A connection of that user.
  std::unique_ptr<io::Client> Connect(int user) const;
  // Waits until every site is UP at the meta.
  void AwaitSites() const;
  // SIGKILL, and the start after it.
  void KillMeta();
  void StartMeta();
  const std::string& folder() const { return folder_; }

 private:
  pid_t Spawn(const std::string& program, const std::string& name);
  void WriteConfigs();

  FleetOptions options_;
  std::string folder_;
  int port_ = 0;
  io::KeyPair meta_keys_;
  std::map<std::string, io::KeyPair> site_keys_;
  std::vector<io::KeyPair> user_keys_;
  std::map<std::string, pid_t> pids_;
};

}  // namespace muster::bench
