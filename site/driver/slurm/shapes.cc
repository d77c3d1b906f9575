// Nodes are named, never counted: a reservation of four nodes was granted with three.
#include "site/driver/slurm/shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

namespace muster::driver::slurm {
namespace {

// The controller looks once a second whether its delay has passed, and then a node must make the
// job's processes: 4.4 s were seen with a delay of 3.
constexpr Span kTickAndLaunch{2};
constexpr Span kLeastPass{1};
constexpr Span kMostAhead{29};
constexpr int64_t kBatchDelay = 3;          // Slurm's default batch_sched_delay
constexpr int64_t kSchedulerInterval = 60;  // Slurm's default sched_interval
constexpr Span kSpare{2};                   // between a part's last end and Slurm's own

std::optional<int64_t> Parameter(const std::string& parameters, const std::string& name) {
  const std::string text = "," + parameters + ",";
  const size_t at = text.find("," + name + "=");
  if (at == std::string::npos) return std::nullopt;
  const char* const begin = text.data() + at + name.size() + 2;
  int64_t number = 0;
  const auto [stop, error] = std::from_chars(begin, text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  return number;
}

std::map<std::string, const Node*> ByName(const Look& look) {
  std::map<std::string, const Node*> nodes;
  for (const Node& node : look.nodes) nodes[node.name] = &node;
  return nodes;
}

// What a part has on each of its nodes, in the order in which they come first.
struct OnNode {
  std::string node;
  ResourceSet resources;
  bool blocked = false;  // an entry without resources: the whole node
};
std::vector<OnNode> NodesOfPlace(const schemas::PartPlace& place) {
  std::vector<OnNode> nodes;
  for (const schemas::ChunkPlace& chunk : place.chunks) {
    auto at = std::find_if(nodes.begin(), nodes.end(),
                           [&](const OnNode& node) { return node.node == chunk.node; });
    if (at == nodes.end()) at = nodes.insert(nodes.end(), OnNode{.node = chunk.node});
    at->resources += chunk.resources;
    if (chunk.resources.empty()) at->blocked = true;
  }
  return nodes;
}

absl::Status HalfInCommons(uint32_t part) {
  return InvalidArgument(fmt::format(
      "part {} lies half in the commons and half behind a wall: a job of Slurm is in one of them",
      part));
}

bool HasAll(const Partition& partition, const std::vector<OnNode>& nodes) {
  return std::all_of(nodes.begin(), nodes.end(), [&](const OnNode& node) {
    return std::find(partition.nodes.begin(), partition.nodes.end(), node.node) !=
           partition.nodes.end();
  });
}

// The first partition that has all nodes and starts jobs as long as the part: those of the commons
// first where the part lies in it, then as the options list them.
std::string PartitionFor(const std::vector<OnNode>& nodes, Span walltime, bool in_commons,
                         const Ground& ground) {
  const auto takes = [&](const Partition& partition) {
    return partition.up && HasAll(partition, nodes) &&
           (!partition.most_time || walltime <= LongestPart(*partition.most_time, Span{0}));
  };
  const auto allowed = [&](const Partition& partition) {
    if (!takes(partition)) return false;
    return ground.partitions.empty() ||
           std::find(ground.partitions.begin(), ground.partitions.end(), partition.name) !=
               ground.partitions.end();
  };
  for (const Partition& partition : ground.look->partitions) {
    if (in_commons && ground.commons_partitions.contains(partition.name) && takes(partition)) {
      return partition.name;
    }
  }
  std::string found;
  for (const Partition& partition : ground.look->partitions) {
    if (!allowed(partition)) continue;
    if (found.empty() || partition.is_default) found = partition.name;
  }
  return found;
}

// How long Slurm may wait until it looks for jobs that can start.
Span WaitForAPass(const std::string& parameters) {
  const bool defers = ("," + parameters + ",").find(",defer,") != std::string::npos;
  return {defers ? Parameter(parameters, "sched_interval").value_or(kSchedulerInterval)
                 : Parameter(parameters, "batch_sched_delay").value_or(kBatchDelay)};
}

std::string CommonsReservationOf(const std::vector<OnNode>& nodes, const Ground& ground) {
  for (const Reservation& reservation : ground.look->reservations) {
    if (!ground.commons_reservations.contains(reservation.name)) continue;
    const bool all = std::all_of(nodes.begin(), nodes.end(), [&](const OnNode& node) {
      return std::any_of(reservation.nodes.begin(), reservation.nodes.end(),
                         [&](const ReservedNode& there) { return there.node == node.node; });
    });
    if (all) return reservation.name;
  }
  return "";
}

}  // namespace

Span StartAheadOf(const std::string& scheduler_parameters) {
  const Span wait = WaitForAPass(scheduler_parameters);
  // A node on which a job is just completing takes no other in that pass: there is time for one
  // more.
  return std::clamp(wait + kTickAndLaunch + std::max(wait, kLeastPass), kTickAndLaunch, kMostAhead);
}

absl::StatusOr<WantedReservation> WallOf(const PutWall& put, const Ground& ground, Instant now) {
  const auto nodes = ByName(*ground.look);
  const Licences licences = LicencesOf(put.jobwide, ground.look->settings.licences);
  std::map<std::string, std::pair<int64_t, bool>> cpus;  // and whether the whole node is meant
  for (const schemas::PartPlace& place : put.places) {
    size_t inside = 0;
    const std::vector<OnNode> on = NodesOfPlace(place);
    for (const OnNode& node : on) {
      if (!nodes.contains(node.node)) {
        return InvalidArgument(fmt::format("the cluster has no node '{}'", node.node));
      }
      if (ground.commons.contains(node.node) && licences.empty()) {
        ++inside;
        continue;
      }
      cpus[node.node].first += node.resources.Get("ncpus");
      cpus[node.node].second = cpus[node.node].second || node.blocked;
    }
    if (inside > 0 && inside < on.size()) return HalfInCommons(place.index);
  }
  WantedReservation wanted{.name = put.wall, .when = put.when, .licences = licences};
  wanted.when.begin = std::max(wanted.when.begin, now);
  if (wanted.when.end <= wanted.when.begin) return InvalidArgument("its time has passed");
  bool some_cores = false;
  // In the cluster's order: Slurm takes numbers of cores in that order.
  for (const Node& node : ground.look->nodes) {
    const auto used = cpus.find(node.name);
    if (used == cpus.end()) continue;
    const auto [count, whole] = used->second;
    const bool all = whole || count >= node.cpus;
    const int64_t cores =
        (std::max<int64_t>(count, 1) + node.threads_per_core - 1) / node.threads_per_core;
    wanted.nodes.push_back({node.name, all ? 0 : cores});
    some_cores = some_cores || !all;
  }
  if (!some_cores) return wanted;
  std::vector<OnNode> all;
  for (ReservedNode& node : wanted.nodes) {
    const Node& there = *nodes.at(node.node);
    if (node.cores == 0) node.cores = there.cpus / there.threads_per_core;
    all.push_back({.node = node.node});
  }
  wanted.partition = PartitionFor(all, Span{0}, false, ground);
  return wanted;
}

bool IsAsAsked(const Reservation& there, const WantedReservation& wanted, Instant now) {
  if (there.name != wanted.name || there.when.end != wanted.when.end) return false;
  const bool begun = there.when.begin <= now && wanted.when.begin <= now;
  if (there.when.begin != wanted.when.begin && !begun) return false;
  const std::set<std::string> users(there.users.begin(), there.users.end());
  if (users != std::set<std::string>(wanted.users.begin(), wanted.users.end())) return false;
  if (there.licences != wanted.licences) return false;
  if (there.nodes.size() != wanted.nodes.size()) return false;
  int64_t cores = 0;
  for (const ReservedNode& node : wanted.nodes) {
    const auto same = std::find_if(there.nodes.begin(), there.nodes.end(),
                                   [&](const ReservedNode& at) { return at.node == node.node; });
    if (same == there.nodes.end()) return false;
    if (same->cores != 0 && node.cores != 0 && same->cores != node.cores) return false;
    cores += node.cores;
  }
  // Where Slurm does not say which cores, their sum must be right.
  return cores == 0 || there.cores == 0 || there.cores == cores;
}

bool HasOnlyAnotherEnd(const Reservation& there, const WantedReservation& wanted) {
  WantedReservation same = wanted;
  same.when.end = there.when.end;
  return IsAsAsked(there, same, std::max(there.when.begin, wanted.when.begin));
}

Span LongestPart(Span limit, Span start_ahead) {
  return std::max(Span{0}, limit - start_ahead - kSpare - Span{1});
}

absl::StatusOr<Submission> JobOf(const StartPart& part, const Ground& ground) {
  const auto known = ByName(*ground.look);
  const std::vector<OnNode> nodes = NodesOfPlace(part.place);
  Submission job;
  job.whole_nodes = !nodes.empty() && std::all_of(nodes.begin(), nodes.end(),
                                                  [](const OnNode& on) { return on.blocked; });
  size_t inside = 0;
  for (const OnNode& on : nodes) {
    const auto node = known.find(on.node);
    if (node == known.end()) {
      return InvalidArgument(fmt::format("the cluster has no node '{}'", on.node));
    }
    if (ground.commons.contains(on.node)) ++inside;
    job.nodes.push_back(
        {.node = on.node,
         .cpus = on.blocked ? node->second->cpus : std::max<int64_t>(on.resources.Get("ncpus"), 1),
         .memory = on.resources.Get("mem"),
         .gpus = on.resources.Get("ngpus")});
  }
  if (inside > 0 && inside < nodes.size()) return HalfInCommons(part.place.index);
  const bool in_commons = inside > 0;
  job.partition = PartitionFor(nodes, part.walltime, in_commons, ground);
  if (job.partition.empty()) {
    return InvalidArgument("no partition that starts jobs so long has all of its nodes");
  }
  job.reservation =
      in_commons && part.wall.empty() ? CommonsReservationOf(nodes, ground) : part.wall;
  // Slurm would count what a reservation keeps, and what jobs within it have, one beside the other.
  if (job.reservation.empty()) {
    job.licences = LicencesOf(part.jobwide, ground.look->settings.licences);
  }
  return job;
}

int64_t MinutesFor(Span walltime, BootSpan grace, Instant begins, Instant handed_over) {
  const int64_t wait = std::max<int64_t>((begins - handed_over).seconds, 0);
  const int64_t seconds =
      wait + walltime.seconds + (grace.milliseconds + 999) / 1000 + kSpare.seconds;
  return std::max<int64_t>((seconds + 59) / 60, 1);
}

int64_t MinutesAtFirst(int64_t minutes, const std::vector<WantedNode>& nodes,
                       const std::string& wall, const Look& look, Instant now) {
  Instant next = kFarFuture;
  for (const Reservation& reservation : look.reservations) {
    if (reservation.name == wall || reservation.when.begin <= now) continue;
    for (const ReservedNode& reserved : reservation.nodes) {
      const bool meets = std::any_of(nodes.begin(), nodes.end(), [&](const WantedNode& node) {
        return node.node == reserved.node;
      });
      if (meets) next = std::min(next, reservation.when.begin);
    }
  }
  const int64_t fits = (next - now).seconds / 60;
  return fits >= 1 && fits < minutes ? fits : minutes;
}

}  // namespace muster::driver::slurm
