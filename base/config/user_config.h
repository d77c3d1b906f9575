// config.toml: who a user is and where to ask. Nothing in it changes a request.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace muster::config {

enum class ColorChoice { kAuto, kAlways, kNever };

// A site asked directly when the meta is gone (--via).
struct SiteAddress {
  std::string name;
  std::string address;  // tcp://HOST:PORT
  std::string key;      // public key of the site
};

struct FederationAddress {
  std::string name;
  std::string meta;      // tcp://HOST:PORT
  std::string meta_key;  // public key of the meta
  std::string key_path;  // the user's own key file
  SourceSpan key_where;  // where `key` stands: errors about a refused key point there
  std::vector<SiteAddress> sites;
};

struct UserConfig {
  std::string default_federation;  // empty: none is named
  std::vector<FederationAddress> federations;
  ColorChoice color = ColorChoice::kAuto;
  bool utc = false;
};

// Relative paths in the file start from its folder. The first error of the file, if it has one.
Diagnosed<UserConfig> ReadUserConfig(const std::string& path);
Diagnosed<UserConfig> ParseUserConfig(const std::string& path, std::string_view text);

}  // namespace muster::config
