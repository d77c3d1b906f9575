// Copies one value per line; the constants of the drivers are at the top.
#include "site/settings/options_of.h"

#include "policy/settings/rules_of.h"
#include "site/settings/rules_of.h"
#include "site/settings/units_of.h"

namespace muster::site {
namespace {

// Of the process driver: the time needed between two parts on a node, and by how much a part may
// start late. protocol.md sections 4 and 5.
constexpr Span kProcessTurnover{1};
constexpr Span kProcessStartSlack{1};

ShowsRecords ShowsRecordsOf(const std::string& to) {
  if (to == "off") return ShowsRecords::kToNobody;
  return to == "operators" ? ShowsRecords::kToOperators : ShowsRecords::kToAll;
}

}  // namespace

Options OptionsOf(const config::SiteConfig& config, const Process& facts) {
  Options options;
  options.name = config.name;
  options.boot_id = facts.boot_id;
  for (const config::NodeConfig& node : config.nodes) {
    options.nodes.push_back({node.name, node.resources, node.properties, {}, node.speed});
  }
  const bool process = config.driver == "process";
  options.driver = config.driver;
  options.turnover = config.turnover.value_or(process ? kProcessTurnover : Span{0});
  options.start_slack = process ? kProcessStartSlack : Span{0};
  options.finds_parts = process;
  options.rendezvous_host = config.rendezvous_host;
  options.first_port = config.first_port;
  options.last_port = config.last_port;
  options.max_holds = static_cast<size_t>(config.federation.max_holds);
  options.max_held = static_cast<size_t>(config.federation.max_held);
  options.max_lease = config.federation.max_lease;
  options.horizon = config.planning.horizon;
  options.federation_horizon = config.federation.horizon;
  options.plan_looks = LooksOf(config.planning);
  options.extend_percent = config.extend_percent;
  options.allocate_timeout = config.allocate_timeout;
  options.release_timeout = config.release_timeout;
  options.rules = RulesOf(config);
  options.policy = PolicyOf(config.planning);
  options.node_set = config.node_set.set;
  options.node_set_forced = config.node_set.forced;
  options.units = UnitsOf(config);
  options.choice = ChoiceOf(config.machine);
  for (const config::SwitchConfig& one : config.switches) {
    options.switches.push_back({one.name, one.nodes, one.switches});
  }
  options.seed = facts.seed;
  options.secret_root = facts.secret_root;
  for (const config::ListedUser& user : config.users) {
    options.users.push_back({user.name, user.is_operator, user.groups});
  }
  options.validities = config.validities;
  if (config.priority) options.priority = policy::PointsRulesOf(*config.priority);
  options.lends_to = config.lends_to;
  options.lends_beyond = config.federation.lends_beyond_percent;
  options.shows_records = ShowsRecordsOf(config.shows_records);
  if (config.fairshare) options.fairshare = policy::FairshareRulesOf(*config.fairshare);
  return options;
}

}  // namespace muster::site
