// Searches the possible sources in order; the first match wins.
#include "cli/federation.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/io/zmq/keys.h"
#include "base/phrases.h"
#include "base/status.h"

namespace muster::cli {
namespace {

constexpr char kSystemConfig[] = "/etc/muster/config.toml";

bool Exists(const std::string& path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0;
}

// The federations on this machine that have a pointer file of `muster up`; names ascending.
std::vector<std::string> RunningUps() {
  std::vector<std::string> names;
  DIR* folder = opendir(StateFolder().c_str());
  if (folder == nullptr) return names;
  while (const dirent* entry = readdir(folder)) {
    const std::string name = entry->d_name;
    if (name[0] != '.' && Exists(PointerFile(name))) names.push_back(name);
  }
  closedir(folder);
  std::sort(names.begin(), names.end());
  return names;
}

Failure None(const std::string& config_path) {
  return Fail("no-federation", "none configured, and none runs on this machine",
              "'muster up' starts one; or name one in " + HomeShown(config_path));
}

struct Sources {
  std::string user_path;
  std::optional<config::UserConfig> user;
  std::optional<config::UserConfig> system;
};

Expect<Sources> ReadSources(Context& context) {
  Sources sources;
  const auto named = context.config_path ? context.config_path : Environment("MUSTER_CONFIG");
  sources.user_path = named.value_or(ConfigFolder() + "/config.toml");
  if (named || Exists(sources.user_path)) {
    auto read = config::ReadUserConfig(sources.user_path);
    if (!read.ok()) return read.diagnostic();
    sources.user = read.value();
    context.Prefer(*sources.user);
  }
  if (Exists(kSystemConfig)) {
    auto read = config::ReadUserConfig(kSystemConfig);
    if (!read.ok()) return read.diagnostic();
    sources.system = read.value();
    if (!sources.user) context.Prefer(*sources.system);
  }
  return sources;
}

// The federation of this name in `config`, if it has one.
const config::FederationAddress* Named(const config::UserConfig& config, const std::string& name) {
  for (const config::FederationAddress& federation : config.federations) {
    if (federation.name == name) return &federation;
  }
  return nullptr;
}

// Null also if `*config` is empty. Takes a pointer, so that nobody passes a temporary: the result
// points into the configuration.
const config::FederationAddress* Named(const std::optional<config::UserConfig>* config,
                                       const std::string& name) {
  return *config ? Named(**config, name) : nullptr;
}

Expect<Federation> FromPointer(const std::string& name) {
  auto read = config::ReadUserConfig(PointerFile(name));
  if (!read.ok()) return read.diagnostic();
  const config::FederationAddress* address = Named(read.value(), name);
  if (address == nullptr) {
    return Fail("config", HomeShown(PointerFile(name)) + " does not name '" + name + "'",
                "'muster up " + name + "' writes it anew");
  }
  return Federation{*address, {}, true};
}

Expect<Federation> Find(const std::optional<std::string>& wanted, const Sources& sources) {
  if (wanted) {
    for (const auto* config : {&sources.user, &sources.system}) {
      if (const auto* address = Named(config, *wanted)) return Federation{*address, {}, false};
    }
    if (Exists(PointerFile(*wanted))) return FromPointer(*wanted);
    std::vector<std::string> known = RunningUps();
    for (const auto* config : {&sources.user, &sources.system}) {
      if (!*config) continue;
      for (const auto& federation : (*config)->federations) known.push_back(federation.name);
    }
    std::string help = DidYouMean(*wanted, known);
    if (help.empty()) help = "name it in " + HomeShown(sources.user_path);
    return Fail("no-federation",
                "no federation '" + *wanted + "' is configured, and none runs here", help);
  }
  for (const auto* config : {&sources.user, &sources.system}) {
    if (!*config || (*config)->default_federation.empty()) continue;
    return Federation{*Named(config, (*config)->default_federation), {}, false};
  }
  const std::vector<std::string> running = RunningUps();
  if (std::find(running.begin(), running.end(), kLocalFederation) != running.end()) {
    return FromPointer(kLocalFederation);
  }
  if (running.size() == 1) return FromPointer(running.front());
  if (running.empty()) return None(sources.user_path);
  return Fail("no-federation", "several run on this machine: " + Joined(running),
              "choose one by --federation");
}

// Replaces the meta's address and key by the site's.
std::optional<Failure> GoVia(const std::string& site, const Context& context,
                             Federation& federation) {
  std::vector<std::string> known;
  for (const config::SiteAddress& address : federation.address.sites) {
    known.push_back(address.name);
    if (address.name != site) continue;
    federation.site = site;
    federation.address.meta = address.address;
    federation.address.meta_key = address.key;
    return std::nullopt;
  }
  const std::string path =
      context.config_path.value_or(Environment("MUSTER_CONFIG").value_or("config.toml"));
  Failure failure = Fail("config", "no address of site '" + site + "' is configured for --via",
                         "[federation." + federation.address.name + ".site." + site +
                             "] with address and key, in " + HomeShown(path));
  if (std::string close = DidYouMean(site, known); !close.empty()) {
    failure.diagnostic.help.insert(failure.diagnostic.help.begin(), std::move(close));
  }
  return failure;
}

}  // namespace

std::string PointerFile(const std::string& federation) {
  return StateFolder() + "/" + federation + "/federation.toml";
}

Expect<Federation> FindFederation(Context& context) {
  auto sources = ReadSources(context);
  if (!sources.ok()) return sources.failure();
  const auto wanted = context.federation ? context.federation : Environment("MUSTER_FEDERATION");
  auto found = Find(wanted, sources.value());
  if (!found.ok()) return found;
  if (context.via) {
    if (auto failure = GoVia(*context.via, context, found.value())) return *failure;
  }
  if (auto key = Environment("MUSTER_KEY")) {
    found->address.key_path = *key;
    found->address.key_where = {};
  }
  auto keys = io::ReadKeyFile(found->address.key_path);
  if (!keys.ok()) {
    Failure failure = Fail("config", std::string(Text(keys.status())));
    if (!found->address.key_where.file.empty()) failure.diagnostic.where = found->address.key_where;
    if (absl::IsNotFound(keys.status())) {
      failure.diagnostic.help.push_back("'muster keys new " + HomeShown(found->address.key_path) +
                                        "' makes one");
    }
    return failure;
  }
  found->keys = *std::move(keys);
  return found;
}

}  // namespace muster::cli
