// Configurations as an operator would write them, and posix_spawn.
#include "tests/bench/federation/fleet.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/io/zmq/client.h"
#include "base/io/zmq/keys.h"
#include "tests/bench/federation/conversation.h"

extern char** environ;

namespace muster::bench {
namespace {

// A port that was free a moment ago.
int FreePort() {
  const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (bind(probe, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    Fail("no free port");
  }
  close(probe);
  return ntohs(address.sin_port);
}

}  // namespace

Fleet::Fleet(const FleetOptions& options) : options_(options) {
  std::string pattern = (std::filesystem::temp_directory_path() / "muster-bench-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) Fail("no temporary folder");
  folder_ = pattern;
  port_ = FreePort();
  const std::unique_ptr<io::Entropy> entropy = io::SystemEntropy();
  meta_keys_ = entropy->NewKeyPair();
  for (const auto* sites : {&options_.sites, &options_.absent_sites}) {
    for (const std::string& site : *sites) site_keys_[site] = entropy->NewKeyPair();
  }
  for (int u = 0; u < options_.users; ++u) user_keys_.push_back(entropy->NewKeyPair());
  WriteConfigs();
  StartMeta();
  for (const std::string& site : options_.sites) pids_[site] = Spawn("muster-sited", site);
}

Fleet::~Fleet() {
  for (const auto& [name, pid] : pids_) kill(pid, SIGKILL);
  for (const auto& [name, pid] : pids_) waitpid(pid, nullptr, 0);
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void Fleet::WriteConfigs() {
  std::ofstream meta(folder_ + "/meta.toml");
  meta << "[meta]\nname = \"bench\"\nlisten = \"tcp://127.0.0.1:" << port_
       << "\"\nkey = \"meta.key\"\n"
       << "state_dir = \"" << folder_ << "/meta\"\nmin_free = \"100mb\"\n"
       << "[scheduler]\nthreshold = \"" << options_.threshold
       << "\"\n[[queue]]\nname = \"normal\"\norder = 4\n";
  if (options_.paid) {
    meta << "[bank]\nrate = { ncpus = 1.0 }\n[[account]]\nname = \"bench\"\nowners = [\"*\"]\n"
         << "overdraft = 1000000\n";
  }
  if (options_.lends) {
    meta << "[[qos]]\nname = \"idle\"\ngrant = [\"*\"]\nrecall = \"requeue\"\n"
         << "grace = \"5s\"\nmin_run = \"1s\"\n";
  }
  for (const auto& [name, keys] : site_keys_) {
    meta << "[[site]]\nname = \"" << name << "\"\nkey = \"" << keys.public_key << "\"\n";
  }
  for (size_t u = 0; u < user_keys_.size(); ++u) {
    meta << "[[user]]\nname = \"user" << u << "\"\nkey = \"" << user_keys_[u].public_key
         << "\"\nrole = \"" << (options_.operators ? "operator" : "user") << "\"\n";
  }
  if (!io::WriteKeyFile(folder_ + "/meta.key", meta_keys_).ok()) Fail("cannot write keys");
  int first_port = 30000;
  for (const auto& [name, keys] : site_keys_) {
    std::ofstream site(folder_ + "/" + name + ".toml");
    site << "[site]\nname = \"" << name << "\"\nmeta = \"tcp://127.0.0.1:" << port_
         << "\"\nmeta_key = \"" << meta_keys_.public_key << "\"\nkey = \"" << name
         << ".key\"\nstate_dir = \"" << folder_ << "/" << name << "\"\ndriver = \""
         << options_.driver << "\"\nmin_free = \"100mb\"\nrendezvous_ports = \"" << first_port
         << "-" << first_port + 7999 << "\"\n[machine]\nkind = \"flat\"\n"
         << "[[nodes]]\nnames = \"n[1-64]\"\nresources = { ncpus = 64, mem = \"256gb\" }\n";
    if (options_.lends) site << "[lent]\nto = [\"*\"]\n";
    first_port += 8000;
    if (!io::WriteKeyFile(folder_ + "/" + name + ".key", keys).ok()) Fail("cannot write keys");
  }
}

pid_t Fleet::Spawn(const std::string& program, const std::string& name) {
  const std::string path = options_.programs + "/" + program;
  const std::string config = folder_ + "/" + name + ".toml";
  const std::string log = folder_ + "/" + name + ".log";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 2, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&actions, 2, 1);
  const char* arguments[] = {path.c_str(), "--config", config.c_str(), nullptr};
  pid_t pid = 0;
  const int error =
      posix_spawn(&pid, path.c_str(), &actions, nullptr, const_cast<char**>(arguments), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) Fail("cannot start " + path);
  return pid;
}

void Fleet::StartMeta() { pids_["meta"] = Spawn("muster-metad", "meta"); }

void Fleet::KillMeta() {
  kill(pids_["meta"], SIGKILL);
  waitpid(pids_["meta"], nullptr, 0);
  pids_.erase("meta");
}

std::unique_ptr<io::Client> Fleet::Connect(int user) const {
  auto client = io::OpenClient({.endpoint = "tcp://127.0.0.1:" + std::to_string(port_),
                                .server_key = meta_keys_.public_key,
                                .keys = user_keys_[static_cast<size_t>(user)]});
  if (!client.ok()) Fail("cannot connect");
  return *std::move(client);
}

void Fleet::AwaitSites() const {
  Conversation talk(Connect(0));
  for (int i = 0; i < 200; ++i) {
    const auto rows = talk.Get({.kind = schemas::GetKind::kSites});
    size_t up = 0;
    for (const schemas::SiteView& site : rows.sites)
      up += site.state == schemas::SiteState::kUp ? 1 : 0;
    if (up == options_.sites.size()) return;
    usleep(50'000);
  }
  Fail("the sites did not come up; see " + folder_);
}

}  // namespace muster::bench
