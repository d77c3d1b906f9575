// site.toml: a site as its daemon is told of it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/config/listed_user.h"
#include "base/diagnostic.h"
#include "base/resources.h"
#include "base/time.h"

namespace muster::config {

// One node, in the order of the file.
struct NodeConfig {
  std::string name;
  ResourceSet resources;  // sizes in bytes
  std::map<std::string, std::string> properties;
};

// What the meta may take.
struct FederationShare {
  int max_share_percent = 100;
  int64_t max_holds = 100000;
  int64_t max_held = 200;
  BootSpan max_lease = Seconds(300);
  Span horizon{90 * 86400};
  std::map<std::string, std::string>
      users;  // federation's name to the site's; "*": all others; "deny"
};

struct SiteConfig {
  std::string name;
  std::string time_zone = "UTC";
  std::string meta;      // tcp://HOST:PORT, dialled from here
  std::string meta_key;  // public key of the meta
  std::string key_path;
  std::string state_dir;
  int64_t min_free_bytes = int64_t{2} << 30;  // less disk than this: new holds are refused
  std::string driver = "process";             // process, simulated
  std::optional<Span> turnover;               // none: the driver's
  std::string rendezvous_host = "127.0.0.1";  // where parts of this site are reached
  uint16_t first_port = 20000;                // one of [first_port, last_port] per live part
  uint16_t last_port = 29999;
  Span output_keep{7 * 86400};
  std::string machine = "flat";
  std::vector<NodeConfig> nodes;  // at least one, names unique
  std::vector<std::string>
      resources;  // all names the nodes declare: ncpus, mem, ngpus, then others
  FederationShare federation;
  Span allocate_timeout{60};
  Span release_timeout{60};
  int extend_percent = 10;        // of a running job's duration
  std::string listen;             // tcp://HOST:PORT for its own users; empty: none, and no --via
  std::vector<ListedUser> users;  // names and keys are unique
  // What is taken and yet hardly meant, one line each: users without a listener, the reverse.
  std::vector<std::string> warnings;
};

// Relative paths in the file start from its folder. The first error of the file, if it has one.
// What later versions take (limits, pools, reservations, switches, job-wide resources) is refused,
// never ignored.
Diagnosed<SiteConfig> ReadSiteConfig(const std::string& path);
Diagnosed<SiteConfig> ParseSiteConfig(const std::string& path, std::string_view text);

}  // namespace muster::config
