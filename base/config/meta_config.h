// meta.toml: the federation as its meta daemon is told of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/config/listed_user.h"
#include "base/diagnostic.h"
#include "base/time.h"
#include "base/validities.h"

namespace muster::config {

struct SchedulerConfig {
  std::string packing = "auto";   // auto fcfs fcfs* ffdh ffdh* ffih ffih*
  std::optional<Span> threshold;  // none: "inf", every request is promised at submission
  int64_t block_max = 1000;       // entries of a block
  int64_t ask_sites = 3;          // best k sites asked per part
  int64_t ask_joint = 16;         // best k sites asked first about parts that start together
  double confidence = 0.9;        // of "expected"
  Span horizon{90 * 86400};
  std::optional<Span> duration;  // of jobs that say none, where no site has a default
};

// protocol.md section 9. Read: lead <= start_wait, permit_window < start_wait.
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
  int64_t order = 1;  // weight in extraction
};

struct ListedSite {
  std::string name;
  std::string key;          // public
  int speed_percent = 100;  // of the reference, by which requests say how long they take
  int64_t cost = 0;         // compared where starts, ends and loads are alike
};

struct LinkConfig {
  std::string from;  // listed sites, in the order written
  std::string to;
  int64_t mbit_per_s = 0;
  BootSpan latency;
};

struct MetaConfig {
  std::string path;               // of the file it was read from
  std::string text;               // of that file
  std::string name;               // of the federation
  std::string time_zone = "UTC";  // of every validity below; as a value in `validities`
  std::string listen;             // tcp://HOST:PORT
  std::string key_path;
  std::string state_dir;
  bool record = false;                        // each turn of the core is written down
  int64_t min_free_bytes = int64_t{2} << 30;  // less disk than this: new work is refused
  SchedulerConfig scheduler;
  ProtocolConfig protocol;
  std::vector<QueueConfig> queues;  // highest first; never empty
  std::vector<ListedSite> sites;    // names and keys are unique, over users too
  std::vector<ListedUser> users;
  Validities validities;  // of users and groups
  std::vector<LinkConfig> links;
};

// Relative paths in the file start from its folder. The first error of the file, if it has one.
Diagnosed<MetaConfig> ReadMetaConfig(const std::string& path);
Diagnosed<MetaConfig> ParseMetaConfig(const std::string& path, std::string_view text);

}  // namespace muster::config
