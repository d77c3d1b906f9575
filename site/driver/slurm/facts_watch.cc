// Facts are made only of looks that differ in what facts are made of.
#include "site/driver/slurm/facts_watch.h"

#include <utility>

#include "site/driver/slurm/grants.h"

namespace muster::driver::slurm {
namespace {

constexpr char kArchitecture[] = "arch";  // the property

}  // namespace

FactsWatch::FactsWatch(SlurmOptions options, SeenOptions seen, Facts first)
    : options_(std::move(options)), seen_(std::move(seen)), told_(std::move(first)) {
  for (const NodeFact& node : told_.nodes) {
    const auto known = node.properties.find(kArchitecture);
    if (known != node.properties.end()) architectures_[node.name] = known->second;
  }
}

std::optional<Facts> FactsWatch::Next(const Look& look) {
  ResourceSet jobwide = JobwideFacts(look, seen_);
  const std::string& parameters = look.settings.scheduler_parameters;
  if (look.nodes == nodes_ && look.partitions == partitions_ && jobwide == jobwide_ &&
      parameters == scheduler_parameters_) {
    return std::nullopt;
  }
  nodes_ = look.nodes;
  partitions_ = look.partitions;
  jobwide_ = std::move(jobwide);
  scheduler_parameters_ = parameters;
  Facts facts = FactsFrom(options_, seen_, look, told_.nodes);
  if (facts.nodes.empty()) return std::nullopt;
  facts.accounts = told_.accounts;
  std::map<std::string, std::string> architectures;
  for (NodeFact& node : facts.nodes) {
    const auto before = architectures_.find(node.name);
    if (before != architectures_.end()) node.properties.try_emplace(kArchitecture, before->second);
    const auto now = node.properties.find(kArchitecture);
    if (now != node.properties.end()) architectures[node.name] = now->second;
  }
  if (facts == told_) return std::nullopt;
  architectures_ = std::move(architectures);
  told_ = facts;
  return facts;
}

}  // namespace muster::driver::slurm
