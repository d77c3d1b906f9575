// Reads site.toml. Sections are read in dependency order. site_nodes.cc reads the resources,
// rules_reader.cc the rules.
#include "base/config/site_config.h"

#include <algorithm>
#include <charconv>

#include "base/config/document.h"
#include "base/config/listed.h"
#include "base/config/node_set_reader.h"
#include "base/config/policy_reader.h"
#include "base/config/rules_reader.h"
#include "base/config/site_machine.h"
#include "base/config/site_nodes.h"
#include "base/text/node_set.h"
#include "base/units.h"

namespace muster::config {
namespace {

// Reads "20000-29999".
void ReadPorts(const Value& value, SiteConfig& config) {
  const std::optional<std::string> text = value.AsText();
  if (!text) return;
  const char* const end = text->data() + text->size();
  uint16_t first = 0;
  uint16_t last = 0;
  const auto low = std::from_chars(text->data(), end, first);
  const bool dash = low.ec == std::errc() && low.ptr != end && *low.ptr == '-';
  const auto high = dash ? std::from_chars(low.ptr + 1, end, last) : low;
  constexpr uint16_t kLeastPort = 1024;  // lower ports need root
  if (!dash || high.ec != std::errc() || high.ptr != end || first < kLeastPort || first > last) {
    value.Report("malformed ports '" + *text + "'", "",
                 {"two numbers from 1024 to 65535, as in \"20000-29999\""});
    return;
  }
  config.first_port = first;
  config.last_port = last;
}

void ReadSite(Section section, SiteConfig& config) {
  const Value name = section.Need("name");
  Set(config.name, name.AsName());
  if (config.name == "any") name.Report("no site is named 'any'", "it means every site");
  ReadZone(section.Get("time_zone"), config.time_zone, config.zone);
  Set(config.meta, section.Need("meta").AsEndpoint(false));
  Set(config.meta_key, section.Need("meta_key").AsPublicKey());
  Set(config.key_path, section.Need("key").AsPath());
  Set(config.state_dir, section.Need("state_dir").AsPath());
  Set(config.min_free_bytes, section.Get("min_free").AsSize());
  Set(config.record, section.Get("record").AsBool());
  Set(config.driver, section.Get("driver").AsChoice({"process", "simulated", "slurm"}));
  if (const auto turnover = section.Get("turnover").AsSpan(Span{0}, kDay))
    config.turnover = *turnover;
  Set(config.output_keep, section.Get("output_keep").AsSpan(Span{0}, Span{10 * kYear.seconds}));
  Set(config.rendezvous_host, section.Get("rendezvous_host").AsName());
  ReadPorts(section.Get("rendezvous_ports"), config);
  Set(config.listen, section.Get("listen").AsEndpoint(true));
  section.Finish();
}

// What is in the way of names in Slurm itself is said by the driver when it opens.
void ReadSlurm(Section section, SiteConfig& config) {
  if (config.driver != "slurm") {
    if (section.present()) section.Report("[slurm] is for driver = \"slurm\"");
    section.Finish();
    return;
  }
  SlurmConfig& slurm = config.slurm.emplace();
  const Value conf = section.Need("conf");
  Set(slurm.conf, conf.AsPath());
  Set(slurm.shared_folder, section.Need("shared_folder").AsPath());
  const auto read_names = [&](const char* key, std::vector<std::string>& into) {
    const Value value = section.Get(key);
    if (!value) return;
    for (const Value& one : value.AsList()) {
      if (const auto name = one.AsText()) into.push_back(*name);
    }
  };
  read_names("partitions", slurm.partitions);
  read_names("commons", slurm.commons);
  for (const char* key :
       {"conf", "shared_folder", "partitions", "commons", "walls", "start_ahead"}) {
    if (const Value value = section.Get(key)) config.slurm_where[key] = value.where();
  }
  const Value walls = section.Get("walls");
  Set(slurm.walls, walls.AsChoice({"each", "commons", "none"}));
  if (slurm.walls == "commons" && slurm.commons.empty() && walls) {
    walls.Report("only nodes of the commons are used, and there are none", "",
                 {"commons = [\"NAME\"], a reservation without end, or \"partition:NAME\""});
  }
  if (!slurm.commons.empty() && slurm.walls == "each") {
    if (walls) {
      walls.Report("there is a commons, and a job of the cluster is in one reservation", "",
                   {"walls = \"commons\", or leave the commons out, or make two sites"});
    }
    slurm.walls = "commons";
  }
  constexpr int64_t kMostWalls = 5000;
  Set(slurm.most_walls, section.Get("max_walls").AsInteger(1, kMostWalls));
  Set(slurm.pending, section.Get("pending").AsChoice({"respect", "ignore"}));
  Set(slurm.strict, section.Get("strict").AsBool());
  if (const auto ahead = section.Get("start_ahead").AsSpan(Span{1}, Span{30})) {
    slurm.start_ahead = *ahead;
  }
  section.Finish();
}

NodeValues ValuesOf(const Declared& declared, const SiteConfig& config) {
  NodeValues out = declared.properties;
  for (const NodeConfig& node : config.nodes) {
    out[kSpeedAttribute].insert(text::SpeedText(node.speed));
  }
  for (const SwitchConfig& one : config.switches) out[kSwitchAttribute].insert(one.name);
  return out;
}

void ReadPlanning(Section section, SiteConfig& config) {
  PlanningConfig& planning = config.planning;
  const Value policy = section.Get("policy");
  if (const auto chosen = policy.AsChoice({"greedy", "best-fit", "switch"})) {
    if (*chosen == "greedy") planning.policy = PlanningConfig::Policy::kGreedy;
    if (*chosen == "best-fit") planning.policy = PlanningConfig::Policy::kBestFit;
    if (*chosen == "switch") planning.policy = PlanningConfig::Policy::kSwitch;
    if (*chosen == "switch" && config.switches.empty()) {
      policy.Report("policy 'switch' groups jobs by switch, and there is no [[switch]]", "",
                    {"greedy or best-fit, or say which nodes are at which switch"});
    } else if (!config.machine.size.empty()) {
      policy.Report(
          "a policy chooses among nodes, and a " + config.machine.kind + " gives whole partitions",
          "", {"[machine] choice says which of them"});
    }
  }
  Set(planning.horizon, section.Get("horizon").AsSpan(Span{3600}, Span{10 * kYear.seconds}));
  Set(planning.budget, section.Get("budget").AsBootSpan(Milliseconds(1), Seconds(10)));
  section.Finish();
}

// REQUIRES that the planning horizon has been read.
void ReadFederation(Section section, const PlanningConfig& planning, FederationShare& share) {
  Set(share.max_share_percent, section.Get("max_share").AsPercent(1, 100));
  Set(share.max_holds, section.Get("max_holds").AsInteger(1, 10'000'000));
  Set(share.max_held, section.Get("max_held").AsInteger(1, 1'000'000));
  Set(share.max_lease, section.Get("max_lease").AsBootSpan(Seconds(1), Seconds(24 * 3600)));
  share.horizon = std::min(share.horizon, planning.horizon);
  const Value horizon = section.Get("horizon");
  Set(share.horizon, horizon.AsSpan(Span{60}, Span{10 * kYear.seconds}));
  if (horizon && share.horizon > planning.horizon) {
    horizon.Report("the meta cannot promise further ahead than anything is planned",
                   "[planning] horizon is " + DurationText(planning.horizon));
  }
  const auto beyond = section.Get("beyond_balance").AsChoice({"promise", "lend"});
  const Value slack = section.Get("balance_slack");
  const auto percent = slack.AsPercent(0, 100);
  if (beyond == "lend") {
    share.lends_beyond_percent = percent.value_or(0);
  } else if (slack) {
    slack.Report("there is no balance to exceed", "set beyond_balance = \"lend\" beside it");
  }
  Section users = section.GetSection("users");
  Lines names;
  const std::vector<Value> values = users.All(names);
  for (size_t i = 0; i < names.size(); ++i) {
    if (const auto name = values[i].AsName()) share.users[names[i]] = *name;
  }
  section.Finish();
}

void ReadTimeouts(Section section, SiteConfig& config) {
  Set(config.allocate_timeout, section.Get("allocate").AsSpan(Span{1}, kDay));
  Set(config.release_timeout, section.Get("release").AsSpan(Span{1}, kDay));
  Set(config.extend_percent, section.Get("extend").AsPercent(0, 1000));
  section.Finish();
}

void ReadUsers(Section& root, SiteConfig& config) {
  Listed listed;
  for (Section& section : root.GetSections("user")) {
    config.users.push_back(ReadUser(section, listed, config.validities));
    section.Finish();
  }
  ReadGroups(root, listed, config.validities);
  config.validities.zone = config.zone;
  if (!config.listen.empty() && config.users.empty()) {
    config.warnings.push_back("[site] has listen, but there is no [[user]]: nobody is heard there");
  }
  if (config.listen.empty() && !config.users.empty()) {
    config.warnings.push_back("there are [[user]]s, but [site] has no listen: they are not heard");
  }
}

// Those who run here are listed by the federation.
void ReadPolicies(Section& root, SiteConfig& config) {
  const Named named{.of_others = true};
  config.priority = ReadPriority(root.GetSection("priority"), named, OrderOf::kSite);
  config.fairshare = ReadFairshare(root, named, false);
  Section lent = root.GetSection("lent");
  if (lent.present()) {
    config.lends_to = ReadKnown(lent.Need("to"), named, CredentialName::Kind::kEverybody);
    const Value recalled_for = lent.Get("recalled_for");
    if (recalled_for) {
      config.lent_recalled_for = ReadKnown(recalled_for, named, CredentialName::Kind::kEverybody);
    }
  }
  lent.Finish();
  Section what_if = root.GetSection("whatif");
  Set(config.shows_records, what_if.Get("snapshot").AsChoice({"off", "operators", "all"}));
  what_if.Finish();
  const auto to_nobody = [&](const std::string& rule) {
    if (!config.lends_to.empty()) return;
    config.warnings.push_back(rule + " lends what it keeps to nobody: there is no [lent] to");
  };
  if (config.federation.lends_beyond_percent) to_nobody("[federation] beyond_balance");
  for (const PoolConfig& pool : config.pools) {
    if (pool.lend) to_nobody("[[freepool]] '" + pool.name + "'");
  }
  for (const ReservationConfig& reservation : config.reservations) {
    if (reservation.lend) to_nobody("[[reservation]] '" + reservation.name + "'");
  }
  if (!config.priority) return;
  const auto weight = config.priority->weights.find("fs_local");
  const bool weighs = weight != config.priority->weights.end() && weight->second != 0;
  if (weighs && (!config.fairshare || config.fairshare->shares.empty())) {
    config.warnings.push_back(
        "[priority] weighs fs_local, but there is no [[share]]: it is 0 for everybody");
  }
}

}  // namespace

Diagnosed<SiteConfig> ParseSiteConfig(const std::string& path, std::string_view text,
                                      std::optional<AsOf> as_of, const Found* found) {
  Document document(path, text);
  if (document.error()) return *document.error();
  SiteConfig config;
  config.path = path;
  config.text = text;
  Section root(document);
  ReadSite(root.NeedSection("site"), config);
  ReadSlurm(root.GetSection("slurm"), config);
  if (config.slurm && found == nullptr) {
    ReadFederation(root.GetSection("federation"), config.planning, config.federation);
    if (document.error()) return *document.error();
    config.partial = true;
    return config;
  }
  if (!config.slurm) found = nullptr;
  Section machine = root.GetSection("machine");
  const Declared declared = ReadNodes(document, root, config, found);
  ReadMachine(std::move(machine), declared, config);
  ReadRules(document, root, declared, as_of, config);
  ReadPlanning(root.GetSection("planning"), config);
  config.node_set = ReadNodeSet(root.GetSection("nodeset"), ValuesOf(declared, config));
  ReadFederation(root.GetSection("federation"), config.planning, config.federation);
  ReadTimeouts(root.GetSection("timeouts"), config);
  ReadUsers(root, config);
  ReadPolicies(root, config);
  root.Finish();
  if (document.error()) return *document.error();
  return config;
}

Diagnosed<SiteConfig> ReadSiteConfig(const std::string& path, std::optional<AsOf> as_of,
                                     const Found* found) {
  const Diagnosed<std::string> text = ReadFile(path);
  if (!text.ok()) return text.diagnostic();
  return ParseSiteConfig(path, *text, as_of, found);
}

}  // namespace muster::config
