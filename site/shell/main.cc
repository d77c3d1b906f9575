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
#include "site/driver/slurm/slurm_driver.h"
#include "site/settings/options_of.h"
#include "site/shell/daemon.h"
#include "site/shell/slurm_site.h"
#include "site/shell/timed_simulation.h"

namespace muster::site {
namespace {

constexpr BootSpan kLongestWait = Milliseconds(500);  // bounds the delay of a stop signal
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

// The origin of the options, for replaying recorded turns.
schemas::CoreOrigin OriginOf(const config::SiteConfig& config, const Process& process,
                             Instant read_at) {
  return {.daemon = "site",
          .path = config.path,
          .file = config.text,
          .read_at = read_at,
          .boot_id = process.boot_id,
          .seed = process.seed,
          .secret_root = process.secret_root};
}

// The time at which a file is read. `refuse_past`: times in the file that are past are errors. It
// is false at the start of a daemon, which an old but once correct file must not prevent.
config::AsOf AsOfNow(bool refuse_past) {
  return {.now = io::SystemClock()->Read().wall.Floor(), .refuse_past = refuse_past};
}

// Reads the file again, or this text of it, for a daemon that started with `first` and has a driver
// with these facts.
Diagnosed<Reloaded> ReadAgain(const std::string& path, const config::SiteConfig& first,
                              const Process& process, const driver::Facts& facts,
                              const std::string* text) {
  const config::AsOf as_of = AsOfNow(text == nullptr);
  const config::Found found = FoundBy(facts);
  const Diagnosed<config::SiteConfig> read =
      text == nullptr ? config::ReadSiteConfig(path, as_of, &found)
                      : config::ParseSiteConfig(path, *text, as_of, &found);
  if (!read.ok()) return read.diagnostic();
  if (read->name != first.name || read->state_dir != first.state_dir) {
    return Diagnostic{.code = "config",
                      .message = "this daemon is site '" + first.name + "' with its state in " +
                                 first.state_dir + "; " + path + " now says otherwise",
                      .help = {"stop it and start another"}};
  }
  Warn(*read);
  Reloaded again{.options = OptionsOf(*read, process, facts),
                 .users = KeysOf(*read),
                 .min_free_bytes = read->min_free_bytes,
                 .origin = OriginOf(*read, process, as_of.now)};
  const auto keep = [&](const char* what, bool differs) {
    if (differs) again.notes.push_back(std::string(what) + " differs: that takes a restart");
  };
  keep("meta", read->meta != first.meta || read->meta_key != first.meta_key);
  keep("key", read->key_path != first.key_path);
  keep("listen", read->listen != first.listen);
  keep("driver", read->driver != first.driver);
  keep("[slurm]", read->slurm != first.slurm);
  keep("record", read->record != first.record);
  keep("output_keep", read->output_keep != first.output_keep);
  keep("[federation] users", read->federation.users != first.federation.users);
  again.options.driver = first.driver;
  return again;
}

absl::StatusOr<std::unique_ptr<driver::Driver>> OpenDriver(const config::SiteConfig& config,
                                                           io::Clock& clock) {
  if (config.driver == "simulated") return TimedSimulation(clock);
  if (config.slurm) return driver::SlurmDriver::Open(SlurmOptionsOf(config));
  driver::ProcessOptions options{.state_dir = config.state_dir, .output_keep = config.output_keep};
  options.accounts = config.federation.users;
  MUSTER_ASSIGN_OR_RETURN(auto process, driver::ProcessDriver::Open(options));
  spdlog::info("{}", process->LimitsNote());
  return process;
}

// The file with the nodes that the driver has found.
absl::StatusOr<config::SiteConfig> WithNodes(const std::string& path, config::SiteConfig config,
                                             const driver::Facts& facts, Instant read_at) {
  if (!config.partial) return config;
  const config::Found found = FoundBy(facts);
  auto whole =
      config::ReadSiteConfig(path, config::AsOf{.now = read_at, .refuse_past = false}, &found);
  if (!whole.ok()) return InvalidArgument(Render(whole.diagnostic()));
  return *std::move(whole);
}

absl::Status Serve(const std::string& path, const config::SiteConfig& start, Instant read_at) {
  MUSTER_ASSIGN_OR_RETURN(const io::KeyPair keys, io::ReadKeyFile(start.key_path));
  MUSTER_ASSIGN_OR_RETURN(std::unique_ptr<io::Store> store,
                          io::OpenStore({.folder = start.state_dir + "/store", .create = true}));
  const std::unique_ptr<io::Clock> clock = io::SystemClock();
  auto opened = OpenDriver(start, *clock);
  if (!opened.ok() && start.slurm) {
    return InvalidArgument(Render(WhereItIsSaid(start, opened.status())));
  }
  MUSTER_ASSIGN_OR_RETURN(std::unique_ptr<driver::Driver> driver, std::move(opened));
  MUSTER_ASSIGN_OR_RETURN(const config::SiteConfig config,
                          WithNodes(path, start, driver->facts(), read_at));
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
  std::optional<io::Recording> recording;
  if (config.record) {
    MUSTER_ASSIGN_OR_RETURN(recording, io::Recording::Begin(config.state_dir + "/turns"));
    spdlog::info("turns are recorded in {}", recording->path());
  }
  MUSTER_ASSIGN_OR_RETURN(Daemon daemon,
                          Daemon::Open(OptionsOf(config, process, driver->facts()),
                                       {.store = *store,
                                        .meta = *meta,
                                        .clock = *clock,
                                        .driver = *driver,
                                        .min_free_bytes = config.min_free_bytes,
                                        .clients = clients.get(),
                                        .read_again =
                                            [&](const std::string* text) {
                                              return ReadAgain(path, config, process,
                                                               driver->facts(), text);
                                            },
                                        .recording = recording ? &*recording : nullptr,
                                        .origin = OriginOf(config, process, read_at)}));
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
  bool check = false, cluster = false, leave = false;
  app.add_option("--config", path, "site.toml")->required();
  app.add_flag("--check", check, "only read the configuration and say what is wrong with it");
  app.add_flag("--cluster", cluster, "with --check: try what it needs of its Slurm cluster");
  app.add_flag("--leave", leave, "remove all that this site has put into its Slurm cluster");
  CLI11_PARSE(app, argc, argv);
  io::OpenLog("site");

  const config::AsOf as_of = AsOfNow(check);
  const Diagnosed<config::SiteConfig> config = config::ReadSiteConfig(path, as_of);
  if (!config.ok()) {
    std::fputs(Render(config.diagnostic()).c_str(), stderr);
    return 2;
  }
  if ((cluster || leave) && !config->slurm) {
    std::fprintf(stderr, "%s: site '%s' is beside no cluster: its driver is %s, not slurm\n",
                 path.c_str(), config->name.c_str(), config->driver.c_str());
    return 2;
  }
  if (leave) return LeaveSlurm(*config);
  if (check) {
    if (config->partial) {
      std::printf("%s: good as far as it can be read without the cluster: site '%s', driver %s\n",
                  path.c_str(), config->name.c_str(), config->driver.c_str());
    } else {
      std::printf("%s: good: site '%s', %zu nodes, driver %s\n", path.c_str(), config->name.c_str(),
                  config->nodes.size(), config->driver.c_str());
    }
    for (const std::string& warning : config->warnings) {
      std::printf("%s: warning: %s\n", path.c_str(), warning.c_str());
    }
    return cluster ? CheckSlurm(*config) : 0;
  }
  io::WatchStopSignals();
  const absl::Status status = Serve(path, *config, as_of.now);
  if (!status.ok()) {
    spdlog::error("{}", std::string(Text(status)));
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace muster::site

int main(int argc, char** argv) { return muster::site::Main(argc, argv); }
