// Pure rewriting; a request was validated before it comes here.
#include "partitioner/split.h"

#include <algorithm>

#include "base/check.h"

namespace muster::partitioner {
namespace {

bool Names(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

}  // namespace

std::vector<std::string> EligibleSites(const schemas::PartSpec& part,
                                       const std::vector<std::string>& all) {
  std::vector<std::string> out;
  for (const std::string& site : all) {
    if (!part.sites.empty() && !Names(part.sites, site)) continue;
    if (!Names(part.not_sites, site)) out.push_back(site);
  }
  return out;
}

Span FirstOffset(const schemas::RequestSpec& spec) {
  MUSTER_CHECK(!spec.parts.empty());
  Span first = spec.parts[0].offset;
  for (const schemas::PartSpec& part : spec.parts) first = std::min(first, part.offset);
  return first;
}

Span LastOffset(const schemas::RequestSpec& spec) {
  Span last;
  for (const schemas::PartSpec& part : spec.parts) last = std::max(last, part.offset);
  return last;
}

Instant LastAllowedStart(const schemas::RequestSpec& spec) {
  if (spec.at) return *spec.at;
  Instant last = kFarFuture;
  if (spec.start_by) last = std::min(last, *spec.start_by);
  if (spec.deadline) last = std::min(last, *spec.deadline - spec.duration - LastOffset(spec));
  return last;
}

IntervalSet AllowedStarts(const schemas::RequestSpec& spec) {
  if (spec.at) return IntervalSet::Only(*spec.at);
  const Instant begin = spec.from.value_or(Instant{0});
  const Instant last = LastAllowedStart(spec);
  return IntervalSet({{begin, last >= kFarFuture ? kFarFuture : last + Span{1}}});
}

schemas::PartDemand DemandOf(const schemas::RequestSpec& spec, uint32_t index, Span tail) {
  MUSTER_CHECK(index >= 1 && index <= spec.parts.size());
  const schemas::PartSpec& part = spec.parts[index - 1];
  return {.index = index,
          .chunks = part.chunks,
          .duration = spec.duration,
          .offset = part.offset,
          .tail = tail,
          .place = part.place,
          .exclusive = part.exclusive};
}

std::vector<schemas::PartDemand> DemandsAt(const schemas::RequestSpec& spec,
                                           const std::vector<std::string>& part_sites,
                                           const std::string& site, Span tail) {
  std::vector<schemas::PartDemand> out;
  for (size_t i = 0; i < part_sites.size(); ++i) {
    if (part_sites[i] == site) out.push_back(DemandOf(spec, static_cast<uint32_t>(i + 1), tail));
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
