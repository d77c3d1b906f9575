// Copies one value per line.
#include "site/settings/options_of.h"

#include "policy/settings/rules_of.h"
#include "site/settings/rules_of.h"
#include "site/settings/units_of.h"

namespace muster::site {
namespace {

ShowsRecords ShowsRecordsOf(const std::string& to) {
  if (to == "off") return ShowsRecords::kToNobody;
  return to == "operators" ? ShowsRecords::kToOperators : ShowsRecords::kToAll;
}

}  // namespace

config::Found FoundBy(const driver::Facts& facts) {
  config::Found out{.nodes = {}, .jobwide = facts.jobwide};
  for (const schemas::NodeFact& node : facts.nodes) {
    out.nodes.push_back(
        {.name = node.name, .resources = node.resources, .properties = node.properties});
  }
  return out;
}

Options OptionsOf(const config::SiteConfig& config, const Process& process) {
  return OptionsOf(config, process, driver::FactsOf(config.driver));
}

Options OptionsOf(const config::SiteConfig& config, const Process& process,
                  const driver::Facts& facts) {
  Options options;
  options.name = config.name;
  options.boot_id = process.boot_id;
  for (const config::NodeConfig& node : config.nodes) {
    options.nodes.push_back({node.name, node.resources, node.properties, {}, node.speed});
  }
  options.driver = config.driver;
  options.facts = facts;
  options.facts.turnover = config.turnover.value_or(facts.turnover);
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
  options.seed = process.seed;
  options.secret_root = process.secret_root;
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
