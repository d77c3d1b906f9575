// The configuration of a site daemon, site.toml.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/calendar.h"
#include "base/config/fairshare_config.h"
#include "base/config/listed_user.h"
#include "base/config/node_set_config.h"
#include "base/config/priority_config.h"
#include "base/config/site_rules.h"
#include "base/diagnostic.h"
#include "base/node_set.h"
#include "base/resources.h"
#include "base/time.h"
#include "base/validities.h"

namespace muster::config {

// One node. Nodes are kept in the order of the file.
struct NodeConfig {
  std::string name;
  ResourceSet resources;  // sizes in bytes
  std::map<std::string, std::string> properties;
  size_t range = 0;            // index in SiteConfig::ranges
  int64_t speed = kFullSpeed;  // in thousandths of the reference
};

// The topology of the nodes: CCS Sect. 4, scheduling.md section 8.
struct MachineConfig {
  std::string kind = "flat";       // flat, mesh, hypercube, torus, tree
  std::vector<uint32_t> size;      // in units per axis; empty for flat and tree
  std::vector<std::string> links;  // nodes of a mesh that have an I/O link
  bool links_at_border = false;    // all nodes at the border have one
  int waste_percent = 25;          // share of the requested size that a larger partition may waste
  std::string choice = "known-set";  // known-set, least-damage, first-fit
};

// [slurm]: how the site is beside a Slurm cluster that keeps its own users.
struct SlurmConfig {
  std::string conf;                     // path of slurm.conf
  std::string shared_folder;            // absolute; this machine and all nodes see it
  std::vector<std::string> partitions;  // empty: all that are up
  std::vector<std::string> commons;     // reservations without end, or "partition:NAME"
  std::string walls = "each";           // each, commons, none; with a commons never each
  int64_t most_walls = 500;
  std::string pending = "respect";  // respect, ignore
  bool strict = true;               // jobs of others in the commons are killed
  std::optional<Span> start_ahead;  // none: by the cluster's own parameters
  bool operator==(const SlurmConfig&) const = default;
};

// Limits on what the meta may use of this site.
struct FederationShare {
  int max_share_percent = 100;
  int64_t max_holds = 100000;
  int64_t max_held = 200;
  BootSpan max_lease = Seconds(300);
  Span horizon{90 * 86400};  // at most PlanningConfig::horizon
  // beyond_balance = "lend": once the site gave users of other homes more than its own took
  // elsewhere and this much of what it has in one window, they get lent room alone. None: they are
  // promised starts all the same.
  std::optional<int> lends_beyond_percent;
  // Maps user names of the federation to accounts of this site. "*": all others; "deny": refused.
  std::map<std::string, std::string> users;
};

struct SiteConfig {
  std::string path;  // path of the file
  std::string text;  // text of the file
  std::string name;
  std::string time_zone = "UTC";  // zone of every validity below
  Zone zone;                      // the same zone as a value
  std::string meta;               // tcp://HOST:PORT that the site dials
  std::string meta_key;           // public key of the meta
  std::string key_path;
  std::string state_dir;
  bool record = false;                        // record each turn of the core
  int64_t min_free_bytes = int64_t{2} << 30;  // with less free disk space, new holds are refused
  std::string driver = "process";             // process, simulated or slurm
  std::optional<SlurmConfig> slurm;           // set if the driver is slurm
  std::map<std::string, SourceSpan> slurm_where;  // of its names, for what the cluster refuses
  std::optional<Span> turnover;                   // none: the default of the driver
  std::string rendezvous_host = "127.0.0.1";      // address at which parts of this site are reached
  uint16_t first_port = 20000;  // each live part gets a port of [first_port, last_port]
  uint16_t last_port = 29999;
  Span output_keep{7 * 86400};
  MachineConfig machine;
  std::vector<NodeConfig> nodes;  // names unique; at least one, but with slurm, which knows its own
  std::vector<NodeRange> ranges;  // one per [[nodes]]
  // The names of all resources of nodes: ncpus, mem, ngpus, then others that nodes declare.
  std::vector<std::string> resources;
  std::vector<SwitchConfig> switches;
  ResourceSet jobwide;  // resources of the whole site: licences, disk
  std::vector<LimitConfig> limits;
  std::vector<PoolConfig> pools;
  std::vector<ReservationConfig> reservations;
  std::vector<RequestValues> defaults;
  std::vector<RequestValues> forced;
  PlanningConfig planning;
  NodeSetConfig node_set;
  FederationShare federation;
  Span allocate_timeout{60};
  Span release_timeout{60};
  int extend_percent = 10;  // share of its duration by which a running job may be extended
  std::string listen;  // tcp://HOST:PORT for the site's own users; empty: no listener, and no --via
  std::vector<ListedUser> users;  // names and keys are unique
  Validities validities;          // of these users and their groups
  // Whom the site moves earlier first, of all that runs here; none: the more urgent.
  std::optional<PriorityConfig> priority;
  std::optional<FairshareConfig> fairshare;  // what counts as used here, and shares of it
  std::vector<std::string> lends_to;         // [lent] to: "*", "kim", "@weather", "qos filler"
  std::vector<std::string> lent_recalled_for = {"*"};  // the same of [lent] recalled_for
  std::string shows_records = "all";  // [whatif] snapshot: "off", "operators", "all"
  // One line each on accepted settings that are probably mistakes, such as users without a
  // listener.
  std::vector<std::string> warnings;
  bool partial = false;  // read without the nodes that the driver knows
};

// The time at which a file is read. If `refuse_past`, a reservation that is over by then is an
// error, for a person who has just written the file; otherwise it is a warning, so that a daemon
// still starts with an older file.
struct AsOf {
  Instant now;
  bool refuse_past = true;
};

// What a driver's machine has, where the driver knows that.
struct Found {
  std::vector<NodeConfig> nodes;
  ResourceSet jobwide;
};

// Reads site.toml; relative paths in the file are relative to its folder. Errors: the first error
// of the file, also a key that this version does not support. Without `as_of` no reservation is
// over. `found`: by a driver that knows its machine, as slurm does. [[nodes]] adds properties,
// speeds and conditions to its nodes; [jobwide] adds what it does not have. Without it
// such a file is read only as far as they are not needed, and `partial` is set.
Diagnosed<SiteConfig> ReadSiteConfig(const std::string& path, std::optional<AsOf> as_of = {},
                                     const Found* found = nullptr);
Diagnosed<SiteConfig> ParseSiteConfig(const std::string& path, std::string_view text,
                                      std::optional<AsOf> as_of = {}, const Found* found = nullptr);

}  // namespace muster::config
