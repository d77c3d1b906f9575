// The configuration of a meta daemon and its federation, meta.toml.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/config/bank_config.h"
#include "base/config/fairshare_config.h"
#include "base/config/listed_user.h"
#include "base/config/priority_config.h"
#include "base/config/qos_config.h"
#include "base/config/spanning_limit_config.h"
#include "base/diagnostic.h"
#include "base/time.h"
#include "base/validities.h"

namespace muster::config {

struct SchedulerConfig {
  std::string packing = "auto";   // auto, fcfs, fcfs*, ffdh, ffdh*, ffih or ffih*
  std::optional<Span> threshold;  // extraction threshold; none: "inf", promises at submission
  int64_t block_max = 1000;       // most requests in a block
  int64_t ask_sites = 3;          // number of best sites asked per part
  int64_t ask_joint = 16;         // number of best sites asked first if parts start together
  double confidence = 0.9;        // confidence of `expected`
  bool home_first = true;         // what is booked for others gives way to a site's own users
  Span horizon{90 * 86400};
  std::optional<Span> duration;  // default duration where no site has one
};

// The [protocol] values of protocol.md section 9. The reader ensures lead <= start_wait and
// permit_window < start_wait.
struct ProtocolConfig {
  BootSpan lead = Seconds(30);
  BootSpan start_wait = Seconds(90);
  BootSpan permit_window = Seconds(60);
  BootSpan answer_wait = Seconds(5);
  BootSpan settle = Seconds(5);
  BootSpan partner_wait = Seconds(60);
  BootSpan lease = Seconds(30);
  BootSpan heartbeat = Seconds(2);
};

struct QueueConfig {
  std::string name;
  int64_t order = 1;  // weight in the extraction order
};

struct ListedSite {
  std::string name;
  std::string key;          // public key
  int speed_percent = 100;  // of the reference speed, on which requested durations are based
  int64_t cost = 0;         // tie-breaker where starts, ends and loads are equal
  int64_t charge = 1000;    // thousandths of the rates of [bank]
};

struct LinkConfig {
  std::string from;  // a listed site
  std::string to;
  int64_t mbit_per_s = 0;
  BootSpan latency;
};

struct MetaConfig {
  std::string path;               // path of the file
  std::string text;               // text of the file
  std::string name;               // name of the federation
  std::string time_zone = "UTC";  // zone of every validity below; `validities` has it as a value
  std::string listen;             // tcp://HOST:PORT
  std::string key_path;
  std::string state_dir;
  bool record = false;                        // record each turn of the core
  int64_t min_free_bytes = int64_t{2} << 30;  // with less free disk space, new work is refused
  SchedulerConfig scheduler;
  ProtocolConfig protocol;
  std::vector<QueueConfig> queues;  // in the order of the file, highest first; never empty
  std::vector<ListedSite> sites;    // names are unique; keys too, also among the users'
  std::vector<ListedUser> users;
  Validities validities;  // of users and their groups
  std::vector<LinkConfig> links;
  std::vector<AccountConfig> accounts;
  std::vector<QosConfig> qos;
  std::optional<PriorityConfig> priority;  // none: by queue and arrival alone
  std::optional<FairshareConfig> fairshare;
  std::optional<BankConfig> bank;  // none: nothing is charged
  std::vector<SpanningLimitConfig> limits;
};

// Reads meta.toml; relative paths in the file are relative to its folder. Errors: the first error
// of the file.
Diagnosed<MetaConfig> ReadMetaConfig(const std::string& path);
Diagnosed<MetaConfig> ParseMetaConfig(const std::string& path, std::string_view text);

}  // namespace muster::config
