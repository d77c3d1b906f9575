// The folder of a local federation: names, keys, configurations.
#include "cli/local.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <utility>

#include "base/check.h"
#include "base/io/zmq/keys.h"
#include "base/status.h"
#include "cli/context.h"
#include "cli/federation.h"

namespace muster::cli {
namespace {

constexpr uint16_t kMetaPort = 7710;
constexpr uint32_t kFirstRendezvousPort = 21000;
constexpr uint32_t kPortsPerSite = 1000;
// keeps ports below 32768, where the kernel's ephemeral ports begin
constexpr uint32_t kPortGroups = 3;
constexpr char kMemoryPerNode[] = "8gb";
constexpr char kMinFree[] = "256mb";  // low, since a laptop's disk may be fuller than a server's
constexpr char kLab[] = "muster-slurm-lab";
constexpr char kCommons[] = "mu_commons";
constexpr char kCommonsOnly[] = "commons";

// Writes the file atomically.
std::optional<Failure> WriteFile(const std::string& path, const std::string& text) {
  const std::string fresh = path + ".new";
  std::ofstream file(fresh, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file || rename(fresh.c_str(), path.c_str()) != 0)
    return SystemFailure("cannot write " + path);
  return std::nullopt;
}

Expect<io::KeyPair> KeyAt(const std::string& path) {
  auto keys = io::ReadKeyFile(path);
  if (keys.ok()) return *std::move(keys);
  if (!absl::IsNotFound(keys.status())) return Fail("config", std::string(Text(keys.status())));
  const io::KeyPair pair = io::SystemEntropy()->NewKeyPair();
  if (const auto written = io::WriteKeyFile(path, pair); !written.ok()) {
    return Fail("internal", std::string(Text(written)));
  }
  return pair;
}

// Quotes a string for TOML.
std::string TomlText(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

// The first rendezvous port of a site. Federations of one user should not share ports: the
// federation 'local' has the first group, others get one of the rest by their name.
uint32_t FirstPort(const std::string& federation, size_t site) {
  uint32_t group = 0;
  if (federation != kLocalFederation) {
    for (const char c : federation) group = group * 31 + static_cast<unsigned char>(c);
    group = 1 + group % (kPortGroups - 1);
  }
  const auto place = static_cast<uint32_t>(group * kLocalSites + site);
  return kFirstRendezvousPort + place * kPortsPerSite;
}

constexpr char kHeader[] = "# Written by 'muster up'; the next one writes it anew.\n";

using Keys = std::map<std::string, io::KeyPair>;

std::string EndpointAt(uint16_t port) { return fmt::format("tcp://127.0.0.1:{}", port); }

std::string UserToml(const Keys& keys) {
  return fmt::format(R"([[user]]
name = {}
key  = {}
role = "operator"
)",
                     TomlText(LoginName()), TomlText(keys.at("user").public_key));
}

// A cluster needs its parts some seconds before they start; processes start at once.
const char* LeadOf(const std::vector<LocalSite>& sites) {
  const bool clusters = std::any_of(sites.begin(), sites.end(),
                                    [](const LocalSite& site) { return site.walls[0] != '\0'; });
  return clusters ? "10s" : "2s";
}

std::string MetaToml(const std::string& federation, const std::string& endpoint,
                     const std::vector<LocalSite>& sites, const Keys& keys) {
  std::string text = fmt::format(R"({}[meta]
name      = {}
listen    = {}
key       = "meta.key"
state_dir = "meta"
min_free  = {}
[protocol]
lead          = "{}"
start_wait    = "10s"
permit_window = "6s"
)",
                                 kHeader, TomlText(federation), TomlText(endpoint),
                                 TomlText(kMinFree), LeadOf(sites));
  for (const LocalSite& site : sites) {
    text += fmt::format("[[site]]\nname = {}\nkey  = {}\n", TomlText(site.name),
                        TomlText(keys.at(site.name).public_key));
  }
  return text + UserToml(keys);
}

// The nodes of a site of processes, or where the cluster is that has a site's nodes.
std::string NodesToml(const LocalSite& site, const std::string& folder) {
  if (site.walls[0] == '\0') {
    const std::string gpus = site.gpus > 0 ? fmt::format(", ngpus = {}", site.gpus) : "";
    return fmt::format(R"([[nodes]]
names     = {}
resources = {{ ncpus = {}, mem = {}{} }}
)",
                       TomlText(fmt::format("{}[1-{}]", site.stem, site.nodes)), site.cpus,
                       TomlText(kMemoryPerNode), gpus);
  }
  std::string text = fmt::format(R"([slurm]
conf          = {}
shared_folder = {}
walls         = {}
)",
                                 TomlText(folder + "/clusters/" + site.name + "/slurm.conf"),
                                 TomlText(folder + "/shared"), TomlText(site.walls));
  if (std::string_view(site.walls) == kCommonsOnly)
    text += fmt::format("commons       = [{}]\n", TomlText(kCommons));
  return text;
}

