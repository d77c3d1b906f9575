// muster-metad: the meta daemon. Wires configuration, store, transport and core; one thread, one
// loop.
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "base/config/meta_config.h"
#include "base/io/log/log.h"
#include "base/io/rocks/store.h"
#include "base/io/system/clock.h"
#include "base/io/system/stop_signal.h"
#include "base/io/zmq/keys.h"
#include "base/io/zmq/server.h"
#include "meta/settings/options_of.h"
#include "meta/shell/daemon.h"
#include "schemas/limits.h"

namespace muster::meta {
namespace {

// Short enough that a stop signal that comes just before the wait is soon noticed.
constexpr BootSpan kLongestWait = Milliseconds(500);

// Changes that need a restart.
std::vector<std::string> NeedsRestart(const config::MetaConfig& before,
                                      const config::MetaConfig& after) {
  std::vector<std::string> out;
  const auto compare = [&](const char* name, const auto& old_value, const auto& new_value) {
    if (old_value != new_value) out.push_back(std::string(name) + " changes with a restart only");
  };
  compare("listen", before.listen, after.listen);
  compare("key", before.key_path, after.key_path);
  compare("state_dir", before.state_dir, after.state_dir);
  compare("min_free", before.min_free_bytes, after.min_free_bytes);
  compare("record", before.record, after.record);
  return out;
}

Reconfigured ReadAgain(const config::MetaConfig& before) {
  const Diagnosed<config::MetaConfig> after = config::ReadMetaConfig(before.path);
  if (!after.ok()) return {.fault = Render(after.diagnostic())};
  if (after->name != before.name) {
    return {.fault = before.path + ": the federation is '" + before.name + "', not '" +
                     after->name + "'"};
  }
  return {
      .options = OptionsOf(*after, 0), .notes = NeedsRestart(before, *after), .file = after->text};
}

// Keys accepted while the store is read, since a client that is denied once does not dial again.
// Revoked keys are rejected once the core says so, before anything is received.
std::vector<io::AllowedKey> ListedKeys(const config::MetaConfig& config) {
  std::vector<io::AllowedKey> allowed;
  for (const ListedKey& key : OptionsOf(config, 0).keys) {
    allowed.push_back({key.public_key, key.name});
  }
  return allowed;
}

schemas::CoreOrigin OriginOf(const config::MetaConfig& config, uint64_t seed) {
  return {.daemon = "meta", .path = config.path, .file = config.text, .seed = seed};
}

// muster-sim is installed beside this program.
WhatIfProgram WhatIfsOf(const config::MetaConfig& config) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return {.folder = config.state_dir + "/what-if",
          .program = (self.parent_path() / "muster-sim").string()};
}

absl::Status Serve(const config::MetaConfig& config) {
  MUSTER_ASSIGN_OR_RETURN(const io::KeyPair keys, io::ReadKeyFile(config.key_path));
  MUSTER_ASSIGN_OR_RETURN(std::unique_ptr<io::Store> store,
                          io::OpenStore({.folder = config.state_dir + "/store", .create = true}));
  const std::unique_ptr<io::Clock> clock = io::SystemClock();
  const std::unique_ptr<io::Entropy> entropy = io::SystemEntropy();
  MUSTER_ASSIGN_OR_RETURN(
      std::unique_ptr<io::Server> server,
      io::OpenServer({.endpoint = config.listen, .keys = keys, .allowed = ListedKeys(config)}));
  uint64_t seed = 0;
  for (uint8_t byte : entropy->NewSecret().bytes) seed = seed * 257 + byte;
  std::optional<io::Recording> recording;
  if (config.record) {
    MUSTER_ASSIGN_OR_RETURN(recording, io::Recording::Begin(config.state_dir + "/turns"));
    spdlog::info("turns are recorded in {}", recording->path());
  }
  MUSTER_ASSIGN_OR_RETURN(
      Daemon daemon,
      Daemon::Open(OptionsOf(config, seed), {.store = *store,
                                             .server = *server,
                                             .clock = *clock,
                                             .entropy = *entropy,
                                             .min_free_bytes = config.min_free_bytes,
                                             .reload = [&config] { return ReadAgain(config); },
                                             .recording = recording ? &*recording : nullptr,
                                             .origin = OriginOf(config, seed),
                                             .what_ifs = WhatIfsOf(config)}));
  spdlog::info("federation '{}' listens on {}", config.name, server->Endpoint());
  while (!io::StopRequested()) {
    if (io::TakeReloadRequest()) daemon.Reload();
    MUSTER_RETURN_IF_ERROR(daemon.Turn(kLongestWait));
  }
  spdlog::info("stopped; sites go on with what they were permitted");
  return absl::OkStatus();
}

int Main(int argc, char** argv) {
  CLI::App app{"muster-metad: the meta daemon of a federation"};
  std::string path;
  bool check = false;
  app.add_option("--config", path, "meta.toml")->required();
  app.add_flag("--check", check, "only read the configuration and say what is wrong with it");
  CLI11_PARSE(app, argc, argv);
  io::OpenLog("meta");

  const Diagnosed<config::MetaConfig> config = config::ReadMetaConfig(path);
  if (!config.ok()) {
    std::fputs(Render(config.diagnostic()).c_str(), stderr);
    return 2;
  }
  if (check) {
    std::printf("%s: good: federation '%s', %zu sites, %zu users\n", path.c_str(),
                config->name.c_str(), config->sites.size(), config->users.size());
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
}  // namespace muster::meta

int main(int argc, char** argv) { return muster::meta::Main(argc, argv); }
