// muster-sited: the daemon of one site. Wires configuration, store, transport, driver and core; one
// thread, one loop.
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>

#include "base/config/site_config.h"
#include "base/io/log/log.h"
#include "base/io/rocks/store.h"
#include "base/io/system/clock.h"
#include "base/io/system/stop_signal.h"
#include "base/io/zmq/client.h"
#include "base/io/zmq/keys.h"
#include "base/io/zmq/server.h"
#include "site/driver/process/process_driver.h"
#include "site/shell/daemon.h"
#include "site/shell/rules_of.h"
#include "site/shell/timed_simulation.h"
#include "site/shell/units_of.h"

namespace muster::site {
namespace {

constexpr BootSpan kLongestWait =
    Milliseconds(500);  // a stop signal just before the wait is seen by then
// What a driver needs between two parts on a node, and what it may start late. protocol.md sections
// 4 and 5.
constexpr Span kProcessTurnover{1};
constexpr Span kProcessStartSlack{1};

// What is drawn, or found out, once for the life of the process.
struct Process {
  std::string boot_id;
  uint64_t seed = 0;
  Secret secret_root;
};

Options OptionsOf(const config::SiteConfig& config, const Process& process_facts) {
  Options options;
  options.name = config.name;
  options.boot_id = process_facts.boot_id;
  for (const config::NodeConfig& node : config.nodes) {
    options.nodes.push_back({node.name, node.resources, node.properties});
  }
  const bool process = config.driver == "process";
  options.driver = config.driver;
  options.turnover = config.turnover.value_or(process ? kProcessTurnover : Span{0});
  options.start_slack = process ? kProcessStartSlack : Span{0};
  options.finds_parts = process;
  options.rendezvous_host = config.rendezvous_host;
  options.first_port = config.first_port;
  options.last_port = config.last_port;
  options.max_holds = static_cast<size_t>(config.federation.max_holds);
  options.max_held = static_cast<size_t>(config.federation.max_held);
  options.max_lease = config.federation.max_lease;
  options.horizon = config.planning.horizon;
  options.federation_horizon = config.federation.horizon;
  options.plan_looks = LooksOf(config.planning);
  options.extend_percent = config.extend_percent;
  options.allocate_timeout = config.allocate_timeout;
  options.release_timeout = config.release_timeout;
  options.rules = RulesOf(config);
  options.policy = PolicyOf(config.planning);
  options.units = UnitsOf(config);
  options.choice = ChoiceOf(config.machine);
  for (const config::SwitchConfig& one : config.switches) {
    options.switches.push_back({one.name, one.nodes, one.switches});
  }
  options.seed = process_facts.seed;
  options.secret_root = process_facts.secret_root;
  for (const config::ListedUser& user : config.users) {
    options.users.push_back({user.name, user.is_operator, user.groups});
  }
  options.validities = config.validities;
  return options;
}

std::vector<io::AllowedKey> KeysOf(const config::SiteConfig& config) {
  std::vector<io::AllowedKey> keys;
  for (const config::ListedUser& user : config.users) {
    keys.push_back({user.key, "user:" + user.name});
  }
  return keys;
}

void Warn(const config::SiteConfig& config) {
  for (const std::string& warning : config.warnings) spdlog::warn("{}", warning);
}

// When a file is read; a file that was right when it was written does not keep a daemon from
// starting.
config::AsOf AsOfNow(bool refuse_past) {
  return {.now = io::SystemClock()->Read().wall.Floor(), .refuse_past = refuse_past};
}

// The file again, for a daemon that began with `first`.
Diagnosed<Reloaded> ReadAgain(const std::string& path, const config::SiteConfig& first,
                              const Process& process) {
  const Diagnosed<config::SiteConfig> read = config::ReadSiteConfig(path, AsOfNow(true));
  if (!read.ok()) return read.diagnostic();
  if (read->name != first.name || read->state_dir != first.state_dir) {
    return Diagnostic{.code = "config",
                      .message = "this daemon is site '" + first.name + "' with its state in " +
                                 first.state_dir + "; " + path + " now says otherwise",
                      .help = {"stop it and start another"}};
  }
  Warn(*read);
  Reloaded again{.options = OptionsOf(*read, process),
                 .users = KeysOf(*read),
                 .min_free_bytes = read->min_free_bytes};
  const auto keep = [&](const char* what, bool differs) {
    if (differs) again.notes.push_back(std::string(what) + " differs: that takes a restart");
  };
  keep("meta", read->meta != first.meta || read->meta_key != first.meta_key);
  keep("key", read->key_path != first.key_path);
  keep("listen", read->listen != first.listen);
  keep("driver", read->driver != first.driver);
  keep("output_keep", read->output_keep != first.output_keep);
  keep("[federation] users", read->federation.users != first.federation.users);
  again.options.driver = first.driver;
  return again;
}

absl::StatusOr<std::unique_ptr<driver::Driver>> OpenDriver(const config::SiteConfig& config,
                                                           io::Clock& clock) {
  if (config.driver == "simulated") return TimedSimulation(clock);
  driver::ProcessOptions options{.state_dir = config.state_dir, .output_keep = config.output_keep};
  options.accounts = config.federation.users;
  MUSTER_ASSIGN_OR_RETURN(auto process, driver::ProcessDriver::Open(options));
  spdlog::info("{}", process->LimitsNote());
  return process;
}

absl::Status Serve(const std::string& path, const config::SiteConfig& config) {
  MUSTER_ASSIGN_OR_RETURN(const io::KeyPair keys, io::ReadKeyFile(config.key_path));
  MUSTER_ASSIGN_OR_RETURN(std::unique_ptr<io::Store> store,
                          io::OpenStore({.folder = config.state_dir + "/store", .create = true}));
  const std::unique_ptr<io::Clock> clock = io::SystemClock();
  MUSTER_ASSIGN_OR_RETURN(std::unique_ptr<driver::Driver> driver, OpenDriver(config, *clock));
  MUSTER_ASSIGN_OR_RETURN(
      std::unique_ptr<io::Client> meta,
      io::OpenClient({.endpoint = config.meta, .server_key = config.meta_key, .keys = keys}));
  std::unique_ptr<io::Server> clients;
  if (!config.listen.empty()) {
    MUSTER_ASSIGN_OR_RETURN(
        clients,
        io::OpenServer({.endpoint = config.listen, .keys = keys, .allowed = KeysOf(config)}));
  }
  const std::unique_ptr<io::Entropy> entropy = io::SystemEntropy();
  Process process{.boot_id = clock->BootId(), .secret_root = entropy->NewSecret()};
  for (uint8_t byte : entropy->NewSecret().bytes) process.seed = process.seed * 257 + byte;
  MUSTER_ASSIGN_OR_RETURN(
      Daemon daemon,
      Daemon::Open(OptionsOf(config, process),
                   {.store = *store,
                    .meta = *meta,
                    .clock = *clock,
                    .driver = *driver,
                    .min_free_bytes = config.min_free_bytes,
                    .clients = clients.get(),
                    .read_again = [&] { return ReadAgain(path, config, process); }}));
  Warn(config);
  spdlog::info("site '{}' with {} nodes dials {}", config.name, config.nodes.size(), config.meta);
  if (clients) spdlog::info("its own users dial {}", clients->Endpoint());
  while (!io::StopRequested()) {
    MUSTER_RETURN_IF_ERROR(daemon.Turn(kLongestWait));
    if (io::TakeReloadRequest()) daemon.Reload();
  }
  spdlog::info("stopped; running parts go on under their shepherds");
  return absl::OkStatus();
}

int Main(int argc, char** argv) {
  CLI::App app{"muster-sited: the daemon of one site of a federation"};
  std::string path;
  bool check = false;
  app.add_option("--config", path, "site.toml")->required();
  app.add_flag("--check", check, "only read the configuration and say what is wrong with it");
  CLI11_PARSE(app, argc, argv);
  io::OpenLog("site");

  const Diagnosed<config::SiteConfig> config = config::ReadSiteConfig(path, AsOfNow(check));
  if (!config.ok()) {
    std::fputs(Render(config.diagnostic()).c_str(), stderr);
    return 2;
  }
  if (check) {
    std::printf("%s: good: site '%s', %zu nodes, driver %s\n", path.c_str(), config->name.c_str(),
                config->nodes.size(), config->driver.c_str());
    for (const std::string& warning : config->warnings) {
      std::printf("%s: warning: %s\n", path.c_str(), warning.c_str());
    }
    return 0;
  }
  io::WatchStopSignals();
  const absl::Status status = Serve(path, *config);
  if (!status.ok()) {
    spdlog::error("{}", std::string(Text(status)));
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace muster::site

int main(int argc, char** argv) { return muster::site::Main(argc, argv); }
