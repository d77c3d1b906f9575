// Finds the federation that a command talks to, and the key. cli.md section 1.7.
#pragma once

#include <optional>
#include <string>

#include "base/config/user_config.h"
#include "base/io/entropy.h"
#include "cli/context.h"
#include "cli/failure.h"

namespace muster::cli {

// The path of the file that `muster up` writes for its federation, in the form of a user's
// configuration.
std::string PointerFile(const std::string& federation);
inline constexpr char kLocalFederation[] = "local";

struct Federation {
  config::FederationAddress address;  // with `site` set, `meta` and `meta_key` are the site's
  io::KeyPair keys;
  bool from_up = false;  // found through a pointer file
  std::string site;      // the site that is addressed directly by --via; else empty

  // Name of the daemon that is asked, for messages.
  const std::string& asked() const { return site.empty() ? address.name : site; }
};

// Finds the federation by, in this order: --federation, MUSTER_FEDERATION, `default` of the user's
// configuration, `default` of /etc/muster/config.toml, a running `muster up`. MUSTER_CONFIG names
// another configuration file, MUSTER_KEY another key file, --via one of the federation's sites.
// Copies the configuration's preferences to `context`.
Expect<Federation> FindFederation(Context& context);

}  // namespace muster::cli