std::string SiteToml(const std::string& federation, const std::string& folder,
                     const LocalSite& site, size_t index, const std::vector<uint16_t>& ports,
                     const Keys& keys) {
  const std::string endpoint = EndpointAt(ports[0]);
  const uint32_t first = FirstPort(federation, index);
  return fmt::format(R"({}[site]
name      = {}
listen    = {}
meta      = {}
meta_key  = {}
key       = {}
state_dir = {}
driver    = {}
min_free  = {}
rendezvous_host  = "127.0.0.1"
rendezvous_ports = "{}-{}"
[machine]
kind = "flat"
{}{})",
                     kHeader, TomlText(site.name), TomlText(EndpointAt(ports[index + 1])),
                     TomlText(endpoint), TomlText(keys.at("meta").public_key),
                     TomlText(fmt::format("{}.key", site.name)), TomlText(site.name),
                     TomlText(site.walls[0] == '\0' ? "process" : "slurm"), TomlText(kMinFree),
                     first, first + kPortsPerSite - 1, NodesToml(site, folder), UserToml(keys));
}

std::string PointerToml(const std::string& federation, const std::vector<LocalSite>& sites,
                        const std::vector<uint16_t>& ports, const Keys& keys) {
  std::string text =
      fmt::format(R"({}default = {}
[federation.{}]
meta     = {}
meta_key = {}
key      = "user.key"
)",
                  kHeader, TomlText(federation), federation, TomlText(EndpointAt(ports[0])),
                  TomlText(keys.at("meta").public_key));
  for (size_t i = 0; i < sites.size(); ++i) {
    const std::string site = sites[i].name;
    text += fmt::format("[federation.{}.site.{}]\naddress = {}\nkey     = {}\n", federation, site,
                        TomlText(EndpointAt(ports[i + 1])), TomlText(keys.at(site).public_key));
  }
  return text;
}

}  // namespace

std::vector<LocalSite> LocalSites(size_t clusters) {
  MUSTER_CHECK(clusters <= kMostClusters);
  std::vector<LocalSite> sites = {
      {"lakes", "n", 4, 4, 0, ""}, {"woods", "n", 4, 4, 0, ""}, {"hills", "g", 2, 4, 1, ""}};
  // One cluster has set half of its nodes aside, the other keeps nodes free for each job.
  if (clusters >= 1) sites[0] = {"lakes", "l-n", 2, 4, 0, kCommonsOnly};
  if (clusters >= 2) sites[1] = {"woods", "w-n", 4, 4, 0, "each"};
  return sites;
}

LocalFederation::LocalFederation(std::string name, std::string folder)
    : name_(std::move(name)), folder_(std::move(folder)) {
  std::ifstream file(folder_ + "/slurm");
  size_t clusters = 0;
  if (file >> clusters) clusters_ = std::min(clusters, kMostClusters);
}

std::optional<Failure> LocalFederation::Choose(size_t clusters) {
  if (clusters == clusters_) return std::nullopt;
  struct stat status{};
  if (stat((folder_ + "/meta.toml").c_str(), &status) == 0) {
    return Fail("conflict",
                fmt::format("federation '{}' was made with {} clusters", name_, clusters_),
                "give another name; or 'muster down --purge " + name_ + "' forgets it first");
  }
  clusters_ = clusters;
  return std::nullopt;
}

std::optional<Failure> LocalFederation::RunLab(const std::vector<std::string>& words) const {
  return RunProgram(kLab, words, folder_ + "/clusters.log");
}

std::optional<Failure> LocalFederation::StartClusters() const {
  if (clusters_ == 0) return std::nullopt;
  std::vector<std::string> words = {"up", folder_ + "/clusters", "--again", "--commons", kCommons};
  const std::vector<LocalSite> sites = Sites();
  std::string names = sites[0].name;
  if (clusters_ >= 2) {
    names += std::string(",") + sites[1].name;
    words.insert(words.end(), {"--tuned", sites[1].name});
  }
  words.insert(words.end(), {"--names", names});
  std::error_code error;
  std::filesystem::create_directories(folder_ + "/shared", error);
  if (error) return Fail("internal", "cannot make " + folder_ + "/shared: " + error.message());
  return RunLab(words);
}

