// What is in the way of an option is named by the option.
#include "site/driver/slurm/grants.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "site/driver/slurm/shapes.h"

namespace muster::driver::slurm {
namespace {

constexpr Span kTurnover{2};
constexpr char kPartitionWord[] = "partition:";

}  // namespace

SeenOptions SeenOptionsOf(const SlurmOptions& options) {
  SeenOptions seen{.prefix = options.prefix,
                   .partitions = {options.partitions.begin(), options.partitions.end()},
                   .only_commons = options.walls == SlurmWalls::kCommons,
                   .respect_pending = options.respect_pending,
                   .start_ahead = options.start_ahead};
  for (const std::string& name : options.commons) {
    if (name.starts_with(kPartitionWord)) {
      seen.commons_partitions.insert(name.substr(std::string(kPartitionWord).size()));
    } else {
      seen.commons.insert(name);
    }
  }
  return seen;
}

absl::Status CheckNamed(const SlurmOptions& options, const SeenOptions& seen, const Look& look) {
  std::set<std::string> partitions, reservations, root_only;
  for (const auto& partition : look.partitions) {
    partitions.insert(partition.name);
    if (partition.root_only) root_only.insert(partition.name);
  }
  for (const auto& reservation : look.reservations) reservations.insert(reservation.name);
  const auto cluster = look.settings.cluster;
  for (const std::string& name : options.partitions) {
    if (!partitions.contains(name))
      return NotFound(fmt::format("partitions: cluster '{}' has no partition '{}'", cluster, name));
  }
  for (const std::string& name : seen.commons_partitions) {
    if (!partitions.contains(name))
      return NotFound(fmt::format("commons: cluster '{}' has no partition '{}'", cluster, name));
    if (root_only.contains(name)) {
      return InvalidArgument(fmt::format(
          "commons: partition '{}' has RootOnly=YES, where jobs for users never start", name));
    }
  }
  for (const std::string& name : seen.commons) {
    if (!reservations.contains(name))
      return NotFound(fmt::format("commons: cluster '{}' has no reservation '{}'", cluster, name));
  }
  return absl::OkStatus();
}

absl::Status CheckOptions(const SlurmOptions& options) {
  if (options.prefix.empty() ||
      options.prefix.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789_-") != std::string::npos) {
    return InvalidArgument(fmt::format(
        "prefix '{}': one to many letters, digits, '_' and '-' are right", options.prefix));
  }
  if (options.start_ahead && *options.start_ahead < Span{0}) {
    return InvalidArgument("start_ahead: it is negative");
  }
  if (options.walls == SlurmWalls::kCommons && options.commons.empty()) {
    return InvalidArgument("walls: \"commons\" without a commons, so that no node could be used");
  }
  return absl::OkStatus();
}

Facts FactsFrom(const SlurmOptions& options, const SeenOptions& seen, const Look& look,
                const std::vector<NodeFact>& before) {
  Facts facts{.nodes = FactsOf(look, seen, before),
              .jobwide = JobwideFacts(look, seen),
              .turnover = kTurnover};
  facts.start_ahead =
      options.start_ahead.value_or(StartAheadOf(look.settings.scheduler_parameters));
  facts.even = true;
  facts.start_slack = facts.start_ahead;  // where its nodes are not free before its start
  facts.finds_parts = true;
  facts.shared = true;
  facts.most_walls = options.walls == SlurmWalls::kEach ? options.most_walls : 0;
  facts.firm = options.walls != SlurmWalls::kNone;
  facts.wall_prefix = options.prefix;
  // A job whose limit, in whole minutes, reaches into the next wall on its nodes does not start.
  if (facts.most_walls > 0) facts.booked_in = Span{60};
  facts.capabilities = {"cores", "users"};
  const auto has_gpus = [](const NodeFact& node) { return node.resources.Get("ngpus") > 0; };
  if (std::any_of(facts.nodes.begin(), facts.nodes.end(), has_gpus))
    facts.capabilities.emplace_back("gpus");
  if (!facts.jobwide.empty()) facts.capabilities.emplace_back("licences");
  if (!options.commons.empty()) facts.capabilities.emplace_back("walls:commons");
  if (options.walls == SlurmWalls::kEach) facts.capabilities.emplace_back("walls:each");
  std::sort(facts.capabilities.begin(), facts.capabilities.end());
  return facts;
}

}  // namespace muster::driver::slurm
