// A user's config.toml: the user's federations and display settings. No setting changes a request.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace muster::config {

enum class ColorChoice { kAuto, kAlways, kNever };

// A site that --via asks directly while the meta is down.
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
  SourceSpan key_where;  // position of `key` in the file, for errors about a refused key
  std::vector<SiteAddress> sites;
};

struct UserConfig {
  std::string default_federation;  // empty: none is set
  std::vector<FederationAddress> federations;
  ColorChoice color = ColorChoice::kAuto;
  bool utc = false;
};

// Reads config.toml; relative paths in the file are relative to its folder. Errors: the first error
// of the file.
Diagnosed<UserConfig> ReadUserConfig(const std::string& path);
Diagnosed<UserConfig> ParseUserConfig(const std::string& path, std::string_view text);

}  // namespace muster::config