std::optional<Failure> LocalFederation::StopClusters() const {
  if (clusters_ == 0) return std::nullopt;
  return RunLab({"down", folder_ + "/clusters"});
}

Expect<LocalFederation> LocalFederation::Of(const std::string& name) {
  const bool plain = !name.empty() && name.size() <= 64 &&
                     std::all_of(name.begin(), name.end(), [](unsigned char c) {
                       return std::isalnum(c) != 0 || c == '_' || c == '-';
                     });
  if (!plain)
    return UsageError("'" + name + "' is no name of a federation", "letters, digits, '-' and '_'");
  return LocalFederation(name, StateFolder() + "/" + name);
}

bool LocalFederation::exists() const {
  struct stat status{};
  return stat(folder_.c_str(), &status) == 0;
}

std::vector<LocalDaemon> LocalFederation::Daemons() const {
  std::vector<LocalDaemon> daemons = {{"meta", "muster-metad", folder_ + "/meta"}};
  for (const LocalSite& site : Sites()) {
    daemons.push_back({site.name, "muster-sited", folder_ + "/" + site.name});
  }
  return daemons;
}

std::optional<Failure> LocalFederation::Lock() {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) return Fail("internal", "cannot make " + folder_ + ": " + error.message());
  chmod(folder_.c_str(), S_IRWXU);
  const int lock =
      open((folder_ + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (lock < 0) return SystemFailure("cannot open " + folder_ + "/lock");
  if (flock(lock, LOCK_EX | LOCK_NB) != 0) {
    return Fail("conflict", "another 'muster up' or 'muster down' works on '" + name_ + "'",
                "wait until it is done");
  }
  return std::nullopt;
}

std::optional<Failure> LocalFederation::Write(const std::vector<uint16_t>& ports) const {
  MUSTER_CHECK(ports.size() == 1 + kLocalSites);
  if (auto failure = WriteFile(folder_ + "/slurm", fmt::format("{}\n", clusters_))) return failure;
  Keys keys;
  for (const LocalDaemon& daemon : Daemons()) {
    auto pair = KeyAt(daemon.base + ".key");
    if (!pair.ok()) return pair.failure();
    keys[daemon.name] = pair.value();
  }
  auto user = KeyAt(folder_ + "/user.key");
  if (!user.ok()) return user.failure();
  keys["user"] = user.value();
  const std::vector<LocalSite> sites = Sites();
  const std::string meta = MetaToml(name_, EndpointAt(ports[0]), sites, keys);
  if (auto failure = WriteFile(folder_ + "/meta.toml", meta)) return failure;
  for (size_t i = 0; i < sites.size(); ++i) {
    const std::string path = folder_ + "/" + sites[i].name + ".toml";
    const std::string site = SiteToml(name_, folder_, sites[i], i, ports, keys);
    if (auto failure = WriteFile(path, site)) return failure;
  }
  return WriteFile(PointerFile(name_), PointerToml(name_, sites, ports, keys));
}

Expect<std::vector<uint16_t>> LocalFederation::FreePorts() {
  std::vector<uint16_t> ports;
  std::vector<int> probes;  // kept open until all are found, so that no port is returned twice
  for (size_t i = 0; i < 1 + kLocalSites; ++i) {
    for (const uint16_t wanted : {static_cast<uint16_t>(kMetaPort + i), uint16_t{0}}) {
      const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      if (probe < 0) break;
      probes.push_back(probe);
      // Binds with the daemon's options: a port in TIME_WAIT counts as free.
      const int reuse = 1;
      setsockopt(probe, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof(reuse));
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      address.sin_port = htons(wanted);
      socklen_t size = sizeof(address);
      // Also listens, since SO_REUSEADDR lets two sockets bind a port that nobody listens at.
      if (bind(probe, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(probe, 1) != 0 ||
          getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
        continue;
      }
      ports.push_back(static_cast<uint16_t>(ntohs(address.sin_port)));
      break;
    }
  }
  for (const int probe : probes) close(probe);
  if (ports.size() == 1 + kLocalSites) return ports;
  return Fail("internal", "no free ports on 127.0.0.1");
}

std::optional<Failure> RemoveTree(const std::string& folder) {
  std::error_code error;
  std::filesystem::remove_all(folder, error);
  if (error) return Fail("internal", "cannot remove " + folder + ": " + error.message());
  return std::nullopt;
}

}  // namespace muster::cli
