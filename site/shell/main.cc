// muster-sited: the daemon of one site. Wires configuration, store, transport, driver and core; one
// thread, one loop.
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>

#include "base/config/site_config.h"
#include "base/io/rocks/store.h"
#include "base/io/system/clock.h"
#include "base/io/system/stop_signal.h"
#include "base/io/zmq/client.h"
#include "base/io/zmq/keys.h"
#include "site/driver/process/process_driver.h"
#include "site/shell/daemon.h"
#include "site/shell/timed_simulation.h"

namespace muster::site {
namespace {

constexpr BootSpan kLongestWait =
    Milliseconds(500);  // a stop signal just before the wait is seen by then
// What a driver needs between two parts on a node, and what it may start late. protocol.md sections
// 4 and 5.
constexpr Span kProcessTurnover{1};
constexpr Span kProcessStartSlack{1};

Options OptionsOf(const config::SiteConfig& config, const std::string& boot_id, uint64_t seed) {
  Options options;
  options.name = config.name;
  options.boot_id = boot_id;
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
  options.horizon = config.federation.horizon;
  options.seed = seed;
  return options;
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

absl::Status Serve(const config::SiteConfig& config) {
  MUSTER_ASSIGN_OR_RETURN(const io::KeyPair keys, io::ReadKeyFile(config.key_path));
  MUSTER_ASSIGN_OR_RETURN(std::unique_ptr<io::Store> store,
                          io::OpenStore({.folder = config.state_dir + "/store", .create = true}));
  const std::unique_ptr<io::Clock> clock = io::SystemClock();
  MUSTER_ASSIGN_OR_RETURN(std::unique_ptr<driver::Driver> driver, OpenDriver(config, *clock));
  MUSTER_ASSIGN_OR_RETURN(
      std::unique_ptr<io::Client> meta,
      io::OpenClient({.endpoint = config.meta, .server_key = config.meta_key, .keys = keys}));
  uint64_t seed = 0;
  for (uint8_t byte : io::SystemEntropy()->NewSecret().bytes) seed = seed * 257 + byte;
  MUSTER_ASSIGN_OR_RETURN(Daemon daemon, Daemon::Open(OptionsOf(config, clock->BootId(), seed),
                                                      {.store = *store,
                                                       .meta = *meta,
                                                       .clock = *clock,
                                                       .driver = *driver,
                                                       .min_free_bytes = config.min_free_bytes}));
  spdlog::info("site '{}' with {} nodes dials {}", config.name, config.nodes.size(), config.meta);
  while (!io::StopRequested()) MUSTER_RETURN_IF_ERROR(daemon.Turn(kLongestWait));
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
  spdlog::set_default_logger(spdlog::stderr_color_mt("site"));
  spdlog::set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
  spdlog::flush_on(spdlog::level::info);

  const Diagnosed<config::SiteConfig> config = config::ReadSiteConfig(path);
  if (!config.ok()) {
    std::fputs(Render(config.diagnostic()).c_str(), stderr);
    return 2;
  }
  if (check) {
    std::printf("%s: good: site '%s', %zu nodes, driver %s\n", path.c_str(), config->name.c_str(),
                config->nodes.size(), config->driver.c_str());
    return 0;
  }
  io::WatchStopSignals();
  const absl::Status status = Serve(*config);
  if (!status.ok()) {
    spdlog::error("{}", std::string(Text(status)));
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace muster::site

int main(int argc, char** argv) { return muster::site::Main(argc, argv); }
