// Pure computations on a validated request.
#include "partitioner/split.h"

#include <algorithm>

namespace muster::partitioner {
namespace {

bool Names(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

}  // namespace

bool MayRunAt(const schemas::PartSpec& part, const std::string& site) {
  return (part.sites.empty() || Names(part.sites, site)) && !Names(part.not_sites, site);
}

std::vector<std::string> EligibleSites(const schemas::PartSpec& part,
                                       const std::vector<std::string>& all) {
  std::vector<std::string> out;
  for (const std::string& site : all) {
    if (MayRunAt(part, site)) out.push_back(site);
  }
  return out;
}

std::vector<schemas::PartDemand> DemandsAt(const schemas::RequestSpec& spec,
                                           const std::vector<std::string>& part_sites,
                                           const std::string& site, Span length, Span tail) {
  std::vector<schemas::PartDemand> out;
  for (size_t i = 0; i < part_sites.size(); ++i) {
    if (part_sites[i] != site) continue;
    out.push_back(DemandOf(spec, static_cast<uint32_t>(i + 1), tail));
    out.back().duration = length;
  }
  return out;
}

std::vector<std::string> MembersOf(const std::vector<std::string>& part_sites) {
  std::vector<std::string> out = part_sites;
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

ResourceSet AmountsOf(const schemas::PartSpec& part) {
  ResourceSet out;
  for (const schemas::Chunk& chunk : part.chunks) out += chunk.resources * chunk.count;
  return out;
}

}  // namespace muster::partitioner
