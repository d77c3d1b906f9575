// Which federation a command talks to, and with which key. cli.md section 1.7.
#pragma once

#include <optional>
#include <string>

#include "base/config/user_config.h"
#include "base/io/entropy.h"
#include "cli/context.h"
#include "cli/failure.h"

namespace muster::cli {

// The file that `muster up` leaves for its federation, in the form of the user's configuration.
std::string PointerFile(const std::string& federation);
inline constexpr char kLocalFederation[] = "local";

struct Federation {
  config::FederationAddress address;
  io::KeyPair keys;
  bool from_up = false;  // found through a pointer file
};

// --federation, MUSTER_FEDERATION, `default` of the user's configuration, then of
// /etc/muster/config.toml, else a running `muster up`. MUSTER_CONFIG names another configuration,
// MUSTER_KEY another key file. Takes the configuration's preferences into `context`.
Expect<Federation> FindFederation(Context& context);

}  // namespace muster::cli
