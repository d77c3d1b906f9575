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
  config::FederationAddress address;  // with a site: `meta` and `meta_key` are the site's
  io::KeyPair keys;
  bool from_up = false;  // found through a pointer file
  std::string site;      // --via: this site itself is asked; else empty

  // Who is asked, for messages.
  const std::string& asked() const { return site.empty() ? address.name : site; }
};

// --federation, MUSTER_FEDERATION, `default` of the user's configuration, then of
// /etc/muster/config.toml, else a running `muster up`. MUSTER_CONFIG names another configuration,
// MUSTER_KEY another key file; --via one of its sites. Takes the configuration's preferences into
// `context`.
Expect<Federation> FindFederation(Context& context);

}  // namespace muster::cli
