// site.toml: a site as its daemon is told of it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/calendar.h"
#include "base/config/listed_user.h"
#include "base/config/site_rules.h"
#include "base/diagnostic.h"
#include "base/resources.h"
#include "base/time.h"
#include "base/validities.h"

namespace muster::config {

// One node, in the order of the file.
struct NodeConfig {
  std::string name;
  ResourceSet resources;  // sizes in bytes
  std::map<std::string, std::string> properties;
  size_t range = 0;  // of SiteConfig::ranges
};

// What the nodes are to each other: CCS Sect. 4, scheduling.md section 8.
struct MachineConfig {
  std::string kind = "flat";         // flat, mesh, hypercube, torus, tree
  std::vector<uint32_t> size;        // in units, by axis; empty: flat, or a tree
  std::vector<std::string> links;    // nodes of a mesh that have an I/O link
  bool links_at_border = false;      // all nodes at the border have one
  int waste_percent = 25;            // of what is asked for, that a larger partition may waste
  std::string choice = "known-set";  // known-set, least-damage, first-fit
};

// What the meta may take.
struct FederationShare {
  int max_share_percent = 100;
  int64_t max_holds = 100000;
  int64_t max_held = 200;
  BootSpan max_lease = Seconds(300);
  Span horizon{90 * 86400};  // at most PlanningConfig::horizon
  std::map<std::string, std::string>
      users;  // federation's name to the site's; "*": all others; "deny"
};

struct SiteConfig {
  std::string path;  // of the file it was read from
  std::string text;  // of that file
  std::string name;
  std::string time_zone = "UTC";  // of every validity below
  Zone zone;                      // the same as a value
  std::string meta;               // tcp://HOST:PORT, dialled from here
  std::string meta_key;           // public key of the meta
  std::string key_path;
  std::string state_dir;
  bool record = false;                        // each turn of the core is written down
  int64_t min_free_bytes = int64_t{2} << 30;  // less disk than this: new holds are refused
  std::string driver = "process";             // process, simulated
  std::optional<Span> turnover;               // none: the driver's
  std::string rendezvous_host = "127.0.0.1";  // where parts of this site are reached
  uint16_t first_port = 20000;                // one of [first_port, last_port] per live part
  uint16_t last_port = 29999;
  Span output_keep{7 * 86400};
  MachineConfig machine;
  std::vector<NodeConfig> nodes;  // at least one, names unique
  std::vector<NodeRange> ranges;  // one a [[nodes]]
  std::vector<std::string>
      resources;  // all names the nodes declare: ncpus, mem, ngpus, then others
  std::vector<SwitchConfig> switches;
  ResourceSet jobwide;  // of the site as a whole: licences, disk
  std::vector<LimitConfig> limits;
  std::vector<PoolConfig> pools;
  std::vector<ReservationConfig> reservations;
  std::vector<RequestValues> defaults;
  std::vector<RequestValues> forced;
  PlanningConfig planning;
  FederationShare federation;
  Span allocate_timeout{60};
  Span release_timeout{60};
  int extend_percent = 10;        // of a running job's duration
  std::string listen;             // tcp://HOST:PORT for its own users; empty: none, and no --via
  std::vector<ListedUser> users;  // names and keys are unique
  Validities validities;          // of them and their groups
  // What is taken and yet hardly meant, one line each: users without a listener, the reverse.
  std::vector<std::string> warnings;
};

// When a file is read, and whether a reservation that is over by then is an error, which a person
// who has just written the file wants to know, or a warning, so that a daemon starts with a file
// that was right when it was written.
struct AsOf {
  Instant now;
  bool refuse_past = true;
};

// Relative paths in the file start from its folder. The first error of the file, if it has one.
// Without `as_of` nothing is over. What this version does not take is refused, never ignored.
Diagnosed<SiteConfig> ReadSiteConfig(const std::string& path, std::optional<AsOf> as_of = {});
Diagnosed<SiteConfig> ParseSiteConfig(const std::string& path, std::string_view text,
                                      std::optional<AsOf> as_of = {});

}  // namespace muster::config
